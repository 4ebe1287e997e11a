"""Holds what was recorded against what was sent: pure, so that it is tested without an agent."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lab.interfaces import SERVED
from lab.rows import Action, Turn
from lab.truth import Answer, Call, Truth

LENGTH = frozenset(
    {"length", "max_tokens", "max_output_tokens", "incomplete", "model_context_window_exceeded"}
)
"""The words for an answer that was cut by its length, without regard to case."""
REFUSALS = frozenset({"refusal", "content_filter", "safety"})
"""The words for an answer that its model or its provider refuses."""


@dataclass(frozen=True)
class Difference:
    """What is recorded otherwise than it was. ``evidence`` is what the recording has if it could be right; empty, if it must be."""

    answer: int
    what: str
    said: str
    truth: str
    evidence: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.what}: {self.said} for {self.truth}"


Has = Callable[[str], bool]
"""Whether what an agent wrote holds a text."""


def differences(truth: Truth, turns: Sequence[Turn]) -> list[Difference]:
    """Return all that a recording says otherwise than the truth, or doesn't say."""
    found: list[Difference] = []
    used: set[int] = set()
    for answer in truth.answers:
        mine = [place for place, turn in enumerate(turns) if place not in used and is_of(turn, answer)]
        if answer.is_side:
            used.update(mine)
            continue
        if not mine:
            evidence = (answer.text.split("\n")[0],) if answer.text else tuple(c.id for c in answer.calls)
            evidence = evidence or (str(answer.tokens.input), str(answer.tokens.output))
            found.append(Difference(answer.number, "answer", "none", short(answer.text), evidence))
            continue
        used.add(mine[0])
        mine_alone = turns[mine[0]]
        found += of_cut(answer, mine_alone, truth) if answer.cut else of_turn(answer, mine_alone, truth)
    for place, turn in enumerate(turns):
        if place not in used:
            found.append(Difference(-1, "turn that nobody sent", short(turn.text) or "empty", "none"))
    return found


def strangers(truth: Truth, turns: Sequence[Turn], parents: Mapping[str, str]) -> list[Difference]:
    """Return what says that a run is more than one tree of sessions; the client's own requests are no part of it."""
    sent = [answer for answer in truth.answers if not answer.is_side]
    mine = {turn.session for turn in turns if any(is_of(turn, answer) for answer in sent)}
    roots = {root(session, parents) for session in mine}
    return [Difference(-1, "lineage", f"{len(roots)} sessions apart", "one tree")] if len(roots) > 1 else []


def root(session: str, parents: Mapping[str, str]) -> str:
    """Return the first of a session's line of parents."""
    seen = {session}
    while (parent := parents.get(session)) and parent not in seen:
        seen.add(parent)
        session = parent
    return session


def is_of(turn: Turn, answer: Answer) -> bool:
    """Whether a turn is that of an answer: it has its calls, or begins with its words."""
    said = [each.call_id for each in (*turn.actions, *turn.executions)]
    if any(is_called(name, call.id) for name in said for call in answer.calls):
        return True
    if not answer.text and not answer.calls:
        is_counted = turn.tokens["output"] in (None, answer.tokens.output)
        return not turn.text and is_counted and (turn.thought == answer.thought or not turn.thought)
    if answer.cut and turn.text and answer.text.startswith(turn.text):
        return True  # the words that came through
    first = next(iter(words(answer, "text")), "").split("\n")[0]
    if first and turn.text.startswith(first):
        return True
    return not turn.text and not said and turn.tokens["output"] == answer.tokens.output


def is_called(said: str, sent: str) -> bool:
    """Whether an identifier is the one that was sent: some agents put the tool's name before it, or a number behind it."""
    return said == sent or said.endswith(f"__{sent}") or said.startswith(f"{sent}__")


