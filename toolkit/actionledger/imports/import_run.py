"""One import as a run of a ledger: it begins with the first thing that is recorded of it."""

from datetime import date

from actionledger.core.events import Event
from actionledger.core.ids import new_id
from actionledger.core.recording import (
    ParserIdentity,
    Recorder,
    RunKey,
    hash_of_tools,
    list_prices_used,
    parser_used,
    prices_used,
    run_finished,
    run_started,
    tools_offered,
)
from actionledger.core.vocabulary import RunKind


class ImportRun:
    """Records the events of an import, and what they lean on once.

    Args:
        record: takes the events.
        source: what the sessions come from, as records name it.
        origin: the path that they come from.
        run_id: the run that others have begun, who record its beginning and its end; None for a new one.

    Attributes:
        key: the run, as its events carry it.
        has_begun: whether anything was recorded of it.
    """

    def __init__(self, record: Recorder, source: str, origin: str, run_id: str | None = None) -> None:
        self._record = record
        self._source = source
        self._origin = origin
        self.key = RunKey(run_id=run_id or new_id(), kind=RunKind.IMPORT)
        self.has_begun = False
        self._is_ours = run_id is None
        self._parsers: set[str] = set()
        self._tools: set[str] = set()
        self._prices: set[tuple[str, date | None]] = set()

    def record(self, event: Event) -> None:
        """Record an event of the run."""
        self.begin()
        self._record(event)

    def begin(self) -> None:
        """Begin it, unless it has begun."""
        if self.has_begun:
            return
        self.has_begun = True
        if self._is_ours:
            self._record(run_started(self.key, name=f"import {self._source}", source=self._origin))

    def note_parser(self, parser: ParserIdentity) -> None:
        """Record what reads its texts."""
        if parser.id not in self._parsers:
            self._parsers.add(parser.id)
            self.record(parser_used(parser, self.key.run_id))

    def note_prices(self, dated: date | None) -> None:
        """Record that costs are by a price file, and of which day that is."""
        if ("", dated) not in self._prices:
            self._prices.add(("", dated))
            self.record(prices_used(self.key.run_id, dated))

    def note_list_prices(self, package: str, dated: date) -> None:
        """Record that costs are by price lists, and of which day these are."""
        if (package, dated) not in self._prices:
            self._prices.add((package, dated))
            self.record(list_prices_used(self.key.run_id, package, dated))

    def note_tools(self, tools: str) -> None:
        """Record what was offered, as JSON text; nothing where it is empty."""
        if tools and (tools_hash := hash_of_tools(tools)) not in self._tools:
            self._tools.add(tools_hash)
            self.record(tools_offered(tools, self.key.run_id))

    def finish(self, *, turns: int, refused: int) -> None:
        """End it, if it has begun and is ours to end."""
        if self.has_begun and self._is_ours:
            self._record(run_finished(self.key, turns=turns, refused=refused))
