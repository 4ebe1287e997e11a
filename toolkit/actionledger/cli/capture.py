"""``proxy``, ``otlp-receiver``, ``watch`` and ``mcp-proxy``: record agents' activity as it happens."""

import os
import secrets
import signal
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.imports import print_left_out, print_priced, print_refusals, taken
from actionledger.cli.options import DEFAULT_LEDGER, AlertsOption, LedgerOption, alert_clock
from actionledger.cli.tables import beside, plain, print_error, print_note
from actionledger.core.errors import LedgerError, SourceError
from actionledger.core.ids import derived_id, now
from actionledger.core.text import counted
from actionledger.imports.prices import Prices
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.progress import next_turn_indexes
from actionledger.ledger.storage.memory import FIRST_VARIABLE, limit_for

if TYPE_CHECKING:
    from actionledger.imports.live.recording import Recording, RecordingResult

PORT = 8484
OTLP_PORT = 4318
"""The default port of OTLP exporters over HTTP."""

_LAST_SECONDS = 2.0

PricesOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        help="TOML or JSON file of model prices, for responses without a cost",
    ),
]
"""The option ``--prices``."""

_DROPPED = {
    "queue_full": "more waited to be written than is kept in memory",
    "ledger_failed": "the ledger could not be written to",
    "sent_back": "too much waited; exporters were asked to send it again, and what they did send again is recorded",
}


def proxy(
    upstream: Annotated[
        str, typer.Option("--upstream", help="Server to forward to, such as https://api.anthropic.com")
    ],
    port: Annotated[
        int,
        typer.Option("--port", min=0, max=65535, help="Port on this machine; 0: any free port"),
    ] = PORT,
    ledger: LedgerOption = None,
    silence: Annotated[
        float, typer.Option("--timeout", min=1.0, help="Seconds that the upstream may be silent")
    ] = 900.0,
    prices: PricesOption = None,
    *,
    token: Annotated[
        str,
        typer.Option(
            "--token",
            envvar="ACTIONLEDGER_PROXY_TOKEN",
            help="Token that requests must have in their path; 'new' makes one",
        ),
    ] = "",
) -> None:
    """Forward an agent's requests to its model, and record them.

    Give the agent the address that is printed as its base URL. Bodies of OpenAI's and Anthropic's interfaces become turns,
    Gemini's and Bedrock's too; keys and headers are not recorded.
    """
    from actionledger.imports.live.proxy import token_of, upstream_of  # noqa: PLC0415 - an optional dependency
    from actionledger.imports.live.server import ProxyServer  # noqa: PLC0415 - the same

    upstream_of(upstream)  # before a ledger is created
    word = secrets.token_urlsafe(16) if token == "new" else token  # noqa: S105 - the word, not a token
    token_of(word)
    where = ledger or DEFAULT_LEDGER
    costs = None if prices is None else Prices.of(prices)
    with open_ledger(where) as opened:
        server = ProxyServer(upstream, opened, port=port, silence=silence, prices=costs, token=word)
        address = f"{server.address}/{word}" if word else server.address
        server.run(lambda: _print_start(address, upstream, where))
        kept = print_end(server.recording, opened, where)
    if kept.dropped:
        raise typer.Exit(ExitCode.FAULT)


def _print_start(address: str, upstream: str, ledger: Path) -> None:
    print_note(f"Passing on to {upstream}, recording to {ledger}. Ctrl-C ends it.")
    print_note(f"Claude Code: ANTHROPIC_BASE_URL={address} claude")
    print_note(f"OpenAI's clients: OPENAI_BASE_URL={address}/v1 …")


def print_end(recording: "Recording[Any]", ledger: Ledger, path: Path) -> "RecordingResult":
    """Close a recording and its ledger, and print the result; closing may still write pending records."""
    kept = recording.close(patience=0)
    # Before the ledger is closed, which fails if nothing could be written.
    print_recorded(kept, path)
    ledger.close()
    return kept


def print_recorded(kept: "RecordingResult", ledger: Path) -> None:
    """Print what a recording kept and what it did not."""
    beside.print(plain(f"{taken(kept.report)}."))
    print_refusals(kept.report, ledger)
    print_left_out(kept.report)
    print_priced(kept.report)
    for why, count in kept.dropped.items():
        print_note(f"not recorded {count:,}: {_DROPPED.get(why, why)}", style="yellow")
    beside.print(plain(f"Next: actionledger report --ledger {ledger}"))


