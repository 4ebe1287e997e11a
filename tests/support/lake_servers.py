"""A PostgreSQL and an S3 on this machine, for tests of ledgers in a lake: ``python tests/support/lake_servers.py --install``.

PostgreSQL is Debian's, S3 is moto's (``pip install 'actionledger[lake-test]'``). Both listen on the loopback address alone, on
ports that are free, and end with whoever has started them.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from ports import free_port

HOST = "127.0.0.1"
BUCKET = "ledger"
PASSWORD = "only-for-this-test"
_PATIENCE_SECONDS = 60.0


class NotHereError(Exception):
    """A server can't be had, with the reason."""


def install() -> None:
    """Have Debian install PostgreSQL where it is not here."""
    if _programs() is not None:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise NotHereError("PostgreSQL is not here, and only root can have apt-get install it.")
    for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "postgresql"]):
        subprocess.run(["apt-get", *words], check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def postgres() -> Iterator[dict[str, str]]:
    """Run a PostgreSQL of one's own."""
    programs = _programs()
    if programs is None:
        raise NotHereError("PostgreSQL is not here: python tests/support/lake_servers.py --install")
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="actionledger-postgres-"))
    try:
        secret = folder / "password"
        secret.write_text(PASSWORD)
        if user:
            shutil.chown(folder, user)
            shutil.chown(secret, user)
        made = [
            programs / "initdb",
            "-D",
            folder / "data",
            "-A",
            "scram-sha-256",
            "-U",
            "ledger",
            "--pwfile",
            secret,
        ]
        subprocess.run(made, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)
        port = free_port()
        settings = [
            "-c",
            f"listen_addresses={HOST}",
            "-c",
            f"unix_socket_directories={folder}",
            "-c",
            "fsync=off",
        ]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [programs / "postgres", "-D", folder / "data", "-p", str(port), *settings],
                user=user,
                cwd=folder,
                stdout=log,
                stderr=log,
            )
        try:
            _wait_for(port, server)
            environment = {"PGHOST": HOST, "PGPORT": str(port), "PGUSER": "ledger", "PGPASSWORD": PASSWORD}
            _until_it_answers(programs, environment)
            yield environment
        finally:
            server.terminate()
            server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make_database(environment: dict[str, str], name: str) -> None:
    """Make a database in a PostgreSQL that runs."""
    programs = _programs()
    assert programs is not None
    subprocess.run([programs / "createdb", name], check=True, env=os.environ | environment)


@contextlib.contextmanager
def s3() -> Iterator[dict[str, str]]:
    """Run an S3 of one's own, with the bucket ``BUCKET`` in it."""
    program = Path(sys.executable).with_name("moto_server")
    if not program.exists():
        raise NotHereError("moto_server is not here: pip install 'actionledger[lake-test]'")
    port = free_port()
    server = subprocess.Popen(
        [program, "-H", HOST, "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(port, server)
        url = f"http://{HOST}:{port}"
        with urllib.request.urlopen(urllib.request.Request(f"{url}/{BUCKET}", method="PUT")):
            pass
        yield {
            "AWS_ACCESS_KEY_ID": "test-key",
            "AWS_SECRET_ACCESS_KEY": "test-secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": url,
        }
    finally:
        server.terminate()
        server.wait()


def _programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, which Debian puts on nobody's path."""
    found = [path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))]
    if not found and (program := shutil.which("initdb")):
        found = [Path(program).resolve().parent]
    return found[-1] if found else None


def _wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    give_up_at = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < give_up_at and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        time.sleep(0.05)
    raise NotHereError(f"{server.args!r} does not start.")


def _until_it_answers(programs: Path, environment: dict[str, str]) -> None:
    give_up_at = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < give_up_at:
        if (
            subprocess.run(
                [programs / "pg_isready", "-q"], check=False, env=os.environ | environment
            ).returncode
            == 0
        ):
            return
        time.sleep(0.05)
    raise NotHereError("PostgreSQL does not answer.")


if __name__ == "__main__":
    if "--install" in sys.argv[1:]:
        install()
    try:
        with postgres() as database, s3() as storage:
            sys.stdout.write(
                "\n".join(f"{name}={value}" for name, value in (database | storage).items()) + "\n"
            )
            sys.stdout.flush()
            sys.stdin.read()
    except NotHereError as error:
        sys.exit(str(error))
