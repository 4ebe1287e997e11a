"""Import files of any format: find and recognize them, read them, and remember them so that unchanged ones aren't read again."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from actionledger.core.errors import require_kind, require_path
from actionledger.core.processes import check_workers, cores
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.recognition import FileOptions, ImportOptions, ImportPlan, planned
from actionledger.imports.report import ImportReport
from actionledger.imports.sources.files import files_at
from actionledger.ledger.storage.imported_files import TakenFiles

if TYPE_CHECKING:
    from actionledger.imports.plan_importer import ImportProgress
    from actionledger.imports.prices import Prices
    from actionledger.imports.reading import ReadAs
    from actionledger.ledger import Ledger

AnyPath: TypeAlias = str | os.PathLike[str]
"""A path, or its text."""

_SHOWN_PATHS = 3


def import_path(
    path: AnyPath | Iterable[AnyPath],
    ledger: "Ledger | AnyPath",
    *,
    format: str = "",  # noqa: A002 - what the command line calls it
    source: str = "",
    columns: Mapping[str, str] | None = None,
    profile: str | None = None,
    dialects: Sequence[str] = (),
    parser: str | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    on_progress: "Callable[[ImportProgress], None] | None" = None,
    prices: "Prices | AnyPath | None" = None,
    workers: int | None = None,
    again_forgotten: bool = False,
) -> ImportReport:
    """Import files of recorded sessions into a ledger, whatever their formats; what it has already is skipped.

    Args:
        path: a file, plain, compressed or a zip archive, a folder, a pattern such as ``logs/**/*.jsonl``, ``-`` for standard input, or several.
        ledger: the ledger to record into, or its path.
        format: the format's name; detected if not given.
        source: the source's name in records; sessions with the same source and name are the same. By default the format, or the file if session names
            are unique only within it.
        columns: the column that holds a field, by the field's name, of lines and tables whose columns have other names.
        profile: the profile whose parser and catalogue apply to raw texts of sessions that name none.
        dialects: the formats to look for in them instead.
        parser: the parser to use instead, by name; without any of the three, every known format is tried.
        tools: the offered tools, as OpenAI's interface takes them, if the recording doesn't say.
        on_progress: called with the progress; ``progress`` shows it.
        prices: prices for responses recorded with tokens but without a cost, or the price file; see ``Prices``.
        workers: how many processes read; None for as many as there are cores. Small or piped input is read by one.
        again_forgotten: whether erased sessions are imported again, for which all files are read; otherwise they are skipped and counted.

    Returns:
        The report. A file that has not changed since its import is not read again.

    Raises:
        SourceError: a file doesn't exist, none has a known format (the message says what was found), or the prices can't be read.
        UnknownNameError: there is no such format, profile, dialect or parser.
        UsageError: ``columns`` names an unknown field, or several options say how to parse texts.
        LedgerError: the ledger can't be written.
        ImportStopped: the user stopped the import; it has the report.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("log.jsonl").write_text('{"session": "a", "text": "<execute>1 + 1</execute>"}')
        >>> report = al.import_path("log.jsonl", "team.duckdb")
        >>> report.turns, dict(report.files), dict(report.found)
        (1, {'jsonl': 1}, {'mint': 1})
        >>> al.import_path("log.jsonl", "team.duckdb").unchanged
        1
    """
    paths = _paths(path)
    require_kind(source, str, "A source is a text")
    check_workers(workers)
    files = FileOptions(format, source, _checked(columns))
    texts = {"profile": profile, "dialects": dialects, "parser": parser, "tools": tools}
    options = ImportOptions(
        origin=_origin(paths),
        read_as=_read_as(**texts),
        texts=texts,
        columns=files.columns,
        on_progress=on_progress,
        prices=_prices(prices),
        # The reader that comes first records that a session is imported again.
        workers=1 if again_forgotten else workers or cores(),
        again_forgotten=again_forgotten,
    )
    return _import(paths, ledger, files, options)


def _import(
    paths: list[Path], ledger: "Ledger | AnyPath", files: FileOptions, options: ImportOptions
) -> ImportReport:
    """Import files; load the readers only if there is something to read."""
    if not isinstance(ledger, str | os.PathLike):
        from actionledger.ledger.queries.base import refuse_no_ledger  # noqa: PLC0415 - a caller with an open ledger has loaded it

        refuse_no_ledger(ledger)
    ledger_path = Path(ledger) if isinstance(ledger, str | os.PathLike) else ledger.path
    imported = TakenFiles.of(ledger_path)
    plan = planned(
        files_at(paths), files, TakenFiles.anew(ledger_path) if options.again_forgotten else imported
    )
    if not plan.to_read and not plan.refused:
        return _nothing_new(plan)
    from actionledger.imports.plan_importer import PlanImporter  # noqa: PLC0415
    from actionledger.ledger import open_ledger  # noqa: PLC0415

    opened: AbstractContextManager[Ledger] = (
        open_ledger(ledger_path) if isinstance(ledger, str | os.PathLike) else nullcontext(ledger)
    )
    with opened as there:
        return PlanImporter(there, plan, imported, options).run()


def _paths(given: AnyPath | Iterable[AnyPath]) -> list[Path]:
    require_kind(given, str | os.PathLike | Iterable, "What is imported is a path, or several of them")
    paths = [given] if isinstance(given, str | os.PathLike) else list(given)
    for each in paths:
        require_path("What is imported", each)
    return [Path(each) for each in paths]


def _checked(columns: Mapping[str, str] | None) -> Mapping[str, str]:
    if not columns:
        return {}
    from actionledger.imports.sources.rows import checked  # noqa: PLC0415 - loads pydantic, and most imports name none

    return checked(columns)


def _read_as(**given: Any) -> "ReadAs | None":
    """Return how raw text is parsed; None for every known format."""
    if not any(given.values()) and given["tools"] is None:
        return None
    from actionledger.imports.reading import ReadAs  # noqa: PLC0415 - loads every parser, and most imports name none

    return ReadAs.of(**given)


def _prices(given: "Prices | AnyPath | None") -> "Prices | None":
    if not isinstance(given, str | os.PathLike):
        return given
    from actionledger.imports.prices import Prices  # noqa: PLC0415 - most imports have none

    return Prices.of(Path(given))


def _nothing_new(plan: ImportPlan) -> ImportReport:
    left_out = Counter(
        {
            (str(root), LeftOutReason.UNKNOWN_FORMAT, suffix): count
            for (root, suffix), count in plan.unknown.items()
        }
    )
    return ImportReport(unchanged=plan.unchanged, mistaken=plan.mistaken, left_out=left_out)


def _origin(paths: list[Path]) -> str:
    return ", ".join(map(str, paths[:_SHOWN_PATHS])) + (
        f" and {len(paths) - _SHOWN_PATHS} more" if len(paths) > _SHOWN_PATHS else ""
    )
