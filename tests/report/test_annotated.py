"""A response with its parts marked: which text stands in which element."""

from html.parser import HTMLParser

import pytest

from actionledger.core.values import ActionCall, Block, ParseResult, Repair, Span
from actionledger.core.vocabulary import ActionStatus, BlockStatus, Outcome, RepairKind
from actionledger.report.readings import annotated

TEXT = "0123456789"
KINDS = ("al-block", "al-act", "al-fix")


class Marks(HTMLParser):
    """The elements of an annotated response, each as its kind and the stretch of the text that it holds."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, Span]] = []
        self._at = 0
        self._open: list[tuple[str, int]] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self._open.append(((dict(attrs).get("class") or "").split(" ")[0], self._at))

    def handle_endtag(self, tag):
        kind, start = self._open.pop()
        if kind in KINDS:
            self.found.append((kind, Span(start, self._at)))

    def handle_data(self, data):
        self._at += len(data)


def shown(blocks=(), calls=(), repairs=()):
    """Return the marks of a reading with blocks, actions and repairs in these places."""
    fixes = tuple(Repair(RepairKind.TRAILING_COMMA, Span(*place), "", "") for place in repairs)
    found = tuple(
        Block(n, "d", BlockStatus.REPAIRED, Span(*place), Span(*place), None, () if n else fixes)
        for n, place in enumerate(blocks)
    )
    actions = tuple(ActionCall("f", {}, ActionStatus.VALID, Span(*place), "d", 0) for place in calls)
    result = ParseResult(TEXT, Outcome.CLEAN, actions, found, (), "", "id", "p", None)
    return sorted(Marks(annotated(result)).found)


@pytest.mark.parametrize(
    ("blocks", "calls", "repairs"),
    [
        ([(0, 3), (3, 7), (7, 10)], [], []),
        ([(0, 10)], [(1, 4), (4, 9)], []),
        ([(0, 10)], [(0, 5), (5, 10)], [(4, 5), (5, 6)]),
        ([(0, 5), (5, 10)], [(0, 5), (5, 10)], [(4, 5), (3, 4)]),
        ([(2, 8)], [(2, 8)], [(2, 8)]),
    ],
)
def test_what_touches_stands_side_by_side_and_what_is_within_is_held(blocks, calls, repairs):
    """Every element holds exactly the text of its span, also where one ends at the other's beginning."""
    wanted = [("al-block", Span(*place)) for place in blocks]
    wanted += [("al-act", Span(*place)) for place in calls]
    wanted += [("al-fix", Span(*place)) for place in repairs]
    assert shown(blocks, calls, repairs) == sorted(wanted)


def test_touching_elements_are_siblings():
    """A block that begins where another one ends is not drawn inside it."""
    result = ParseResult(
        TEXT,
        Outcome.CLEAN,
        (),
        tuple(
            Block(n, "d", BlockStatus.STRICT, span, span) for n, span in enumerate((Span(0, 5), Span(5, 10)))
        ),
        (),
        "",
        "id",
        "p",
        None,
    )
    depth, deepest = 0, 0
    for piece in annotated(result).split("<")[1:]:
        depth += -1 if piece.startswith("/") else 1
        deepest = max(deepest, depth)
    assert deepest == 3  # pre, span, block
