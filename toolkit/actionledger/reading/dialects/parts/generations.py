"""Families whose models write in more than one form: each form is a dialect of its own, read under the family's name."""

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions


class Generations(Dialect):
    """A family with several forms; the first one is what is written.

    Of two forms with the same opening, the first that reads the block wins; one that finds another shape than its own gives
    way to a later one.
    """

    generations: ClassVar[tuple[Dialect, ...]]
    """The forms, the newest first where it makes no difference."""

    @property
    def literals(self) -> frozenset[str]:
        """The literal texts that open a block in any form."""
        return frozenset[str]().union(*(form.literals for form in self.generations))

    @property
    def line_patterns(self) -> frozenset[str]:
        """What opens a block in any form at the start of a line."""
        return frozenset[str]().union(*(form.line_patterns for form in self.generations))

    @cached_property
    def _asked(self) -> dict[str, tuple[Dialect, ...]]:
        """The forms that each literal text may open a block of."""
        return {
            text: tuple(form for form in self.generations if text in form.literals) for text in self.literals
        }

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the block that begins here in the form that it has; see ``Dialect.read``."""
        misshapen: Found | None = None
        is_literal = opening.kind is OpeningKind.LITERAL
        for form in self._asked[opening.label] if is_literal else self.generations:
            if not is_literal and not form.line_patterns:
                continue
            found = form.read(source, opening, end, options)
            if found is None:
                continue
            found = found._replace(strings_only=form.strings_only or found.strings_only)
            if found.reason is not Reason.WRONG_SHAPE:
                return found
            misshapen = misshapen or found
        return misshapen

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in the first form; see ``Dialect.write``."""
        return self.generations[0].write(calls)
