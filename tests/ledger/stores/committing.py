"""The committer of a lake at work, until it is ended: ``python committing.py LEDGER``."""

import signal
import sys
import threading

from actionledger.ledger.storage.lake.committer import committer_of

ended = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: ended.set())


def told(_: object) -> None:
    sys.stdout.write("a round\n")
    sys.stdout.flush()


committer_of(sys.argv[1]).run(is_stopped=ended.is_set, told=told)
