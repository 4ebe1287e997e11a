"""Recorded sessions of others as what was done in them, turn by turn: for measuring how often sessions go in circles."""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports.formats import mint as mint_format
from actionledger.reading.parsers import parser_named
from actionledger.runtime.repetition.fingerprints import ActionFingerprint, fingerprint


@dataclass(frozen=True)
class Call:
    """One call with what came of it."""

    name: str  # the action; empty for a response in which none could be read
    arguments: str  # what it was done with, as text
    seen: str  # what came of it
    failed: bool = False  # whether that is an error

    @property
    def fingerprint(self) -> ActionFingerprint:
        """The call as the guard takes it."""
        result, error = ("", self.seen or "error") if self.failed else (self.seen, "")
        return fingerprint(self.name, self.arguments, result=result, error=error, is_refused=not self.name)


@dataclass(frozen=True)
class Walked:
    """One recorded session."""

    name: str  # where it is found
    success: bool | None  # whether it reached what it was for; None where nobody said
    # its turns: whether somebody asked for something before it, and its calls
    turns: tuple[tuple[bool, tuple[Call, ...]], ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls, in order."""
        return tuple(call for _, calls in self.turns for call in calls)


def _one_by_one(name: str, success: bool | None, calls: Iterable[Call]) -> Walked:
    return Walked(name, success, tuple((number == 0, (call,)) for number, call in enumerate(calls)))


def mint_sessions(folder: Path) -> Iterator[Walked]:
    """Yield MINT's sessions; a turn is one call."""
    for file in sorted(folder.rglob("results.jsonl*")):
        for number, session in enumerate(mint_format.read(file)):
            if isinstance(session, RecordedSession):
                name = f"{file.relative_to(folder)}:{number}"
                yield _one_by_one(name, bool(session.success), map(_mint_call, session.turns))


def _mint_call(turn: RecordedTurn) -> Call:
    actions = parser_named("mint").read(turn.text).actions
    lines = (turn.feedback or "").removeprefix("Observation:").strip().splitlines()
    observed = [line for line in lines if not line.startswith(("You have ", "You should take the last step"))]
    if not actions:
        return Call("", turn.text, "no action", failed=True)
    arguments = json.dumps([action.arguments for action in actions], sort_keys=True)
    failed = any(line.startswith("Traceback") for line in observed) or _ends_in_error(observed)
    return Call(actions[0].name, arguments, observed[-1] if failed else "\n".join(observed), failed)


def _ends_in_error(lines: list[str]) -> bool:
    return bool(lines) and lines[-1].partition(":")[0].endswith(("Error", "Exception"))


def intercode_sessions(folder: Path) -> Iterator[Walked]:
    """Yield InterCode's episodes; one that was rewarded in full is a success."""
    for file in sorted(folder.rglob("*.json.gz")):
        for number, episode in json.loads(gzip.decompress(file.read_bytes())).items():
            history = episode.get("turn_history", {})
            needed = {"actions", "observations", "rewards", "valid_action"}
            if not needed <= history.keys() or not history["rewards"]:
                continue  # another kind of record
            steps = zip(history["actions"], history["observations"], history["valid_action"], strict=False)
            calls = (Call("act", str(action), str(seen), not valid) for action, seen, valid in steps)
            yield _one_by_one(f"{file.name}:{number}", max(history["rewards"]) == 1, calls)


def tau_sessions(folder: Path) -> Iterator[Walked]:
    """Yield tau-bench's episodes; one with the full reward is a success."""
    for file in sorted(folder.glob("*first100.json.gz")):
        for number, episode in enumerate(json.loads(gzip.decompress(file.read_bytes()))):
            turns = _Turns()
            for message in episode["traj"]:
                turns.take_openai(message)
            yield Walked(f"{file.name}:{number}", episode["reward"] == 1, turns.walked())


def claude_sessions(folder: Path) -> Iterator[Walked]:
    """Yield Claude Code's sessions; its own messages to the model ask for nothing new."""
    for file in sorted((folder / "claude-code").glob("*.jsonl.gz")):
        turns = _Turns()
        for line in _json_lines(file):
            if line.get("isSidechain") or line.get("isMeta") or line.get("type") not in {"user", "assistant"}:
                continue
            turns.take_anthropic(line["message"])
        yield Walked(f"claude-code/{file.name}", None, turns.walked())


def codex_sessions(folder: Path) -> Iterator[Walked]:
    """Yield Codex's sessions."""
    for file in sorted((folder / "codex").glob("*.jsonl.gz")):
        turns = _Turns()
        for line in _json_lines(file):
            turns.take_codex(line.get("payload") or {})
        yield Walked(f"codex/{file.name}", None, turns.walked())


def swe_agent_sessions(folder: Path) -> Iterator[Walked]:
    """Yield SWE-agent's trajectories."""
    for file in sorted(folder.rglob("*.traj")):
        steps = json.loads(file.read_text(encoding="utf-8"))["trajectory"]
        calls = (Call("act", str(step["action"]), str(step["observation"])) for step in steps)
        yield _one_by_one(file.name, None, calls)


def _json_lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


@dataclass
class _Turns:
    """Gathers calls and joins them with their results, whichever message holds them."""

    turns: list[tuple[bool, list[tuple[str, str, str]]]] = field(default_factory=list)
    results: dict[str, tuple[str, bool]] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    _is_asked: bool = True
    _is_open: bool = False

    def ask(self) -> None:
        """Somebody asks for something."""
        self._is_asked, self._is_open = True, False

    def call(self, call_id: str, name: str, arguments: str) -> None:
        """Take a call; calls before any result are one turn."""
        if call_id in self.known:
            return
        self.known.add(call_id)
        if not self._is_open:
            self.turns.append((self._is_asked, []))
            self._is_asked, self._is_open = False, True
        self.turns[-1][1].append((call_id, name, arguments))

    def result(self, call_id: str, text: str, *, failed: bool) -> None:
        """Take what came of a call."""
        self.results.setdefault(call_id, (text, failed))
        self._is_open = False

    def walked(self) -> tuple[tuple[bool, tuple[Call, ...]], ...]:
        """Return the turns, each call with its result."""
        return tuple(
            (
                asked,
                tuple(Call(name, given, *self.results.get(key, ("", False))) for key, name, given in calls),
            )
            for asked, calls in self.turns
        )

    def take_openai(self, message: dict[str, Any]) -> None:
        """Take a message of OpenAI's chat."""
        if message["role"] == "user":
            self.ask()
        if message["role"] == "tool":
            seen = str(message["content"])
            self.result(message["tool_call_id"], seen, failed=seen.startswith("Error"))
        for call in message.get("tool_calls") or ():
            self.call(call["id"], call["function"]["name"], call["function"]["arguments"])

    def take_anthropic(self, message: dict[str, Any]) -> None:
        """Take a message of Anthropic's."""
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            if block["type"] == "tool_use":
                self.call(block["id"], block["name"], json.dumps(block["input"], sort_keys=True))
            elif block["type"] == "tool_result":
                text = _plain(block.get("content"))
                self.result(block["tool_use_id"], text, failed=bool(block.get("is_error")))
            elif block["type"] == "text" and message["role"] == "user" and not block["text"].startswith("<"):
                self.ask()

    def take_codex(self, item: dict[str, Any]) -> None:
        """Take an item of a Codex rollout."""
        kind = item.get("type", "")
        if kind == "user_message":
            self.ask()
        elif kind in {"function_call", "custom_tool_call"}:
            self.call(item["call_id"], item["name"], item.get("arguments") or item.get("input") or "")
        elif kind in {"function_call_output", "custom_tool_call_output"}:
            text = _plain(item.get("output"))
            failed = "exited with code" in text and "exited with code 0" not in text
            self.result(item["call_id"], text, failed=failed or "verification failed" in text)


def _plain(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(block.get("text", "")) for block in content)
    return content if isinstance(content, str) else json.dumps(content)


Source: TypeAlias = Callable[[Path], Iterator[Walked]]

SOURCES: dict[str, tuple[str, Source]] = {
    "MINT": ("mint", mint_sessions),
    "InterCode": ("intercode", intercode_sessions),
    "tau-bench": ("tau-bench", tau_sessions),
    "Claude Code": ("agents-more", claude_sessions),
    "Codex": ("agents-more", codex_sessions),
    "SWE-agent": ("agents/swe-agent", swe_agent_sessions),
    "SWE-agent, older": ("swe-agent", swe_agent_sessions),
}
"""Each with the folder that it is found in and what reads it."""
