"""Runs an agent through a scenario: in a home of its own, behind our proxy, and for no longer than a while."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import actionledger as al
from actionledger.imports.live.server import OtlpServer, ProxyServer
from lab.agents import Agent, agent_name
from lab.frameworks import PROGRAMS, Framework, environment_of, tools_of
from lab.places import Place
from lab.rules import RULES, Forbids, merged
from lab.server import Server
from lab.steps import CUT, NOTES, ON, PROMPT, RAN, Scenario
from lab.truth import Truth, kept, read

MOST_SECONDS = 80
SECONDS_A_STEP = 5
SECONDS_TO_END = 8


@dataclass(frozen=True)
class Run:
    """What a run left: the truth, what was written where, the ledgers of it by how they came about, and how it ended."""

    truth: Truth
    stores: Mapping[str, Path]
    ledgers: Mapping[str, Path]
    ending: str


@contextmanager
def proxied(address: str, ledger: Path) -> Iterator[str]:
    """Put ``actionledger proxy`` before a server, as a context of its address."""
    with al.open_ledger(ledger) as opened, ProxyServer(address, opened) as proxy:
        yield proxy.address


def run_agent(agent: Agent, script: Scenario, folder: Path, program: Path, node: Path) -> Run:
    """Run an agent once, and import what it wrote."""
    home, project = folder / "home", folder / "project"
    shutil.rmtree(folder, ignore_errors=True)
    project.mkdir(parents=True)
    home.mkdir()
    (project / NOTES).write_text("alpha\n", encoding="utf-8")
    tools = replace(agent.tools, root=str(project)) if agent.tools.is_rooted else agent.tools
    with Server(script, tools) as server:
        with proxied(server.address, folder / "proxy.duckdb") as address:
            for number, way in enumerate(script.rounds):
                mcp = (
                    (sys.executable, str(PROGRAMS / "mcp_server.py"), str(project / RAN))
                    if "mcp" in script.tools
                    else ()
                )
                prompt = agent.compact if way == "compact" else ON if number else PROMPT
                place = Place(
                    home,
                    project,
                    address,
                    program / agent.program,
                    node,
                    prompt,
                    "on" if way == "compact" else way,
                    script.is_permitted,
                    mcp,
                    script.rule,
                )
                stopped_by = 0 if number else script.stopped_by
                most = most_seconds(script)
                ending = started(agent, place, folder / "out.log", stopped_by, most)
        truth = server.truth
    truth.ran = marks(project)
    kept(truth, folder / "truth.json")
    store = home / agent.store
    ledgers = {"proxy": folder / "proxy.duckdb"}
    if imported(store, folder / "file.duckdb"):
        ledgers["file"] = folder / "file.duckdb"
    return Run(truth, {"file": store}, ledgers, ending)


def most_seconds(script: Scenario) -> int:
    """Return how long a run may take."""
    return MOST_SECONDS + SECONDS_A_STEP * len(script.steps)


def started(agent: Agent, place: Place, log: Path, stopped_by: int, most: int) -> str:
    """Start an agent once, and say how it ended."""
    start = agent.start(place)
    forbids = RULES[place.rule][agent_name(agent)] if place.rule else Forbids()
    files = dict(start.files)
    files |= {name: merged(files.get(name, ""), more) for name, more in forbids.files.items()}
    for name, text in files.items():
        (place.home / name).parent.mkdir(parents=True, exist_ok=True)
        (place.home / name).write_text(text, encoding="utf-8")
    command = [*start.command, *forbids.flags]
    env = environment(place.home, place.node) | dict(start.environment)
    return ran(command, env, place.project, log, most, stopped_by=stopped_by)


def run_again(folder: Path, store: str | None) -> Run:
    """Return a run of before: what an agent wrote is imported again, what passed stays as it was recorded."""
    truth, ledgers = read(folder / "truth.json"), {"proxy": folder / "proxy.duckdb"}
    if store is None:
        ledgers["trace"] = folder / "trace.duckdb"
        return Run(truth, {"trace": folder / "spans.json"}, ledgers, "")
    if imported(folder / "home" / store, folder / "file.duckdb"):
        ledgers["file"] = folder / "file.duckdb"
    return Run(truth, {"file": folder / "home" / store}, ledgers, "")


def imported(store: Path, ledger: Path) -> bool:
    """Import what was written into a fresh ledger; False where nothing was."""
    if not store.exists():
        return False
    for path in ledger.parent.glob(f"{ledger.name}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    al.import_path(store, ledger, workers=1)
    return True


def import_again(store: Path, ledger: Path) -> None:
    """Import what was written once more into the ledger that has it."""
    al.import_path(store, ledger, workers=1)


def environment(home: Path, node: Path) -> dict[str, str]:
    """An environment with no key, no setting and no home of whoever starts the lab; nothing in it leaves loopback."""
    kept = {name: os.environ[name] for name in ("LANG", "TZ", "TMPDIR") if name in os.environ}
    nowhere = "http://127.0.0.1:9"
    return kept | {
        "HOME": str(home), "PATH": f"{node.parent}:/usr/local/bin:/usr/bin:/bin", "TERM": "dumb", "NO_COLOR": "1",
        "USER": "lab", "SHELL": "/bin/bash", "DO_NOT_TRACK": "1", "OTEL_SDK_DISABLED": "true",
        "HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "http_proxy": nowhere, "https_proxy": nowhere,
        "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
    }  # fmt: skip


def ran(
    command: list[str], env: Mapping[str, str], folder: Path, log: Path, most: int, *, stopped_by: int = 0
) -> str:
    """Run a command to its end, or end it and all that it started; say how it ended.

    Args:
        command: what is run.
        env: its whole environment.
        folder: where.
        log: where its words go, after those of earlier rounds.
        most: how many seconds it may take.
        stopped_by: the signal that it gets soon after a command has left its mark; 0 is none.
    """
    with log.open("ab") as out:
        process = subprocess.Popen(
            command, cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        try:
            if stopped_by:
                process.wait(seconds_until(folder / RAN))
            else:
                process.wait(most)
            ending = f"exit {process.returncode}"
        except subprocess.TimeoutExpired:
            ending = stopped(process, stopped_by) if stopped_by else f"stopped after {most} s"
        for left in started_in(env["HOME"]):
            with suppress(ProcessLookupError):
                os.kill(left, signal.SIGKILL)
        process.wait()
    return ending


def stopped(process: subprocess.Popen[bytes], signalled: int) -> str:
    """Send a signal to a process and all that is in its group, as a terminal does, and wait a while for its end."""
    os.killpg(process.pid, signalled)
    with suppress(subprocess.TimeoutExpired):
        process.wait(SECONDS_TO_END)
    return f"stopped by signal {signalled}"


def seconds_until(file: Path) -> float:
    """Wait until a file is there, and return for how long a process is let live then."""
    for _ in range(10 * MOST_SECONDS):
        if file.exists():
            break
        time.sleep(0.1)
    return 3


def started_in(home: str) -> list[int]:
    """Return the processes that have a run's own home: the agent, and what it has left running behind it."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"HOME={home}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def marks(project: Path) -> tuple[str, ...]:
    """Return the marks of what ran: a command that was cut has its file's name cut, too."""
    written = [project / NOTES, *sorted(project.glob(f"{CUT}*"))]
    words = [word for path in written if path.exists() for word in path.read_text(encoding="utf-8").split()]
    return tuple(word for word in words if word.startswith("mark-"))


