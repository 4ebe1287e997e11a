"""A worker process that parses responses again: requests arrive as JSON lines, and each response is answered with one line.

``processes.py`` starts it. A text that takes too long ends it by a signal that no code of this process can delay.
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
"""Ratio of the clock limit to the processor limit, since a machine may be busy, and a check may wait for something."""


class Limit:
    """Ends this process if a text takes more than some seconds of processor time, or ``CLOCK`` times as long by the clock."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)

    def begin(self) -> None:
        """Start the timer."""
        self._set(self._seconds)

    def end(self) -> None:
        """Stop the timer."""
        self._set(0)

    def _set(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, seconds * CLOCK)


PARSER: TypeAdapter[AnyParser] = TypeAdapter(Annotated[AnyParser, Field(discriminator="type")])


def main() -> None:
    """Serve requests until the input ends."""
    answers, requests = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # a profile's own output must not mix with the answers
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # and its input must not consume requests
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
    answers.flush()  # flushed, so that an answer is never lost if the next text kills this process
