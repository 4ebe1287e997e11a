"""What a reader makes of each combination: counted by style, over the part that is looked at or the one that is held out."""

import hashlib
import json
import random
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import actionledger as al
from wild.fault_styles import FAULT_STYLES
from wild.json_styles import JSON_STYLES
from wild.marked_styles import MARKED_STYLES
from wild.native_styles import NATIVE_STYLES
from wild.negatives import NEGATIVES, Negative, look_of
from wild.python_styles import PYTHON_STYLES
from wild.questions import Call, Question, Questions
from wild.styles import Style
from wild.surroundings import SURROUNDINGS, Surrounding

STYLES: tuple[Style, ...] = (*PYTHON_STYLES, *JSON_STYLES, *MARKED_STYLES, *NATIVE_STYLES, *FAULT_STYLES)
PARTS = ("train", "held-out", "all")
NEGATIVES_EACH = 10
"""How many texts of a combination that means nothing there are for one of another: there are fewer such combinations."""

DRAWS = 40
"""How many questions are drawn until one fits a style."""


@dataclass(frozen=True)
class Sample:
    """A text, what is offered and what is meant.

    Args:
        style: the name of the style, or of the negative.
        surrounding: what stands around it, or how its call is written.
        count: of how many calls it was made.
        text: the response.
        question: what was offered; its calls are meant, unless it is a negative.
        is_negative: whether nothing is meant.
    """

    style: str
    surrounding: str
    count: int
    text: str
    question: Question
    is_negative: bool = False

    @property
    def combination(self) -> str:
        """What decides the part that it belongs to."""
        return combination(self.style, self.surrounding, self.count)


@dataclass(frozen=True)
class Drawing:
    """Where a combination's texts come from."""

    questions: Questions  # what is drawn from
    chance: random.Random  # what draws; it depends on the seed and on the combination's name alone
    each: int  # how many texts


def combination(style: str, surrounding: str, count: int) -> str:
    """Return a combination's name."""
    return f"{style}|{surrounding}|{count}"


def is_held_out(name: str) -> bool:
    """Whether a combination is among the third that nobody looks at while building."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % 3 == 0


def samples(
    part: str, seed: int, each: int, *, only: str = "", with_leaderboard: bool = True
) -> Iterator[Sample]:
    """Yield the texts of each combination of a part."""
    questions = Questions(seed, with_leaderboard=with_leaderboard)
    for style in STYLES:
        for surrounding in SURROUNDINGS if style.name.startswith(only) else ():
            for count in style.counts:
                name = combination(style.name, surrounding.name, count)
                if _is_in(part, name):
                    drawing = Drawing(questions, random.Random(f"{seed}|{name}"), each)
                    yield from _positives(style, surrounding, count, drawing)
    for negative in NEGATIVES:
        style_name = f"not/{negative.name}"
        for look in negative.looks if style_name.startswith(only) else ():
            name = combination(style_name, look, 1)
            if _is_in(part, name):
                drawing = Drawing(questions, random.Random(f"{seed}|{name}"), each * NEGATIVES_EACH)
                yield from _negatives(negative, look, drawing)


def _is_in(part: str, name: str) -> bool:
    return part == "all" or (part == "held-out") == is_held_out(name)


def _positives(style: Style, surrounding: Surrounding, count: int, drawing: Drawing) -> Iterator[Sample]:
    chance = drawing.chance
    for _ in range(drawing.each):
        drawn = (style.prepare(drawing.questions.draw(chance, count), chance) for _ in range(DRAWS))
        question = next((each for each in drawn if each is not None), None)
        if question is None:
            continue
        text = style.write(question, chance)
        if surrounding.takes(text, ends=style.ends, whole=style.whole):
            yield Sample(style.name, surrounding.name, count, surrounding.around(text, chance), question)


def _negatives(negative: Negative, look: str, drawing: Drawing) -> Iterator[Sample]:
    for _ in range(drawing.each):
        question = drawing.questions.draw(drawing.chance, 1)
        text = negative.write(look_of(look, question.calls[0]), question, drawing.chance)
        yield Sample(f"not/{negative.name}", look, 1, text, question, is_negative=True)


@dataclass
class Score:
    """How often something was read."""

    texts: int = 0  # how many texts
    read: int = 0  # in how many of them any action was found
    right: int = 0  # in how many the actions are the ones that were meant, and no other
    invented: int = 0  # in how many an action was found that nobody meant

    def add(self, other: "Score") -> None:
        """Count what another one counts as well."""
        self.texts += other.texts
        self.read += other.read
        self.right += other.right
        self.invented += other.invented


@dataclass
class Table:
    """Scores by what they are of."""

    rows: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))  # a score each name
    meant: Score = field(default_factory=Score)  # of all texts that mean calls
    shown: Score = field(default_factory=Score)  # of all that mean none
    # the samples that are not as they should be
    bad: list[tuple[Sample, al.ParseResult]] = field(default_factory=list)

    def add(self, key: str, sample: Sample, result: al.ParseResult) -> None:
        """Count a reading."""
        score = scored(sample, result)
        self.rows[key].add(score)
        (self.shown if sample.is_negative else self.meant).add(score)
        if score.invented or (not sample.is_negative and not score.right):
            self.bad.append((sample, result))


def readings(found: Iterable[Sample]) -> Iterator[tuple[Sample, al.ParseResult]]:
    """Yield each sample with its reading; those with the same tools together, since a catalogue is kept for a while."""
    for sample in sorted(found, key=lambda sample: sample.question.names):
        yield sample, read(sample)


def read(sample: Sample) -> al.ParseResult:
    """Read a text as anybody would, with the tools that were offered."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return al.parse(sample.text, dialects="auto", tools=sample.question.tools)


def scored(sample: Sample, result: al.ParseResult) -> Score:
    """Compare what was read with what was meant."""
    found = [call for call in result.actions if str(call.status) != "illustration"]
    meant = [] if sample.is_negative else list(sample.question.calls)
    names = [call.name for call in meant]
    is_invented = len(found) > len(meant) or any(call.name not in names for call in found)
    for call in found:
        fitting = next((each for each in meant if agrees(call.name, call.arguments, each)), None)
        if fitting is not None:
            meant.remove(fitting)
    is_right = not sample.is_negative and not meant and not is_invented
    return Score(1, int(bool(found)), int(is_right), int(is_invented))


def agrees(name: str, arguments: dict[str, Any], call: Call) -> bool:
    """Whether a call that was read is one that is known, each argument as written or as else accepted."""
    return (
        name == call.name
        and arguments.keys() == call.arguments.keys()
        and all(
            any(_same(value, option) for option in (call.arguments[field], *call.accepted.get(field, ())))
            for field, value in arguments.items()
        )
    )


def _same(value: object, option: object) -> bool:
    return json.dumps(_plain(value), sort_keys=True) == json.dumps(_plain(option), sort_keys=True)


def _plain(value: Any) -> Any:
    """Return a value with each number that is whole as a whole one."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
