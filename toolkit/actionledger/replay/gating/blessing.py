"""Recorded readings made the baseline of a gate."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from actionledger.core.errors import SourceError, UsageError, require_path
from actionledger.core.whole_files import write_whole
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.expected import (
    ExpectedTurn,
    count_without_text,
    expected_parsers,
    expected_turns,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.naming import FIRST, Called, one_run, session_names
from actionledger.replay.gating.baseline import Baseline, in_order
from actionledger.replay.gating.contents import beside, found_in_ledger, packed


def bless(
    ledger: Ledger,
    to: str | Path,
    *,
    run: Called = FIRST,
    within: Filter = EVERYTHING,
    with_texts: bool = False,
) -> Baseline:
    r"""Write what was read as the baseline of a gate: a small file for a repository, the same for the same readings.

    Args:
        ledger: where the readings are.
        to: the file to write; one that is there is replaced.
        run: whose readings, by its id or name; ``first`` for the first ones.
        within: which of the turns, by what was given before they were read; its ``run_id`` is ``run``.
        with_texts: whether the texts are kept beside it, as ``NAME.texts.jsonl.gz``, masked as the ledger has them; else the
            gate needs them from elsewhere.

    Returns:
        What was written.

    Raises:
        UsageError: no turn with a text fits, no run goes by the name, or two runs are named.
        SourceError: the file can't be written.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle('```actions\n{"actions": [{"type": "list_tasks"}]}\n```')
        ...     baseline = al.bless(ledger, "baseline.json", with_texts=True)
        >>> baseline.counts["turns"]
        1
        >>> al.gate(None, baseline="baseline.json", candidate="assistant", allow_few=True).passed
        True
    """
    refuse_no_ledger(ledger)
    require_path("What a baseline is written to", to)
    if run != FIRST and within.run_id is not None:
        raise UsageError("Give either run or a run in within.")
    within = rated(within) if run == FIRST else rated(replace(within, run_id=one_run(ledger, run)))
    turns = list(expected_turns(ledger, within))
    if not turns:
        raise UsageError(
            "No recorded turn with a text fits; 'actionledger report' says what the ledger holds."
        )
    names = lasting_names(ledger, turns)
    named = tuple(replace(turn, session_id=names[turn.session_id]) for turn in turns)
    baseline = in_order(Baseline(expected_parsers(ledger, within), named, count_without_text(ledger, within)))
    path = Path(to)
    _write(path, baseline.dumps().encode())
    if with_texts:
        wanted = {each for turn in turns for each in (turn.text, turn.tools) if each}
        _write(beside(path), packed(found_in_ledger(ledger, wanted).values()))
    return baseline


def lasting_names(ledger: Ledger, turns: Sequence[ExpectedTurn]) -> dict[str, str]:
    """Return what to call the sessions of turns in a file: by their own names, else by the whole of their ids."""
    names = session_names(ledger, {turn.session_id for turn in turns})
    return {identity: identity if identity.startswith(name) else name for identity, name in names.items()}


def _write(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise SourceError(f"The file {str(path)!r} can't be written: {error.strerror}.") from error
