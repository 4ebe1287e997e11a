"""Wherever a session is asked for, by a command or a function, it is found by its id, its name, the beginning of either and its title."""

import inspect
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.cli.commands import COMMANDS, load
from actionledger.core.errors import ActionLedgerError
from actionledger.ledger.queries.names import Called

NAME, OTHER = "wanted-77aa-0001", "wanted-77bb-0002"
TITLE, OTHER_TITLE = "Mend the parser of dates", "Mend the cellar door"
CALL = '```actions\n{"actions": [{"type": "list_tasks"}, {"type": "list_'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of two sessions whose names and titles begin alike."""
    path = tmp_path_factory.mktemp("named") / "named.duckdb"
    person = al.TitleOrigin.PERSON
    with al.open_ledger(path, in_background=False) as ledger:
        al.import_sessions(
            ledger,
            [
                al.RecordedSession(
                    name,
                    "assistant",
                    "m",
                    "",
                    (al.RecordedTurn(0, text),),
                    details=al.SessionDetails(title=title, title_from=person),
                )
                for name, title, text in ((NAME, TITLE, CALL), (OTHER, OTHER_TITLE, "Well."))
            ],
        )
        ledger.ingest()
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(made.parent, tmp_path / "copy")) / made.name


def ids(path: Path) -> dict[str, str]:
    """Return each session's id by its name; those that were forgotten are gone."""
    with al.open_ledger(path, read_only=True) as ledger:
        return dict(
            ledger.sql(
                "SELECT external_id, session_id::VARCHAR FROM sessions WHERE external_id <> ''"
            ).fetchall()
        )


SPELLINGS: dict[str, Callable[[str], str]] = {
    "id": lambda own: own,
    "beginning of the id": lambda own: own[:13].upper(),
    "name": lambda own: NAME,
    "beginning of the name": lambda own: NAME[:12],
    "title": lambda own: TITLE,
    "beginning of the title": lambda own: TITLE[:14],
}

Door = Callable[[Any, Path, str], str]
"""Asks for a session by what it is called, and returns what tells which one was found: its id or its name."""


def written(run: Any, path: Path, called: str, *command: str) -> str:
    """Return which session is in the file that a command writes."""
    file = path.parent / f"out.{'html' if command[1] == 'report' else 'json'}"
    done = run(*command, file, "--session", called, "-l", path)
    assert done.code == 0, done.err
    return file.read_text("utf-8")


def reported(run: Any, path: Path, called: str) -> str:
    """Return which session a report is of: it is headed by its title."""
    return NAME if TITLE in written(run, path, called, "export", "report") else "another"


def said(run: Any, path: Path, *command: str) -> str:
    """Return what a command prints."""
    done = run(*command, "-l", path)
    assert done.code == 0, done.err
    return str(done.out)


def case(run: Any, path: Path, called: str) -> str:
    """Return the case that is written of a turn."""
    return Path(
        said(run, path, "case", "new", f"{called}#0", "--to", str(path.parent)).strip().splitlines()[-1]
    ).read_text("utf-8")


def shrunk(run: Any, path: Path, called: str) -> str:
    """Return what is shrunk: only a response that can be told is."""
    assert "list_" in said(run, path, "shrink", f"{called}#0", "--tries", "20")
    return NAME


def left(run: Any, path: Path, called: str) -> str:
    """Return which session is gone of those that were there."""
    said(run, path, "forget", called, "--yes")
    return gone(path)


def gone(path: Path) -> str:
    there = ids(path)
    return NAME if NAME not in there and OTHER in there else "another"


def reviewed(run: Any, path: Path, called: str) -> str:
    """Return what session a label was given to."""
    said(run, path, "reviews", "add", f"{called}#0", "--label", "odd", "--by", "ann")
    return said(run, path, "reviews", "list")


def forked(run: Any, path: Path, called: str) -> str:
    """Return which session can't be gone on from, since nobody has kept its workspace: that is said of the one that was found."""
    answer = path.parent / "answer.txt"
    answer.write_text("Done.", "utf-8")
    done = run("fork", f"{called}#0", "--response", answer, "--auto", "-l", path)
    assert "can't be forked" in done.err, done.err
    return str(done.err)


