"""A host at work: records, flushes, says what it has flushed, and commits: ``python host.py LEDGER``."""

import signal
import sys
import threading
import time
from datetime import datetime

from actionledger.core.events import SystemNoted
from actionledger.core.ids import new_id
from actionledger.ledger import open_ledger

NOON = datetime.fromisoformat("2026-05-04T12:00:00")
ended = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: ended.set())
with open_ledger(sys.argv[1], in_background=False) as ledger:
    while not ended.is_set():
        events = [
            SystemNoted(event_id=new_id(), recorded_at=NOON, run_id=new_id(), code="test", message="x" * 500)
            for _ in range(20)
        ]
        for event in events:
            ledger.record(event)
        ledger.flush()
        sys.stdout.write("".join(f"{event.event_id}\n" for event in events))
        sys.stdout.flush()
        ledger.ingest()
        time.sleep(0.01)