def run_framework(framework: Framework, script: Scenario, folder: Path, python: Path) -> Run:
    """Run a framework's program once, its requests through our proxy and its spans to our receiver."""
    home, project = folder / "home", folder / "project"
    shutil.rmtree(folder, ignore_errors=True)
    project.mkdir(parents=True)
    home.mkdir()
    ledgers = {"proxy": folder / "proxy.duckdb", "trace": folder / "trace.duckdb"}
    spans = folder / "spans.json"
    with Server(script, tools_of(framework), final_tool=framework.final_tool) as server:
        with proxied(server.address, ledgers["proxy"]) as address, received(ledgers["trace"]) as receiver:
            told = environment_of(framework, address, receiver, spans, len(script.steps))
            command = [str(python), str(PROGRAMS / framework.program)]
            ending = ran(
                command, environment(home, python) | told, project, folder / "out.log", most_seconds(script)
            )
        truth = server.truth
    truth.ran = marks(project)
    kept(truth, folder / "truth.json")
    return Run(truth, {"trace": spans}, ledgers, ending)


@contextmanager
def received(ledger: Path) -> Iterator[str]:
    """Have ``actionledger otlp-receiver`` listen, as a context of its address."""
    with al.open_ledger(ledger) as opened, OtlpServer(opened) as receiver:
        yield receiver.address
