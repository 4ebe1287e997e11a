"""What passed between a program and its model, read: bodies of providers' interfaces as turns of sessions."""

from collections.abc import Iterator
from dataclasses import replace

from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.live.tap import Ending, RawExchange
from actionledger.imports.shapes.base import Message, Response
from actionledger.imports.shapes.bodies import exchange_of
from actionledger.imports.shapes.exchanges import Exchange, Exchanges
from actionledger.imports.sources.base import Item, LeftOut

SOURCE = "live"
"""What records name the source of what was recorded as it passed."""

UNFINISHED = "unfinished"
"""The finish reason of a stream that ended in order, and without one."""

_NO_MODEL = ("count_tokens", "input_tokens", "embeddings", "tokenize")
_REFUSED = 400


class WireReader:
    """Makes turns of exchanges, in the order in which they ended.

    Args:
        origin: where they passed, as records say it.
    """

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._exchanges = Exchanges(SOURCE)

    def read(self, raw: RawExchange) -> Iterator[Item]:
        """Yield what an exchange adds to its session, and what is left out of it."""
        what = f"{raw.method} {raw.path.rpartition('/')[2]}"
        if not raw.is_kept:
            yield LeftOut(self._origin, LeftOutReason.TOO_LARGE, what)
            return
        asks_a_model = raw.method == "POST" and not raw.path.endswith(_NO_MODEL)
        exchange = exchange_of(raw.request, raw.response, raw.path, raw.headers) if asks_a_model else None
        if exchange is None:
            yield LeftOut(self._origin, LeftOutReason.UNKNOWN_KIND, what)
            return
        yield from self._exchanges.add(exchange._replace(response=_as_it_ended(exchange, raw)))
        for (reason, detail), count in self._exchanges.passed.items():
            yield LeftOut(self._origin, reason, detail, count)
        self._exchanges.passed.clear()


def _as_it_ended(exchange: Exchange, raw: RawExchange) -> Response:
    """Return what a model answered with what the wire says of it: times, and why there is no more of it."""
    if raw.status is None or raw.status >= _REFUSED:
        status = "" if raw.status is None else f"{raw.status} "
        kind = exchange.response.error if raw.ending is Ending.WHOLE else str(raw.ending)
        return Response((), f"{status}{kind}".strip())
    if not exchange.response.messages:
        kind = exchange.response.error if raw.ending is Ending.WHOLE else str(raw.ending)
        return replace(exchange.response, error=kind)
    first, *others = exchange.response.messages
    return replace(exchange.response, messages=(_timed(first, raw), *others))


def _timed(message: Message, raw: RawExchange) -> Message:
    finish_reason = message.usage.finish_reason
    if raw.ending is not Ending.WHOLE and not finish_reason:
        finish_reason = str(raw.ending)
    usage = replace(
        message.usage,
        latency_ms=raw.latency_ms,
        time_to_first_token_ms=raw.first_byte_ms if raw.is_stream else None,
        finish_reason=finish_reason or (UNFINISHED if raw.is_stream else ""),
    )
    return replace(message, usage=usage, occurred_at=message.occurred_at or raw.started_at)
