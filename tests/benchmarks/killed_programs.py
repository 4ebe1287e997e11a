"""Seven kinds of process at one ledger, one of them killed every few seconds: what was acknowledged, lost, doubled.

    python tests/benchmarks/killed_programs.py [--seconds 240] [--every 4] [--seed 1] [--turns-a-second 4]

A live session (`Runtime`), `watch` on a folder that agents write to, `import` again and again, `proxy` before a server that a client asks,
`otlp-receiver` that traces are sent to, `mcp-proxy` before a server of tools, and a reader whose count may never go down. All but the
client, the agents and the exporter are killed without warning, and started again at once.

Acknowledged is what a live session has flushed, each trace that the receiver has answered, and each turn that stands in a file of the two
folders. A proxy answers before it records: what a kill takes with it there is counted apart. All is looked at when everything has ended:
each turn once, and the ledger whole by its proofs.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Event, Thread

import httpx
import wire_bodies as bodies
from fake_upstream import Answer, Asked, Upstream
from lake_servers import free_port
from spans_of_agents import agent, batch
from watching import MODEL, Agents, turns_of

import actionledger as al
from actionledger.core.errors import LedgerError
from actionledger.ledger.storage.local import verify

SAMPLES = Path(__file__).parents[2] / "data" / "agents"
COMMAND = [sys.executable, "-m", "actionledger"]
TOOLS = """
import json, sys
tool = {"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}
for line in sys.stdin:
    asked = json.loads(line)
    result = {"tools": [tool]} if asked["method"] == "tools/list" else {"content": [{"type": "text", "text": "done"}]}
    if asked["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "sums", "version": "1"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


# what other processes do


def live(path: str) -> None:
    """Act in sessions of some turns; say which are flushed."""
    with al.open_ledger(path) as ledger:
        while True:
            with al.Runtime("assistant", ledger=ledger) as runtime:
                for _ in range(20):
                    turn = runtime.handle('{"action": "create_task", "title": "Buy tea"}')
                    ledger.flush()
                    print(turn.turn_id, flush=True)
                    time.sleep(0.2)


def read(path: str) -> None:
    """Count; the count may never go down."""
    last = 0
    with al.open_ledger(path, read_only=True) as ledger:
        while True:
            # On a busy machine a small ledger may be published faster than it is read, which is said.
            with suppress(LedgerError):
                [(found,)] = ledger.sql("SELECT count(*) FROM turns").fetchall()
                assert found >= last, (found, last)
                last = found
            time.sleep(0.5)


class Trial:
    """The processes, who works with them, and what they were told.

    Args:
        folder: where everything is.
        given: how much, as the command line says it.
    """

    def __init__(self, folder: Path, given: argparse.Namespace) -> None:
        self.path = folder / "team.duckdb"
        self._folder, self._given = folder, given
        self._ports = {"proxy": free_port(), "otlp-receiver": free_port()}
        self._upstream = Upstream()
        self._upstream.answer = _answer
        (folder / "projects").mkdir()
        (folder / "tools.py").write_text(TOOLS)
        self._ended = Event()
        self.agents = Agents(folder / "projects", given)
        self.traces: set[int] = set()
        self.asked: set[str] = set()
        self.called: set[str] = set()
        self.live: dict[str, subprocess.Popen[bytes]] = {}
        self.commands = {
            "live session": [sys.executable, __file__, "--job", "live", self.path],
            "watch": [*COMMAND, "watch", folder / "projects", "--ledger", self.path],
            "import": [*COMMAND, "import", SAMPLES, "--ledger", self.path],
            "proxy": [*COMMAND, "proxy", "--upstream", self._upstream.address, "--port", str(self._ports["proxy"]), "--ledger", self.path],
            "otlp-receiver": [*COMMAND, "otlp-receiver", "--port", str(self._ports["otlp-receiver"]), "--ledger", self.path],
            "mcp-proxy": [*COMMAND, "mcp-proxy", "--ledger", self.path, "--", sys.executable, folder / "tools.py"],
            "reader": [sys.executable, __file__, "--job", "read", self.path],
        }  # fmt: skip

    def start(self, kind: str) -> None:
        says = self._folder / f"{kind}.out"
        with says.open("ab") as out, (self._folder / f"{kind}.err").open("ab") as err:
            self.live[kind] = subprocess.Popen(
                list(map(str, self.commands[kind])),
                stdin=subprocess.PIPE if kind == "mcp-proxy" else subprocess.DEVNULL,
                stdout=subprocess.PIPE if kind == "mcp-proxy" else out,
                stderr=err,
                start_new_session=True,
            )

    def run(self) -> Counter[str]:
        """Have all at work and kill one after the other; return how often each was killed."""
        dice, killed = random.Random(self._given.seed), Counter[str]()
        workers = [Thread(target=each, daemon=True) for each in (self._export, self._ask, self._call)]
        for kind in self.commands:
            self.start(kind)
        for worker in (self.agents, *workers):
            worker.start()
        while not self._are_at_work():
            time.sleep(1)  # a busy machine takes its time to start them
        stops_at = time.monotonic() + self._given.seconds
        turns: list[str] = []
        while time.monotonic() < stops_at:
            time.sleep(self._given.every)
            turns = turns or dice.sample(list(self.commands), len(self.commands))
            victim = turns.pop()
            if self.live[victim].poll() is not None:  # an import that was over is killed at work all the same
                self.start(victim)
                time.sleep(dice.random())
            killed[victim] += self.live[victim].poll() is None
            for kind, process in self.live.items():
                if kind == victim or process.poll() is not None:
                    with suppress(ProcessLookupError):
                        process.kill()
                    process.wait()
                    self.start(kind)
        self.agents.ended.set()
        self._ended.set()
        for worker in (self.agents, *workers):
            worker.join(60)
        for process in self.live.values():
            process.send_signal(signal.SIGINT)
        for kind, process in self.live.items():
            if kind == "mcp-proxy":
                process.stdin.close()
            if kind in ("live session", "reader"):
                process.kill()
            process.wait(300)
        for kind in ("watch", "import", "otlp-receiver"):
            self._finish(kind)
        self._upstream.close()
        return killed

    def _are_at_work(self) -> bool:
        told = (self._folder / "live session.out").read_text()
        return bool(told and self.traces and self.asked and self.called and turns_of(self.path, MODEL))

    def _finish(self, kind: str) -> None:
        """Have what was left of one kind done by another that nobody kills."""
        self.start(kind)
        give_up_at = time.monotonic() + 300
        while (
            kind == "watch"
            and turns_of(self.path, MODEL) < self.agents.turns
            and time.monotonic() < give_up_at
        ):
            time.sleep(1)
        if kind == "otlp-receiver":
            time.sleep(self._given.last)
        if kind != "import":
            self.live[kind].send_signal(signal.SIGINT)
        self.live[kind].wait(600)

    def _export(self) -> None:
        """Send traces until each is answered."""
        url = f"http://127.0.0.1:{self._ports['otlp-receiver']}/v1/traces"
        for trace in count(1):
            while not self._ended.wait(0.5):
                with suppress(httpx.HTTPError):
                    if httpx.post(url, json=batch(*agent(trace)), timeout=20).status_code == httpx.codes.OK:
                        self.traces.add(trace)
                        break
            if self._ended.is_set():
                return

    def _ask(self) -> None:
        """Ask the model, each time something else."""
        url = f"http://127.0.0.1:{self._ports['proxy']}/v1/chat/completions"
        for number in count(1):
            if self._ended.wait(0.4):
                return
            asked = {"model": "gpt-x", "messages": [{"role": "user", "content": f"proxied-{number}"}]}
            with suppress(httpx.HTTPError):
                if httpx.post(url, json=asked, timeout=20).status_code == httpx.codes.OK:
                    self.asked.add(f"proxied-{number}")

    def _call(self) -> None:
        """Call the tool; each new server is greeted first."""
        greeted = None
        for number in count(1):
            if self._ended.wait(0.4):
                return
            process = self.live["mcp-proxy"]
            with suppress(OSError, ValueError):
                if process is not greeted:
                    for method in ("initialize", "tools/list"):
                        _said(
                            process,
                            method,
                            method,
                            {"protocolVersion": "2025-06-18", "clientInfo": {"name": "c", "version": "1"}},
                        )
                    greeted = process
                if _said(
                    process, number, "tools/call", {"name": "add", "arguments": {"a": 1_000_000 + number}}
                ):
                    self.called.add(str(1_000_000 + number))


def _said(process: "subprocess.Popen[bytes]", number: object, method: str, params: object) -> bytes:
    assert process.stdin
    assert process.stdout
    process.stdin.write(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"
    )
    process.stdin.flush()
    return process.stdout.readline()


def _answer(asked: Asked) -> Answer:
    number = asked.json["messages"][-1]["content"].rpartition("-")[2]
    return Answer((json.dumps(bodies.chat(number, f"answered-{number}")).encode(),))


def say(trial: Trial, folder: Path, killed: Counter[str]) -> None:
    """Look at what is there."""
    flushed = {line for line in (folder / "live session.out").read_text().splitlines() if len(line) == 36}
    with al.open_ledger(trial.path, read_only=True) as ledger:

        def one(query: str) -> int:
            return int(ledger.sql(query).fetchall()[0][0])

        found = {turn for (turn,) in ledger.sql("SELECT turn_id::VARCHAR FROM turn_starts").fetchall()}
        doubled = one("SELECT count(*) - count(DISTINCT turn_id) FROM turn_starts")
        doubled += one("SELECT count(*) - count(DISTINCT event_id) FROM events")
        files = one(f"SELECT count(DISTINCT turn_id) FROM turn_starts WHERE model = '{MODEL}'")
        spans = one("SELECT count(DISTINCT turn_id) FROM turn_starts WHERE model = 'm'")
        proxied = {
            text
            for (text,) in ledger.sql(
                "SELECT DISTINCT text FROM turn_starts WHERE model = 'gpt-x'"
            ).fetchall()
        }
        tools = one("SELECT count(*) FROM actions WHERE name = 'add' AND arguments LIKE '%1000%'")
        in_all = one("SELECT count(*) FROM events")
    lost = {
        "live session": len(flushed - found),
        "watch": trial.agents.turns - files,
        "otlp-receiver": 3 * len(trial.traces) - spans,
    }
    print(
        f"{sum(killed.values())} kills: {', '.join(f'{kind} {number}' for kind, number in sorted(killed.items()))}"
    )
    print(
        f"acknowledged: {len(flushed):,} turns of live sessions, {trial.agents.turns:,} in files, {3 * len(trial.traces):,} of {len(trial.traces):,} traces"
    )
    print(f"lost: {lost}; doubled, of {in_all:,} events and all turns: {doubled}")
    missing = sum(
        f"answered-{asked.rpartition('-')[2]}" not in text
        for asked in trial.asked
        for text in [" ".join(proxied)]
    )
    print(
        f"answered before they were recorded: {len(trial.asked):,} responses through the proxy, {missing} gone with a kill; {len(trial.called):,} calls of tools, {len(trial.called) - tools} gone"
    )
    print(f"whole: {verify(trial.path).is_whole}")
    for kind in ("live session", "reader", "watch", "proxy", "otlp-receiver", "mcp-proxy", "import"):
        said = (folder / f"{kind}.err").read_text()
        if "Traceback" in said or "fault of actionledger" in said:
            print(f"{kind} said:\n{said[-3000:]}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--every", type=float, default=4)
    parser.add_argument(
        "--last", type=float, default=40, help="how long the last of each kind is left alone, in seconds"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--turns-a-second", type=float, default=4)
    parser.add_argument("--sessions", type=int, default=3)
    parser.add_argument("--turns-a-session", type=int, default=60)
    parser.add_argument("--job", choices=["live", "read"])
    parser.add_argument("path", nargs="?")
    given = parser.parse_args()
    if given.job:
        (live if given.job == "live" else read)(given.path)
        return
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a script's background ignores it, and so do its children
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        trial = Trial(folder, given)
        al.open_ledger(trial.path).close()
        say(trial, folder, trial.run())


if __name__ == "__main__":
    main()
