"""What the scripted server has sent, which is what a recording should say."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Call:
    """A call as it was sent: its arguments are text, which may be broken. ``mark`` is what it writes down if it runs."""

    id: str
    name: str
    raw: str
    mark: str = ""
    exit_status: int | None = 0
    """None where the command is stopped or left running before it ends."""
    is_custom: bool = False
    is_judged: bool = True
    """False where whether it ran says nothing, as of a tool by which a model ends."""
    is_sure: bool = False
    """Whether it is known to go well, though it leaves no mark."""
    namespace: str = ""
    """Where its tool is; its name has that before it."""


Piece = tuple[str, str | int]
"""A part of an answer: what it is, and its words or its place."""


@dataclass(frozen=True)
class Tokens:
    """What an answer cost: what was cached is part of the input, and reasoning part of the output."""

    input: int
    cached: int
    output: int
    reasoning: int


@dataclass(frozen=True)
class Answer:
    """One response of the server. ``is_side`` says that the client asked for a title or the like."""

    number: int
    interface: str
    text: str
    calls: tuple[Call, ...]
    finish: str
    tokens: Tokens
    is_side: bool = False
    thought: str = ""
    cut: str = ""
    """Where it broke off: in its ``text``, in its ``call``, before its ``end``, by an ``error``, or ``unfinished``; empty where it is whole."""
    pieces: tuple[Piece, ...] = ()
    """What it says in order, where that is more than a thought, words and calls."""
    usage: str = ""
    """``none`` where it has no tokens."""
    of: str = ""
    """Which scenario it is of, where several are run as one."""

    @property
    def order(self) -> tuple[Piece, ...]:
        """What it says in order: ``thought`` or ``text`` with its words, ``call`` with its place among the calls."""
        thought = (("thought", self.thought),) if self.thought else ()
        text = (("text", self.text),) if self.text else ()
        return self.pieces or (*thought, *text, *(("call", place) for place in range(len(self.calls))))


@dataclass
class Truth:
    """What was sent in a run, what ran, and where the client could have read what came of it."""

    answers: list[Answer] = field(default_factory=list)
    requests: list[bytes] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)
    """The statuses with which requests were refused."""
    ran: tuple[str, ...] = ()
    """The marks that commands left, in order: what ran, without asking anybody."""


def tokens_of(number: int, *, is_full: bool = False) -> Tokens:
    """Numbers that are another answer's nowhere, so that one looks for them in what an agent wrote."""
    return Tokens(
        (900_000 if is_full else 0) + 41_003 + 101 * number,
        17_011 + 11 * number,
        13_007 + 17 * number,
        3_001 + 7 * number,
    )


def kept(truth: Truth, path: Path) -> None:
    """Write a truth down, so that it's compared again without its agent."""
    answers = [asdict(answer) for answer in truth.answers]
    requests = [raw.decode("utf-8", "replace") for raw in truth.requests]
    value = {"answers": answers, "requests": requests, "errors": truth.errors, "ran": truth.ran}
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")


def read(path: Path) -> Truth:
    """Read a truth that was written down."""
    value = json.loads(path.read_text(encoding="utf-8"))
    answers = [
        Answer(
            **{
                **row,
                "calls": tuple(Call(**call) for call in row["calls"]),
                "tokens": Tokens(**row["tokens"]),
                "pieces": tuple((kind, said) for kind, said in row.get("pieces", ())),
            }
        )
        for row in value["answers"]
    ]
    requests = [raw.encode() for raw in value["requests"]]
    return Truth(answers, requests, value.get("errors", []), tuple(value["ran"]))
