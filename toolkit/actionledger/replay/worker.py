"""A process that reads responses again: requests come in as lines of JSON, for each response a line goes out.

It is started by ``processes.py``. A text that takes too long ends it, by a signal that no code of this process can hold up.
"""

import json
import os
import signal
from datetime import datetime
from typing import Annotated, BinaryIO

from pydantic import Field, TypeAdapter

from actionledger.core.privacy import custom
from actionledger.core.recording import RunKey
from actionledger.core.vocabulary import RunKind
from actionledger.ledger.queries.rereading import RecordedResponse
from actionledger.reading.parsers import AnyParser
from actionledger.replay.runners import Rereader

CLOCK = 10
"""How much longer a text may take by the clock than of a processor: a machine may be busy, and a check may wait for something."""


class Limit:
    """Ends this process where a text takes too long.

    Args:
        seconds: of a processor; by the clock it is ``CLOCK`` times as long.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)

    def begin(self) -> None:
        """Begin to count."""
        self._set(self._seconds)

    def end(self) -> None:
        """Count no longer."""
        self._set(0)

    def _set(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, seconds * CLOCK)


PARSER: TypeAdapter[AnyParser] = TypeAdapter(Annotated[AnyParser, Field(discriminator="type")])


def main() -> None:
    """Serve requests until nobody asks any more."""
    answers, requests = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # what a profile prints is no answer
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # and what it reads no request
    os.close(nothing)
    setup = json.loads(requests.readline())
    custom.add(setup["secrets"])
    parser = PARSER.validate_json(setup["parser"])
    reader = Rereader(parser, RunKey(run_id=setup["run_id"], kind=RunKind.REPARSE))
    limit = Limit(setup["seconds"])
    _answer(answers, b"{}\n")
    for line in requests:
        request = json.loads(line)
        for fields in request["responses"]:
            at = fields.pop("occurred_at")
            response = RecordedResponse(**fields, occurred_at=datetime.fromisoformat(at) if at else None)
            limit.begin()
            answer = reader.read(response, request["tools"])
            limit.end()
            _answer(answers, answer)


def _answer(answers: BinaryIO, line: bytes) -> None:
    answers.write(line)
    answers.flush()  # what was answered is known to be read, whatever comes of the next one