def reran(run: Any, path: Path, called: str) -> str:
    """Return which sessions were executed again."""
    done = run("rerun", called, "-l", path, "--json")
    assert done.code in {0, 1}, done.err
    return str(done.out)


def gone_on(run: Any, path: Path, called: str) -> str:
    """Return which session's responses are given to what can't be gone on from."""
    done = run("fork", f"{NAME}#0", "--model", f"recorded:{called}", "-l", path)
    assert "can't be forked" in done.err, done.err
    return NAME


def played(run: Any, path: Path, called: str, *command: str, stdin: str = "") -> str:
    """Return which session's response was given once more."""
    folder = path.parents[1] / "work"
    folder.mkdir()
    words = [str(folder) if each == "FOLDER" else each for each in command]
    done = run(*words, "--model", f"recorded:{called}", "-l", path, stdin=stdin)
    with al.open_ledger(path, read_only=True) as ledger:
        found = ledger.sql("SELECT text FROM turns JOIN sessions USING (session_id) WHERE external_id = ''")
        assert found.fetchall() == [(CALL,)], done.err
    return NAME


COMMAND_DOORS: dict[str, Door] = {
    "show what": lambda run, path, called: said(run, path, "show", f"{called}#0"),
    "export report session": reported,
    "export otlp session": lambda run, path, called: written(run, path, called, "export", "otlp"),
    "export atif session": lambda run, path, called: written(run, path, called, "export", "atif"),
    "case new which": case,
    "shrink which": shrunk,
    "reviews add turn": reviewed,
    "rerun sessions": reran,
    "fork which": forked,
    "fork model": gone_on,
    "run model": lambda run, path, called: played(
        run, path, called, "run", "assistant", "Go on.", "--auto", "-w", "FOLDER"
    ),
    "repl model": lambda run, path, called: played(
        run, path, called, "repl", "-p", "assistant", "-w", "FOLDER", stdin="Go on.\n"
    ),
    "orchestrator run model": lambda run, path, called: played(
        run, path, called, "orchestrator", "run", "FOLDER", "Go on."
    ),
    "forget sessions": left,
}
"""Each parameter that takes a session, by its command."""
NEW = {"mcp-proxy session"}
"""Parameters that name a session which is only made."""


def parameters() -> Iterator[tuple[str, str]]:
    """Yield each parameter of a command whose help or place says that it takes a session, with that."""
    for name in COMMANDS:
        yield from _of(load(name), name)


def _of(command: Any, path: str) -> Iterator[tuple[str, str]]:
    for name, inner in getattr(command, "commands", {}).items():
        yield from _of(inner, f"{path} {name}")
    for each in [] if hasattr(command, "commands") else command.params:
        told = f"{each.metavar or ''} {getattr(each, 'help', '') or ''}"
        if "SESSION" in told or each.name in {"session", "sessions"}:
            yield f"{path} {each.name}", told


def test_each_command_that_takes_a_session_is_asked_here() -> None:
    """A new one without a line in the table is found by its parameter."""
    found = {name for name, _ in parameters()}
    assert "show what" in found
    assert found - NEW == set(COMMAND_DOORS)


def view(ledger: al.Ledger, path: Path, called: Called) -> str:
    """Return what is drawn."""
    return str(al.view(ledger, called).drawn)


def fork(ledger: al.Ledger, path: Path, called: Called) -> str:
    """Return which session can't be gone on from: that is said of the one that was found."""
    with pytest.raises(ActionLedgerError) as told:
        al.fork(ledger, called, turn=0, response="Done.", auto=True)
    if "can't be forked" not in str(told.value):
        raise told.value
    return str(told.value)


def forget(ledger: al.Ledger, path: Path, called: Called) -> str:
    """Return which session is gone."""
    ledger.forget([called])
    found = ledger.sql("SELECT external_id FROM sessions").fetchall()
    return NAME if found == [(OTHER,)] else str(found)


