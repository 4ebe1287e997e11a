"""Recorded readings made the baseline of a gate."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from actionledger.errors import SourceError, UsageError
from actionledger.ledger import Ledger
from actionledger.ledger.queries.expected import (
    ExpectedTurn,
    count_without_text,
    expected_parsers,
    expected_turns,
)
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.naming import FIRST, one_run, session_names
from actionledger.replay.gating.baseline import Baseline, in_order
from actionledger.replay.gating.contents import beside, found_in_ledger, packed


def bless(
    ledger: Ledger,
    to: str | Path,
    *,
    run: str = FIRST,
    profiles: Sequence[str] = (),
    models: Sequence[str] = (),
    with_texts: bool = False,
) -> Baseline:
    r"""Write what was read as the baseline of a gate: a small file for a repository, the same for the same readings.

    Args:
        ledger: where the readings are.
        to: the file to write; one that is there is replaced.
        run: whose readings, by its id or name; ``first`` for the first ones.
        profiles: only the turns of these.
        models: only those of these language models.
        with_texts: whether the texts are kept beside it, as ``NAME.texts.jsonl.gz``, masked as the ledger has them; else the
            gate needs them from elsewhere.

    Returns:
        What was written.

    Raises:
        UsageError: no turn with a text fits, or no run goes by the name.
        SourceError: the file can't be written.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle('```actions\n{"actions": [{"type": "list_tasks"}]}\n```')
        ...     baseline = al.bless(ledger, "baseline.json", with_texts=True)
        >>> baseline.counts["turns"]
        1
        >>> al.gate(None, baseline="baseline.json", candidate="assistant").passed
        True
    """
    run_id = None if run == FIRST else one_run(ledger, run)
    within = Filter(run_id=run_id, profiles=tuple(profiles), models=tuple(models))
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
    """Return what to call the sessions of turns in a file: by their own names, else by the whole of their ids.

    Args:
        ledger: where they are recorded.
        turns: the turns.
    """
    names = session_names(ledger, {turn.session_id for turn in turns})
    return {identity: identity if identity.startswith(name) else name for identity, name in names.items()}


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise SourceError(f"The file {str(path)!r} can't be written: {error.strerror}.") from error
