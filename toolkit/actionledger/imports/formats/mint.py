"""MINT-bench's recorded sessions: ``MODEL/…/SETTING/KIND/TASK/results.jsonl``, one session per line.

``state.history`` holds the messages; only the assistant's are responses. Two user messages in a row stand for an empty response that left no message.
``state.agent_action_count`` is the harness's own count, kept as metadata.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from actionledger.core.recordings import RecordedSession, RecordedTurn, SessionDetails
from actionledger.core.vocabulary import Capture, TitleOrigin
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_lines


class _Part(BaseModel):
    model_config = ConfigDict(defer_build=True)  # every import tests files for this format


class _Message(_Part):
    role: str
    content: str


class _State(_Part):
    history: list[_Message]
    success: bool | None = None
    agent_action_count: dict[str, int] = {}
    terminate_reason: str | None = None


class _Task(_Part):
    task_name: str
    task_id: int | str
    prompt: str = ""


class _Line(_Part):
    state: _State
    task: _Task


_FENCED = 'Your code should be enclosed using "```python" tag'
"""The prompt's words if the model had to write code in fences."""


_TAGS = ("<execute>", "<solution>")
"""The prompt's words if the model had to write tags."""


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of one file, and a refusal for each line that can't be read."""
    above = path.resolve().parts[-6:-1]
    model, feedback, setting, kind, task_set = ("",) * (5 - len(above)) + above
    place = f"{model}/{feedback}/{setting}/{kind}/{task_set}"
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        number, value = item
        try:
            line = _Line.model_validate(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            yield Refusal(
                shown(path), number, f"The field {'.'.join(map(str, first['loc']))!r}: {first['msg']}."
            )
            continue
        # Whether the first prompt asks for code in fences, as for some models, and not for tags.
        is_fenced = (
            bool(line.state.history)
            and line.state.history[0].role != "assistant"
            and _FENCED in line.state.history[0].content
        )
        yield RecordedSession(
            external_id=f"{place}/{line.task.task_id}",
            profile="mint",
            model=model,
            task=line.task.task_name,
            # The first message begins with the same rules and examples for every task.
            details=SessionDetails(title=line.task.prompt, title_from=TitleOrigin.PROMPT),
            turns=tuple(_turns(line.state.history)),
            success=line.state.success,
            reason=line.state.terminate_reason or "",
            metadata={"kind": kind, "setting": setting, "counts": line.state.agent_action_count}
            | _harness(line.state.agent_action_count)
            | _asked(line.state.history, is_fenced=is_fenced),
            parser="mint-fences" if is_fenced else "",
        )


def _harness(counts: dict[str, int]) -> dict[str, dict[str, int]]:
    """Return in how many responses the harness took an action or found none, if it counted them."""
    if not {"propose_solution", "use_tool", "invalid_action"} <= counts.keys():
        return {}
    took = counts["propose_solution"] + counts["use_tool"]
    return {"harness": {"took": took, "missed": counts["invalid_action"]}}


def _asked(history: list[_Message], *, is_fenced: bool) -> dict[str, str]:
    """Return the parser for the form that the first prompt asks for, and the words that ask for it; empty if unclear."""
    if is_fenced:
        return {"parser": "mint-fences", "parser_because": "the prompt asks for ```python"}
    if history and history[0].role != "assistant" and all(tag in history[0].content for tag in _TAGS):
        return {"parser": "mint", "parser_because": "the prompt asks for <execute> and <solution>"}
    return {}


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample has this format: a line has the state of a session and its task."""
    lines = [
        value for value in sample.values if isinstance(value, dict) and {"state", "task"} <= value.keys()
    ]
    return (
        1.0 if any(isinstance(line["state"], dict) and "history" in line["state"] for line in lines) else 0.0
    )


def _turns(history: list[_Message]) -> Iterator[RecordedTurn]:
    """Pair each response with the messages before and after it; one that is missing between two messages is empty."""
    first_prompt: str | None = None
    pairs: list[tuple[str, str | None]] = []
    awaits_response = False
    for message in history:
        if message.role == "assistant":
            pairs.append((message.content, None))
            awaits_response = False
            continue
        if awaits_response:
            pairs.append(("", None))
        if pairs:
            pairs[-1] = (pairs[-1][0], message.content)
        else:
            first_prompt = message.content
        awaits_response = True
    for index, (text, feedback) in enumerate(pairs):
        yield RecordedTurn(index, text, None if index else first_prompt, feedback)


SOURCE = Source(
    "mint",
    "MINT-bench's results",
    Capture.TEXT,
    read,
    recognise,
    patterns=("results.jsonl",),
    loses="Times, tokens and the model's name, which the folders have.",
    fields=("state", "task"),
    stands_alone=True,
)
