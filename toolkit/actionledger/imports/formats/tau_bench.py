"""Episodes of tau-bench: a list of results, each with the messages of an agent and a reward.

Defined by sierra-research/tau-bench, ``tau_bench/run.py`` and ``types.py`` (``EnvRunResult``): ``task_id``, ``reward``, ``info``, ``traj``,
``trial``. ``traj`` holds OpenAI's chat messages; an agent that acts in text (the strategies ``act`` and ``react``) has its calls in the text, which
is parsed. Neither episodes nor messages have identifiers: an episode is identified by all its messages.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actionledger.core.canonical import json_text
from actionledger.core.ids import derived_id
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes import openai_chat
from actionledger.imports.shapes.base import Passed, left_out
from actionledger.imports.shapes.conversation import conversation
from actionledger.imports.sources.access import object_at, objects_at, score_of, text_at
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import numbered_objects

NAME = "tau_bench"

_KEYS = frozenset({"task_id", "reward", "traj"})
_WORDINGS = (
    Wording(r"^Error: .*not found", Reason.NOT_FOUND, "Error: user not found", is_telling=True),
    Wording(r"^Unknown action ", Reason.UNKNOWN_ACTION, "Unknown action find_flight", is_telling=True),
    Wording(
        r"^Error: (?:.*\b(?:missing \d+ required|unexpected keyword argument)|[iI]nvalid )",
        Reason.SCHEMA_ERROR,
        "Error: Calculate.invoke() missing 1 required positional argument: 'expression'",
        is_telling=True,
    ),
    Wording(
        r"^Error: .*\b(?:not (?:available on|enough)|insufficient|(?:does|do) not (?:add up|match)|cannot be|should (?:be|match))\b",
        Reason.AGAINST_RULES,
        "Error: not enough seats on flight HAT001",
        is_telling=True,
    ),
    Wording(r"^Error: ", Reason.TOOL_ERROR, "Error: no", is_telling=True),
)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield a session for each episode."""
    passed: Passed = Counter()
    for item in numbered_objects(path, on_read):
        if isinstance(item, Refusal):
            yield item
        elif not item[1].keys() >= _KEYS or not isinstance(item[1]["traj"], list):
            yield Refusal(shown(path), item[0], "The object has no task_id, reward and list of messages.")
        else:
            yield from _episode(item[1], passed)
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample holds episodes of tau-bench."""
    first = sample.first
    if isinstance(first, list):
        first = first[0] if first else None
    if isinstance(first, dict):
        return 1.0 if first.keys() >= _KEYS else 0.0
    head = sample.head.lstrip()[:4000]
    return (
        1.0
        if head.startswith(b"[") and b'"task_id"' in head and b'"reward"' in head and b'"info"' in head
        else 0.0
    )


def _episode(episode: Mapping[str, Any], passed: Passed) -> Recorded:
    whole = conversation(openai_chat.message(each) for each in objects_at(episode, "traj"))
    turns = whole.done(Capture.ARGUMENTS)
    passed.update(whole.passed)
    if not turns:
        passed[LeftOutReason.EMPTY, "episode"] += 1
        return
    info = object_at(episode, "info")
    task = str(episode["task_id"])[:80]
    reward = score_of(episode.get("reward"))
    trial = episode.get("trial")
    metadata = {"task_id": task, "trial": trial if isinstance(trial, int) else None, "system": whole.system}
    yield RecordedSession(
        f"{task}/{metadata['trial'] or 0}/{derived_id(json_text(episode['traj']))[:13]}",
        None,
        text_at(info, "model"),
        f"task {task}",
        turns,
        None if reward is None else reward >= _WHOLE,
        text_at(info, "error")[:200],
        {key: value for key, value in metadata.items() if value is not None},
        source=NAME,
        scores={} if reward is None else {"reward": reward},
    )


_WHOLE = 1 - 1e-6
"""The least reward of a solved episode, as in tau-bench itself."""

SOURCE = Source(
    NAME,
    "tau-bench",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.json", "*.json.gz", "*.jsonl"),
    wordings=_WORDINGS,
    loses="Times, tokens and cost; which model it was; the tools that were offered; whether a tool failed, other than by its words.",
    fields=("task_id", "reward", "info", "traj", "trial"),
)