def of_turn(answer: Answer, turn: Turn, truth: Truth) -> Iterator[Difference]:
    """Yield what one turn says otherwise than its answer."""
    for said in words(answer, "text"):
        if said not in turn.text:
            yield Difference(answer.number, "text", short(turn.text), short(said), (said,))
    if turn.model != SERVED:
        yield Difference(answer.number, "model", str(turn.model), SERVED, (SERVED,))
    for said in words(answer, "thought"):
        if said not in turn.thought:
            yield Difference(answer.number, "thought", short(turn.thought), short(said), (said,))
    said_length = (turn.finish or "").lower() in LENGTH
    if answer.finish == "refusal":
        if (turn.finish or "").lower() not in REFUSALS:
            yield Difference(
                answer.number,
                "finish",
                str(turn.finish),
                answer.finish,
                ('"refusal"', '"content_filter"', '"SAFETY"'),
            )
    elif said_length != (answer.finish in ("length", "window")):
        yield Difference(answer.number, "finish", str(turn.finish), answer.finish, _words(answer))
    yield from _tokens(answer, turn)
    yield from _calls(answer, turn, truth)


WHOLE_ENDS = frozenset({"stop", "end_turn", "tool_use", "tool_calls", "completed"})
"""The words for an answer that came whole."""


def of_cut(answer: Answer, turn: Turn, truth: Truth) -> Iterator[Difference]:
    """Yield what a turn says of an answer that broke off: it is not whole, nor is a call that was not sent whole."""
    if (turn.finish or "").lower() in WHOLE_ENDS:
        yield Difference(answer.number, "finish", str(turn.finish), "broken off")
    for call in answer.calls:
        for action in turn.actions:
            is_whole = action.arguments and (
                call.is_custom or json.loads(action.arguments) == json.loads(call.raw)
            )
            if is_called(action.call_id, call.id) and action.status == "valid" and not is_whole:
                yield Difference(answer.number, "call that broke off", action.status, "not valid")
        for each in turn.executions:
            if (
                is_called(each.call_id, call.id)
                and each.status == "succeeded"
                and outcome(call, truth) != "succeeded"
            ):
                yield Difference(answer.number, "status", each.status, outcome(call, truth))


def words(answer: Answer, kind: str) -> list[str]:
    """Return the words, or the thoughts, of an answer, part by part."""
    return [str(said) for each, said in answer.order if each == kind]


def _words(answer: Answer) -> tuple[str, ...]:
    return (
        ('"length"', '"max_tokens"', "max_output_tokens", "MAX_TOKENS", "model_context_window_exceeded")
        if answer.finish in ("length", "window")
        else ()
    )


def _tokens(answer: Answer, turn: Turn) -> Iterator[Difference]:
    told = answer.tokens
    other = {"input": told.input - told.cached, "output": told.output - told.reasoning}
    for name in ("input", "cached", "output", "reasoning"):
        if name == "reasoning" and answer.interface == "anthropic":
            continue  # that interface doesn't say
        want, said = getattr(told, name), turn.tokens[name]
        if answer.usage == "none":
            if said:
                yield Difference(answer.number, f"{name} tokens", str(said), "not told", (str(said),))
            continue
        if said != want:
            evidence = (str(want), *([str(other[name])] if name in other else ()))
            yield Difference(answer.number, f"{name} tokens", str(said), str(want), evidence)


def _calls(answer: Answer, turn: Turn, truth: Truth) -> Iterator[Difference]:
    if not answer.calls:
        for each in turn.executions:
            yield Difference(answer.number, "status", each.status, "never called")
        return
    left = list(turn.actions)
    met: Counter[str] = Counter()
    for call in answer.calls:
        action = next((each for each in left if is_called(each.call_id, call.id)), None)
        if action is not None:
            left.remove(action)
        if not call.is_custom and not is_object(call.raw):
            yield from _broken(answer, call, action, turn)
        elif action is None:
            yield Difference(
                answer.number, "call", "none", f"{call.name} {call.mark}".strip(), (call.mark or call.id,)
            )
            continue
        else:
            yield from _whole(answer, call, action)
        yield from _status(answer, call, turn, met[call.id], truth)
        met[call.id] += 1
    for action in left:
        yield Difference(answer.number, "call that nobody sent", action.name, "none")