def reviews(ledger: al.Ledger, path: Path, called: Called) -> str:
    """Return of which session something was said."""
    for name in (NAME, OTHER):
        al.review(ledger, name, 0, by="ann", label=name)
    [one] = al.reviews(ledger, session=called)
    return one.session_id


def model(ledger: al.Ledger, path: Path, called: Called) -> str:
    """Return whose responses are given: there is nothing to be found where the name can't be told."""
    return NAME if al.model_from(f"recorded:{called}", ledger=ledger).complete([]).text == CALL else ""


FUNCTION_DOORS: dict[str, Callable[[al.Ledger, Path, str], str]] = {
    "explain turn": lambda ledger, path, called: str(al.explain(ledger, f"{called}#0")),
    "view session": view,
    "review session": lambda ledger, path, called: (
        al.review(ledger, called, 0, by="ann", label="odd").session_id
    ),
    "reviews session": reviews,
    "steps session_id": lambda ledger, path, called: al.steps(ledger, called).session_id,
    "fork session_id": fork,
    "rerun sessions": lambda ledger, path, called: al.rerun(ledger, called).sessions[0].session_id,
    "Ledger.forget sessions": forget,
    "model_from spec": model,
}
NEW_SESSIONS = {
    "converse session",
    "record session",
    "recorded_call session",
    "Ledger.record_turn session",
    "import_sessions sessions",
    "frame_sessions sessions",
}
"""Parameters that name a session to write to, or are sessions themselves."""


def functions() -> Iterator[str]:
    """Yield each parameter of a public function or method that is called as a session is."""
    for name in al.__all__:
        value = getattr(al, name)
        if inspect.isclass(value):
            for inner, method in vars(value).items():
                if not inner.startswith("_") and inspect.isfunction(method):
                    yield from _named(f"{name}.{inner}", method)
        elif inspect.isfunction(value):
            yield from _named(name, value)


def _named(name: str, function: Callable[..., Any]) -> Iterator[str]:
    for each in inspect.signature(function).parameters:
        if each in {"session", "session_id", "sessions", "session_ids"}:
            yield f"{name} {each}"


def test_each_function_that_takes_a_session_is_asked_here() -> None:
    """As with commands; what takes it within a text has no such parameter, and a line all the same."""
    assert set(functions()) - NEW_SESSIONS <= set(FUNCTION_DOORS)


def is_found(told: str, own: str) -> bool:
    """Return whether a text tells of the wanted session, and not of the other."""
    return (own in told or NAME in told) and OTHER not in told


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("door", COMMAND_DOORS)
def test_a_command_finds_it(door: str, spelling: str, path: Path, run: Any) -> None:
    own = ids(path)[NAME]
    assert is_found(COMMAND_DOORS[door](run, path, SPELLINGS[spelling](own)), own)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("door", FUNCTION_DOORS)
def test_a_function_finds_it(door: str, spelling: str, path: Path) -> None:
    own = ids(path)[NAME]
    with al.open_ledger(path, in_background=False) as ledger:
        assert is_found(FUNCTION_DOORS[door](ledger, path, SPELLINGS[spelling](own)), own)


@pytest.mark.parametrize("door", FUNCTION_DOORS)
def test_what_fits_two_lists_them(door: str, path: Path) -> None:
    with (
        al.open_ledger(path, in_background=False) as ledger,
        pytest.raises(ActionLedgerError, match="2 sessions are called 'wanted-77'") as told,
    ):
        FUNCTION_DOORS[door](ledger, path, "wanted-77")
    assert TITLE in str(told.value)
    assert OTHER_TITLE in str(told.value)


@pytest.mark.parametrize("door", COMMAND_DOORS)
def test_a_command_lists_what_fits_two(door: str, path: Path, run: Any) -> None:
    """On one line, and with the exit code of a wrong use."""
    heard: list[Any] = []

    def listening(*arguments: object, **given: Any) -> Any:
        heard.append(run(*arguments, **given))
        return heard[-1]

    with pytest.raises(AssertionError):
        COMMAND_DOORS[door](listening, path, "wanted-77")
    assert heard[0].code == 2
    assert "2 sessions are called 'wanted-77'" in heard[0].err
    assert OTHER_TITLE in heard[0].err
