"""The plan of an import: which files are to be read, each with its format, and which are no recordings."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from actionledger.core.errors import ActionLedgerError, MissingPackageError, SourceError, in_words
from actionledger.imports.sources.base import ReadFile, Sample, Source
from actionledger.imports.sources.containers import kind_of, shown
from actionledger.imports.sources.files import (
    ARCHIVES,
    MARK,
    STANDARD_INPUT,
    Given,
    doubled_in,
    files_in,
    fits,
    place_of,
)
from actionledger.imports.sources.registry import (
    recognised,
    sample_of,
    source_named,
    sources,
    sureness_of,
    surest_of,
)
from actionledger.ledger.storage.imported_files import FileState, TakenFiles, state_of

if TYPE_CHECKING:
    from actionledger.imports.plan_importer import ImportProgress
    from actionledger.imports.prices import Prices
    from actionledger.imports.reading import ReadAs

_SURE = 1.0


@dataclass(frozen=True, slots=True)
class FileOptions:
    """The user's options for the files of an import."""

    format: str = ""  # the format's name; empty to detect it
    # the source's name in records; empty for the format, or for the file if session names are unique only within it
    source: str = ""
    # the column that holds a field, by the field's name
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def how(self) -> str:
        """The same as one text with secrets masked, as it is stored: a file imported with other options is another file."""
        if not self.source and not self.columns:
            return repr((self.format, "", []))
        from actionledger.core.privacy import mask_text  # noqa: PLC0415 - slow to load, and most imports are told neither

        return mask_text(repr((self.format, self.source, sorted(self.columns.items()))))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How files are imported."""

    origin: str  # the path that the user has named, as the runs record it
    # how texts of sessions without a profile are parsed; None for every known format
    read_as: "ReadAs | None" = None
    # the same by names, for worker processes: the arguments of `ReadAs.of`
    texts: Mapping[str, Any] = field(default_factory=dict)
    # the column that holds a field, by the field's name
    columns: Mapping[str, str] = field(default_factory=dict)
    on_progress: "Callable[[ImportProgress], None] | None" = None  # called with the progress
    prices: "Prices | None" = None  # prices for responses recorded with tokens but without a cost
    workers: int = 1  # the most worker processes; 1 for this process alone
    again_forgotten: bool = False  # whether erased sessions are imported again


@dataclass(frozen=True, slots=True)
class ToRead:
    """A file to be read."""

    path: Path  # the file
    format: Source
    sureness: float  # the certainty of the format, from 0 to 1; 1 if the user named it
    read: ReadFile  # the function that reads it
    name: str  # the source's name in records
    # the state by which the file is recognized as unchanged; None if it isn't a file on disk
    state: FileState | None = None


@dataclass(slots=True)
class ImportPlan:
    """The files of an import: to be read, unchanged, refused or of no known format."""

    to_read: list[ToRead] = field(default_factory=list)  # the files that are to be read, in order
    unchanged: int = 0  # how many files the ledger has imported as they are
    # how many files of a folder are no recording, by folder and file name suffix
    unknown: Counter[tuple[Path, str]] = field(default_factory=Counter)
    # files that the user named but that can't be read, each with the reason
    refused: list[tuple[Path, str]] = field(default_factory=list)
    # the archives that are read, each with its state
    archives: dict[Path, FileState] = field(default_factory=dict)
    # how many files are certainly of another format than the one the user named, by that other format's name
    mistaken: Counter[str] = field(default_factory=Counter)


def planned(
    files: Iterable[Given], told: FileOptions, taken: TakenFiles, *, must_find: bool = True
) -> ImportPlan:
    """Return the plan for some files; only the beginning of each is read."""
    return _Planning(told, taken).of(files, must_find=must_find)


class _Planning:
    def __init__(self, told: FileOptions, taken: TakenFiles) -> None:
        self._told = told
        self._format = source_named(told.format) if told.format else None
        self._taken = taken
        self._plan = ImportPlan()

    @cached_property
    def _patterns(self) -> tuple[str, ...]:
        """The file name patterns of recordings; this loads every format."""
        formats = sources().values() if self._format is None else (self._format,)
        return (*(pattern for each in formats for pattern in each.patterns), *ARCHIVES)

    def of(self, files: Iterable[Given], *, must_find: bool) -> ImportPlan:
        plan = self._plan
        for given in files:
            self._add(given)
        if must_find and not plan.to_read and not plan.unchanged:
            if len(plan.refused) == 1 or (plan.refused and not plan.unknown):
                raise SourceError(plan.refused[0][1])
            from actionledger.imports.unknown_files import described_folder  # noqa: PLC0415 - slow to load, and seldom needed

            raise SourceError(described_folder(plan.unknown, self._patterns))
        return plan

    def _add(self, given: Given) -> None:
        path = given.path
        if not (given.is_named or self._taken.names(path) or fits(path, self._patterns)):
            self._plan.unknown[given.root, path.suffix] += 1
            return
        try:
            self._add_recording(given)
        except (SourceError, MissingPackageError) as error:
            self._plan.refused.append((path, str(error)))
        except ActionLedgerError:
            raise  # it is about the user's options, not about the file
        except Exception as error:  # noqa: BLE001 - after any error in a format or its libraries, the other files are still read
            # Messages of the system or an unpacker need no name of their kind.
            said = error.strerror or str(error) if isinstance(error, OSError) else ""
            why = said or in_words(error)
            why = f"What {shown(path)!r} holds can't be found out: {why}."
            self._plan.refused.append((path, why))

    def _add_recording(self, given: Given) -> None:
        path = given.path
        state = None if path == STANDARD_INPUT else state_of(path, self._told.how)
        if state and self._taken.has(path, state):
            self._plan.unchanged += 1
            return
        has_fields = self._format is not None and self._format.mapped is not None
        sample = sample_of(path, has_values=not has_fields)
        found = self._of_sample(given, sample, state)
        if found is not None:
            self._plan.to_read.append(found)
        elif sample.head.startswith(MARK) and state is not None:
            self._add_archive(given, state)
        elif given.is_named:
            from actionledger.imports.unknown_files import described  # noqa: PLC0415 - the same

            self._plan.refused.append((given.path, described(sample)))
        else:
            self._plan.unknown[given.root, given.path.suffix] += 1

    def _of_sample(self, given: Given, sample: Sample, state: FileState | None) -> ToRead | None:
        if self._format is not None:
            is_other = kind_of(sample.head) is not None and not any(
                each.source is self._format for each in recognised(sample)
            )
            if is_other and self._format.mapped is None:
                return None
            # Note a file that is certainly of another format than the user named.
            with suppress(SourceError):  # another format's error is no fault of this file
                self._note_surest(self._format, sample)
            return self._to_read(given, self._format, 1.0, state)
        if self._told.columns:
            # The format of a file whose columns the user has named: lines of JSON, or a table.
            return self._to_read(given, source_named("jsonl" if sample.values else "table"), 1.0, state)
        surest = surest_of(sample)
        return self._to_read(given, surest.source, surest.sureness, state) if surest else None

    def _note_surest(self, named: Source, sample: Sample) -> None:
        if named.mapped is not None or sureness_of(named, sample) > 0:
            return
        surest = surest_of(sample)
        if surest is not None and surest.sureness >= _SURE:
            self._plan.mistaken[surest.source.name] += 1

    def _to_read(self, given: Given, source: Source, sureness: float, state: FileState | None) -> ToRead:
        read = source.read
        if self._told.columns:
            if source.mapped is None:
                raise SourceError(
                    f"The format {source.name} has its own fields: --map is for jsonl and table."
                )
            read = source.mapped(self._told.columns)
        own = place_of(given) if source.names == "file" else source.name
        return ToRead(given.path, source, sureness, read, self._told.source or own, state)

    def _add_archive(self, given: Given, state: FileState) -> None:
        before = len(self._plan.to_read)
        for path in files_in(given.path):
            self._add(Given(path, given.path, is_named=False))
        read = {each.path for each in self._plan.to_read[before:]}
        doubled = {path: count for path, count in doubled_in(given.path).items() if path in read}
        for path, count in doubled.items():
            why = f"The archive has {count} files of this name; the last one is read: unpack the others yourself."
            self._plan.refused.append((path, why))
        if read and not doubled:
            self._plan.archives[given.path] = state
