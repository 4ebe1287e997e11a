"""Episodes of InterCode: ``ic_ENVIRONMENT_…json``, an object of episodes by number, or that under ``logs``.

Defined by ``experiments/`` of github.com/princeton-nlp/intercode. An episode has the actions parsed from the responses, their outputs, their rewards,
and whether they could be run. If a response had no action, the response itself is in the action's place. The file names neither the model nor the
run, but its own name has both.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, Reason
from actionledger.imports.sources.access import non_empty, object_at, score_of, text_at
from actionledger.imports.sources.base import Item, Refusal, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_document
from actionledger.imports.sources.wordings import JUDGED, SHARED, reason_of, text_of

_HEAD = regex(rb'"turn_history"\s*:\s*\{')
_MODEL = regex(r"_(?:multiturn|react|ctf(?!_multiturn))_(?P<model>[a-z][\w.-]*?)_\d+_turns")
_NO_ACTION = regex(r"\s*(?:No \w+ code was found in your last response|Format your \w+ command as follows)")
_PROGRAMS = frozenset({"bash", "ctf"})
"""Environments whose actions count as runnable if the program ended with 0."""


_WORDINGS = (
    Wording(
        r"^Error executing query: .{0,200}doesn't exist",
        Reason.NOT_FOUND,
        "Error executing query: Table 'a.b' doesn't exist",
        is_telling=True,
    ),
    Wording(
        r"^Error executing query",
        Reason.CODE_ERROR,
        "Error executing query: 1064 (42000): You have an error in your SQL syntax",
        is_telling=True,
    ),
    Wording(
        r": -c: line \d+: (?:syntax error|unexpected EOF)",
        Reason.CODE_ERROR,
        "/bin/bash: -c: line 1: unexpected EOF while looking for matching `''",
        is_telling=True,
    ),
    Wording(r"^Malformed command", Reason.SCHEMA_ERROR, "Malformed command", is_telling=True),
    Wording(
        r"(?m)^(?:/bin/)?\S*: line \d+: .{0,200}: command not found",
        Reason.NOT_FOUND,
        "/bin/bash: line 3: BASH: command not found",
        is_telling=True,
    ),
    Wording(
        r"^\{'output': '(?:[^'\\]|\\.)*', 'error': [\"'][^\"']",
        Reason.CODE_ERROR,
        "{'output': '', 'error': \"NameError: name 'x' is not defined\"}",
        is_telling=True,
    ),
)


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield each episode of a file as a session."""
    try:
        whole = json_document(path, on_read)
    except SourceError as error:
        yield Refusal(shown(path), 0, str(error))
        return
    held = whole if isinstance(whole, dict) else {}
    name = path.name.split(".json")[0]
    found = False
    for key, episode in object_at(held, "logs").items() if "logs" in held else held.items():
        if isinstance(episode, dict) and isinstance(episode.get("turn_history"), dict):
            found = True
            yield _session(episode, name, key)
        else:
            yield Refusal(shown(path), 0, f"The episode {key[:40]!r} has no turn_history.")
    if not found:
        yield Refusal(shown(path), 0, "The document holds no episode of InterCode.")


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is from InterCode: its episodes have a history and an environment."""
    begin = sample.head[:20_000]
    return float(b'"environment"' in begin and b'"task_id"' in begin and bool(_HEAD.search(begin)))


def _session(episode: JsonMap, name: str, key: str) -> RecordedSession:
    summary, environment = object_at(episode, "summary"), text_at(episode, "environment")
    reward = score_of(summary.get("max_reward"))
    model = _MODEL.search(name)
    known = {
        "environment": environment,
        "dataset": text_at(episode, "dataset"),
        "hardness": text_at(episode, "hardness"),
    }
    return RecordedSession(
        f"{name}/{key}",
        None,
        model["model"] if model else "",
        text_at(episode, "query").strip().split("\n", 1)[0][:200],
        tuple(_turns(episode, environment.removeprefix("ic_") or "run")),
        None if reward is None else reward >= 1,
        metadata=non_empty(known),
        source=SOURCE.name,
        scores={} if reward is None else {"max_reward": reward},
    )


def _turns(episode: JsonMap, tool: str) -> Iterator[RecordedTurn]:
    history = object_at(episode, "turn_history")
    thoughts, observations, valid = (
        _list(history, field) for field in ("thoughts", "observations", "valid_action")
    )
    for place, action in enumerate(_list(history, "actions")):
        written = action if isinstance(action, str) else ""
        seen, could_run = _at(observations, place), _at(valid, place)
        thought = _at(thoughts, place)
        is_none = isinstance(seen, str) and bool(_NO_ACTION.match(seen))
        call = RecordedCall(f"action-{place}", tool, {"command": written})
        result = RecordedResult(
            call.call_id,
            seen,
            is_error=not could_run if isinstance(could_run, bool) else None,
            reason=_failed(seen) if could_run is False and tool in _PROGRAMS else None,
        )
        yield RecordedTurn(
            place,
            written if is_none else thought if isinstance(thought, str) else "",
            prompt=text_at(episode, "query") if place == 0 else None,
            feedback=seen if is_none else None,
            external_id=f"turn-{place}",
            capture=Capture.CALLS,
            calls=() if is_none else (call,),
            results=() if is_none or place >= len(observations) else (result,),
            demands_action=True,
        )


def _failed(seen: object) -> Reason:
    """Return why a program failed, by its words; otherwise only that it did."""
    said = reason_of(text_of(seen)[:JUDGED], (*_WORDINGS, *SHARED))
    return said or Reason.COMMAND_FAILED


def _list(value: JsonMap, key: str) -> list[Any]:
    held = value.get(key)
    return held if isinstance(held, list) else []


def _at(values: list[Any], place: int) -> Any:
    return values[place] if place < len(values) else None


SOURCE = Source(
    "intercode",
    "InterCode",
    Capture.CALLS,
    read,
    recognise,
    patterns=("ic_*.json",),
    wordings=_WORDINGS,
    loses=(
        "Raw responses, but where no action was found in them; tokens, times, and the prompt; the model and the run, but for the "
        "file's name, by which its sessions are known."
    ),
)