def otlp_receiver(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0: any free port")
    ] = OTLP_PORT,
    host: Annotated[
        str,
        typer.Option("--host", help="Address to listen on; beyond loopback, anybody who reaches it can send"),
    ] = "127.0.0.1",
    ledger: LedgerOption = None,
    prices: PricesOption = None,
) -> None:
    """Receive OpenTelemetry spans over HTTP, and record them.

    Spans of the conventions for generative AI and of OpenInference become sessions, as those of a file do; all others are counted.
    """
    from actionledger.imports.live.server import OtlpServer  # noqa: PLC0415 - an optional dependency

    where = ledger or DEFAULT_LEDGER
    costs = None if prices is None else Prices.of(prices)
    with open_ledger(where) as opened:
        server = OtlpServer(opened, port=port, host=host, prices=costs)
        server.run(lambda: _print_receiving(server.address, where))
        kept = print_end(server.recording, opened, where)
    if kept.dropped:
        raise typer.Exit(ExitCode.FAULT)


def _print_receiving(address: str, ledger: Path) -> None:
    print_note(f"Taking spans at {address}/v1/traces, recording to {ledger}. Ctrl-C ends it.")
    print_note(f"OTEL_EXPORTER_OTLP_ENDPOINT={address} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf …")
    print_note(
        "Spans are held until their trace is quiet, a minute at most, and written at the end; what kill -9 leaves, the next one records."
    )
    print_note(
        "Many programs leave out what was said, unless OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (of older ones: true) "
        "or a setting of their own says so: docs/live.md has which."
    )


def watch(
    folder: Annotated[
        Path,
        typer.Argument(help="Folder with agents' sessions, such as ~/.claude/projects"),
    ],
    ledger: LedgerOption = None,
    form: Annotated[str, typer.Option("--format", help="Format of all files; default: detect each")] = "",
    prices: PricesOption = None,
    alerts: AlertsOption = None,
) -> None:
    """Import the sessions in a folder, and new ones as they come."""
    from actionledger.imports.live.watcher import Watcher, refuse_nowhere  # noqa: PLC0415 - an optional dependency

    folder = folder.expanduser()
    refuse_nowhere(folder)  # before a ledger is created
    where = ledger or DEFAULT_LEDGER
    costs = None if prices is None else Prices.of(prices)
    # It watches for weeks and queries the ledger on each import; without a limit, DuckDB would keep up to a quarter of the machine's memory.
    os.environ[FIRST_VARIABLE] = limit_for(where)
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with open_ledger(where) as opened, alert_clock(where, alerts):
        watcher = Watcher(folder, opened, form=form, stop=stop, prices=costs)
        print_note(f"Watching {folder}, recording to {where}. Ctrl-C ends it.")
        report = watcher.run(lambda taken_now: print_note(f"{taken(taken_now)}."))
    beside.print(
        plain(
            f"New altogether: {counted(report.turns, 'turn')}, {counted(report.calls, 'call')} and "
            f"{counted(report.results, 'result')}."
        )
    )
    print_refusals(report, where)
    print_left_out(report)
    print_priced(report)
    beside.print(plain(f"Next: actionledger report --ledger {where}"))
    if watcher.is_gone:
        raise SourceError(f"There is no {str(folder)!r} to watch any more: it was moved or deleted.")


def mcp_proxy(
    command: Annotated[list[str], typer.Argument(help="Server's command, after --")],
    ledger: LedgerOption = None,
    session: Annotated[str, typer.Option("--session", help="Name of the session; default: a new one")] = "",
) -> None:
    """Run an MCP server and record each call of its tools.

    In a client's settings it takes the server's place: actionledger mcp-proxy --ledger FILE -- COMMAND ARGUMENTS…
    """
    from actionledger.imports.live.mcp import SOURCE, McpReader  # noqa: PLC0415 - most commands need none of it
    from actionledger.imports.live.recording import Recording  # noqa: PLC0415 - the same
    from actionledger.imports.live.stdio import StdioServer  # noqa: PLC0415 - the same

    where = ledger or DEFAULT_LEDGER
    program = Path(command[0]).name  # without its arguments, which may contain a key
    origin = f"mcp-proxy {program} {now():%Y-%m-%d %H:%M:%S.%f}"
    server = StdioServer(command)  # it starts while the ledger is being opened
    try:
        opened = open_ledger(where)
        first = next_turn_indexes(opened, SOURCE).get(derived_id("session", SOURCE, session), 0)
        reader = McpReader(origin, session=session, task=program, first=first)
        recording = Recording(opened, reader.read, source=SOURCE, origin=origin, rest=reader.rest)
    except LedgerError as error:
        print_error(f"{error} Nothing is recorded.")
        raise typer.Exit(server.run(lambda _line: None)) from None
    status = server.run(recording.put)
    recording.close(patience=_LAST_SECONDS)
    try:
        print_end(recording, opened, where)
    except LedgerError as error:
        print_error(str(error))
    raise typer.Exit(status)
