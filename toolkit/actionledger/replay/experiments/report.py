"""What came of an experiment: each variant's rates, and two of them compared with the test."""

from collections.abc import Mapping
from dataclasses import dataclass

from actionledger.core.errors import UsageError
from actionledger.core.frames import Columns, Framed, Kind, rate_kinds, rate_values
from actionledger.core.hooks import drawn
from actionledger.ledger import Ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.funnel import funnel
from actionledger.replay.contrasts import Contrast, contrast

_RATES = ("parse_success", "strict_success", "validation", "execution")


@dataclass(frozen=True, slots=True)
class Experiment(Framed):
    """An experiment as far as it is done.

    Args:
        name: what it is called.
        ledger: where it is recorded.
        sources: what records name each variant's sessions' source, by the variant's name.
        begun: how many conversations were held now.
        known: how many were recorded before, and not held again.
        left: how many are still to be held, since the budget was spent.
        failed: why conversations broke off, by variant and task, a further repeat as ``TASK (repeat 2)``: they are held again the
            next time.

    Example:
        >>> from actionledger.runtime.models import ScriptedModel
        >>> call = al.render([("list_tasks", {})], "actions")
        >>> variants = [
        ...     al.Variant(name=name, profile="assistant", model=lambda task, text=text: ScriptedModel([text, "Done."]))
        ...     for name, text in (("clear", call), ("vague", call.replace("{", "(", 1)))
        ... ]
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     found = al.experiment(ledger, "wording", variants, {"tasks": "What is to be done?"})
        ...     found.df()[["variant", "sessions", "parse_success"]].values.tolist()
        [['clear', 1, 1.0], ['vague', 1, 0.0]]
    """

    name: str
    ledger: Ledger
    sources: Mapping[str, str]
    begun: int
    known: int
    left: int
    failed: Mapping[tuple[str, str], str]

    def within(self, variant: str) -> Filter:
        """Return the filter that picks a variant's responses, for whatever else is asked of the ledger.

        Args:
            variant: its name.

        Raises:
            UsageError: there is no such variant.

        Example:
            >>> al.Experiment("wording", None, {"short": "wording: short"}, 0, 0, 0, {}).within("short").words
            'source wording: short'
        """
        if variant not in self.sources:
            raise UsageError(f"There is no variant {variant!r}; there are {', '.join(self.sources)}.")
        return Filter(sources=(self.sources[variant],))

    def compare(self, before: str, after: str) -> Contrast:
        """Return two variants beside each other: each rate with the interval of the difference and its test, and task by task.

        Args:
            before: the first one's name.
            after: the second one's.

        Raises:
            UsageError: there is no such variant, or one has no response yet.

        Example:
            >>> al.Experiment("wording", None, {"short": "wording: short"}, 0, 0, 0, {}).compare("short", "long")
            Traceback (most recent call last):
            ...
            actionledger.core.errors.UsageError: There is no variant 'long'; there are short.
        """
        return contrast(self.ledger, self.within(before), self.within(after))

    def _columns(self) -> Columns:
        """A row for each variant."""
        kinds: dict[str, Kind] = {"variant": str, "sessions": int, "responses": int}
        for name in _RATES:
            kinds |= rate_kinds(name)
        rows = []
        for variant in self.sources:
            within = self.within(variant)
            found = funnel(self.ledger, within)
            held = self.ledger.sql(_SESSIONS, {"source": self.sources[variant]}).fetchone()
            rates = [value for name in _RATES for value in rate_values(getattr(found, name))]
            rows.append((variant, held[0] if held else 0, found.responses, *rates))
        return Columns(kinds, rows)

    def __repr__(self) -> str:
        left = f", {self.left:,} left" if self.left else ""
        broke = f", {len(self.failed):,} broke off" if self.failed else ""
        return (
            f"<Experiment {self.name!r}: {len(self.sources):,} variants, {self.begun:,} conversations held now, "
            f"{self.known:,} before{left}{broke}>"
        )

    def _repr_html_(self) -> str:
        found = [(variant, funnel(self.ledger, self.within(variant))) for variant in self.sources]
        rows = [
            (variant, each.responses, *(getattr(each, name) for name in _RATES)) for variant, each in found
        ]
        heads = ("variant", "responses", *(name.replace("_", " ") for name in _RATES))
        return drawn(self, "html", repr(self)[1:-1].removeprefix("Experiment "), heads, rows)


_SESSIONS = "SELECT count(*) FROM sessions WHERE source = $source"
