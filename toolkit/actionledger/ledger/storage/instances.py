"""DuckDBs in memory, of which one that is done with is kept for whoever needs one next in this process.

To begin one takes twenty milliseconds of a processor, since it fills a catalogue of its own with some thousand functions; to attach a
file to one that is there takes two. Each serves one user at a time, and has forgotten everything of the one before.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.forking import abandon, watch
from actionledger.ledger.storage.memory import spilling_folder

Config = Mapping[str, str | int]
"""DuckDB's settings, by name."""

_MOST = 4
"""So many are kept: a process that opens ledgers one after the other needs two or three."""


@dataclass(slots=True)
class Instance:
    """A DuckDB in memory.

    Args:
        connection: the connection to it; cursors of it may be given on.
        config: what it was begun with; None for one that is of no use to anybody else.
        spills_to: the folder for what does not fit into memory.
        views: the SELECT of each view that it has, by name: who finds those that it needs makes none.
        lacks: the tables that the ledger which is attached hasn't yet, being of an older version.
        has_tail: whether a database with the tables of a ledger, all of them empty, is attached to it.
    """

    connection: DuckDBPyConnection
    config: Config | None = None
    spills_to: str = ""
    views: Mapping[str, str] = field(default_factory=dict)
    has_tail: bool = False
    lacks: frozenset[str] = frozenset()

    def detach(self, *names: str) -> None:
        """Close databases that are attached."""
        self.connection.execute("USE memory")
        for name in names:
            self.connection.execute(f"DETACH DATABASE IF EXISTS {name}")


class _Kept:
    def __init__(self) -> None:
        self.start_over()
        watch(self)

    def start_over(self) -> None:
        """Forget the parent's in a forked child: their threads were not forked."""
        for instance in getattr(self, "_instances", ()):
            abandon(instance)
        self._lock = Lock()
        self._instances: list[Instance] = []

    def take(self, config: Config) -> Instance | None:
        with self._lock:
            instance = next((each for each in self._instances if each.config == config), None)
            if instance is not None:
                self._instances.remove(instance)
            return instance

    def put(self, instance: Instance) -> None:
        with self._lock:
            self._instances.insert(0, instance)
            gone = self._instances[_MOST:]
            del self._instances[_MOST:]
        for each in gone:
            each.connection.close()


_kept = _Kept()


def begin(config: Config) -> Instance:
    """Return a DuckDB that nobody uses: nothing is attached to it, and its views are those of somebody before."""
    instance = _kept.take(config)
    if instance is None:
        spills_to = str(config.get("temp_directory") or spilling_folder())
        connection = duckdb.connect(config={**config, "temp_directory": spills_to})
        instance = Instance(quiet(connection), config, spills_to)
    return instance


def keep(instance: Instance, *attached: str) -> None:
    """Keep a DuckDB that is done with."""
    if instance.config is None:
        instance.connection.close()
        return
    try:
        instance.detach(*attached)
        for name, value in {**instance.config, "temp_directory": instance.spills_to}.items():
            # Once it has spilled, that can't be set any more: who needs another folder begins anew.
            instance.connection.execute("SET {} = '{}'".format(name, str(value).replace("'", "''")))
    except duckdb.Error:
        instance.connection.close()
    else:
        _kept.put(instance)


@contextmanager
def borrowed(config: Config, *attached: str) -> Iterator[DuckDBPyConnection]:
    """Give a connection to a DuckDB that is kept afterwards, unless something went wrong."""
    instance = begin(config)
    try:
        # A cursor of its own takes along what is temporary: tables, variables.
        with instance.connection.cursor() as cursor:
            yield cursor
    except BaseException:
        instance.connection.close()
        raise
    keep(instance, *attached)


def quiet(connection: DuckDBPyConnection) -> DuckDBPyConnection:
    """Keep a connection and its cursors from drawing a bar into the standard output, as DuckDB 2 does after two seconds."""
    # In a notebook without the package that draws it, there is none to keep away.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    return connection
