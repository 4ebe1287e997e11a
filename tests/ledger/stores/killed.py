"""Takes in, and is killed at a step of it: ``python killed.py STEP LEDGER``."""

import os
import signal
import sys
from typing import Any

from actionledger.ledger import open_ledger
from actionledger.ledger.storage import ingest, insertion, loading
from actionledger.ledger.storage.lake import ingester, tables


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def behind(usual: Any) -> Any:
    def done(*given: Any, **more: Any) -> None:
        usual(*given, **more)
        die()

    return done


step, path = sys.argv[1:]
match step:
    case "rows":
        insertion.Staging.insert = behind(insertion.Staging.insert)  # type: ignore[method-assign]
    case "offsets":
        loading.Loader._finish = behind(loading.Loader._finish)  # type: ignore[method-assign]
    case "commit":
        loading.Loader._take_in = behind(loading.Loader._take_in)  # type: ignore[method-assign]
    case "head":
        tables._keep = ingest.publish = die  # type: ignore[assignment]
    case "segments":
        ingester.remove_finished = ingest.remove_finished = die  # type: ignore[assignment]
with open_ledger(path, in_background=False) as ledger:
    ledger.ingest()
