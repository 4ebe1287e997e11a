"""Runs a command and says on standard error what it took to start and work: counted, so that no busy machine changes it.

``python counting_start.py COMMAND …`` writes one line of JSON: modules loaded, those of the project, patterns compiled, statements run, threads begun.
"""

import json
import re._compiler as compiler
import sys
import threading

import duckdb

COUNTS = {"patterns": 0, "statements": 0, "threads": 0}


def counted(function, name):
    """Return a function that counts its calls."""

    def call(*arguments, **options):
        COUNTS[name] += 1
        return function(*arguments, **options)

    return call


compiler.compile = counted(compiler.compile, "patterns")
threading.Thread.start = counted(threading.Thread.start, "threads")
for method in ("execute", "sql", "query"):
    setattr(
        duckdb.DuckDBPyConnection, method, counted(getattr(duckdb.DuckDBPyConnection, method), "statements")
    )
before = set(sys.modules)

from actionledger.cli import main  # noqa: E402 - what it loads is counted

try:
    main()
finally:
    loaded = set(sys.modules) - before
    own = [name for name in loaded if name.partition(".")[0] == "actionledger"]
    sys.stderr.write(json.dumps({"modules": len(loaded), "own": len(own), **COUNTS}) + "\n")