def is_object(raw: str) -> bool:
    """Whether arguments can be read as they were sent."""
    try:
        return isinstance(json.loads(raw), dict)
    except ValueError:
        return False


def _broken(answer: Answer, call: Call, action: Action | None, turn: Turn) -> Iterator[Difference]:
    """Arguments that can't be read: their text is kept, and no call is made of it that would be in order."""
    if not is_kept(call.raw, turn.text):
        said = short(action.arguments) if action else "none"
        yield Difference(answer.number, "broken arguments", said, short(call.raw), (call.raw,))
    elif action is not None and action.status == "valid":
        yield Difference(answer.number, "check of broken arguments", action.status, "not valid")


def is_kept(raw: str, text: str) -> bool:
    """Whether broken arguments stand in a text: a value that is a text itself, as itself; `null`, which is none, needs not."""
    return raw == "null" or raw in text or (raw[:1] == '"' and raw[1:-1] in text)


def _whole(answer: Answer, call: Call, action: Action) -> Iterator[Difference]:
    if action.name != call.name:
        yield Difference(answer.number, "name", action.name, call.name, (f'"{call.name}"',))
    said = json.loads(action.arguments) if action.arguments else None
    if call.is_custom:
        is_right = isinstance(said, dict) and call.raw in said.values()
    else:
        is_right = said == json.loads(call.raw)
    if not is_right:
        yield Difference(answer.number, "arguments", short(said), short(call.raw), (longest(call),))


def longest(call: Call) -> str:
    """Return the longest text in a call's arguments, which is in a recording however it writes JSON."""
    if call.is_custom:
        return call.raw
    told = json.loads(call.raw)
    values = told.values() if isinstance(told, dict) else [told]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return max((text for text in texts if isinstance(text, str)), key=len, default=call.raw)


def _status(answer: Answer, call: Call, turn: Turn, place: int, truth: Truth) -> Iterator[Difference]:
    if not call.is_judged:
        return
    mine = [each.status for each in turn.executions if is_called(each.call_id, call.id)]
    said = mine[place] if place < len(mine) else "not recorded"
    want = outcome(call, truth)
    is_right = said == want if want in ("succeeded", "failed") else said != "succeeded"
    if not is_right:
        yield Difference(answer.number, "status", said, want, (call.id,) if said == "not recorded" else ())


def outcome(call: Call, truth: Truth) -> str:
    """Return what came of a call, by the mark that it left or didn't leave."""
    if call.is_sure:
        return "succeeded"
    if not call.mark or call.mark not in truth.ran:
        return "never ran"
    if call.exit_status is None:
        return "never ended"
    return "failed" if call.exit_status else "succeeded"


def short(value: object) -> str:
    """Return a value's beginning, on one line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= 50 else f"{text[:49]}…"


def told(truth: Truth, answer: int) -> Has:
    """Return what looks for a text in the requests after an answer: what came of its calls is told there, or nowhere."""
    later = [raw for number, raw in enumerate(truth.requests) if number > answer]
    return lambda text: any(text.encode() in raw for raw in later)


def is_ours(difference: Difference, has: Has) -> bool:
    """Whether a difference is our fault: what would be right stands in the recording, or must be known."""
    return not difference.evidence or any(has(each) for each in difference.evidence)


def searcher(written: bytes) -> Has:
    """Return what looks for a text in what was written, however often it was escaped there; a number is no part of another."""
    plain = written.replace(b"\\n", b" ").replace(b"\\", b"")

    def has(text: str) -> bool:
        sought = text.replace("\n", " ").replace("\\", "").encode()
        if sought.isdigit():
            return re.search(rb"(?<!\d)%s(?!\d)" % sought, plain) is not None
        return sought in plain

    return has
