"""What a session's workspace held is kept: for its owner only, within limits, and whatever the workspace holds."""

import os
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.events import Event
from actionledger.runtime.session.states import capture
from actionledger.runtime.session.states.capture import CapturedState, Lens, Restorer
from actionledger.runtime.session.states.lines import RecordedStates, read_states, remove_old
from actionledger.runtime.session.states.objects import Objects
from actionledger.runtime.session.states.settings import STANDARD
from actionledger.runtime.session.states.stores import rows_of
from actionledger.runtime.workspace.nodes import Node, NodeKind, digest_of

_FILES = "<create_file><path>{}</path><content>{}</content></create_file>"


@pytest.fixture
def ledger(tmp_path: Path):
    with al.open_ledger(tmp_path / "team.duckdb", in_background=False) as opened:
        yield opened


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def _kept(ledger: al.Ledger, session_id: str) -> RecordedStates:
    kept = read_states(ledger.manifests, session_id)
    assert kept is not None
    return kept


def test_each_action_is_followed_by_what_it_changed(ledger: al.Ledger, work: Path) -> None:
    (work / "old.txt").write_text("before")
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
        runtime.handle(_FILES.format("a/b.txt", "one") + _FILES.format("c.txt", "two"))
        session_id = runtime.session_id
    kept = _kept(ledger, session_id)
    assert kept.first is not None
    assert set(kept.first.nodes) == {"old.txt"}
    effects = [
        (line.actions, [one.path for one in line.as_changes])
        for line in kept.lines
        if hasattr(line, "actions")
    ]
    assert effects == [((0,), ["a", "a/b.txt"]), ((1,), ["c.txt"])]
    assert kept.last is not None
    assert kept.objects.get(kept.last.nodes["a/b.txt"].digest) == b"one"


def test_all_that_came_before_an_action_is_written_when_it_begins(ledger: al.Ledger, work: Path) -> None:
    """Whatever becomes of this process meanwhile; and all of a turn when it is over."""
    written: list[tuple[str, list[str]]] = []

    def look(event: Event) -> None:
        if event.kind in {"execution_started", "turn_finished"}:
            lines = _kept(ledger, runtime.session_id).lines
            written.append((event.kind, [type(line).__name__ for line in lines]))

    text = _FILES.format("a.txt", "one") + _FILES.format("b.txt", "two")
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True, listen=look) as runtime:
        runtime.handle(text)
        runtime.handle("Nothing to do.")
    turn = ["TurnBegun", "Effects", "Effects", "TurnEnded"]
    assert written == [
        ("execution_started", turn[:1]),
        ("execution_started", turn[:2]),
        ("turn_finished", turn),
        ("turn_finished", [*turn, "TurnBegun", "TurnEnded"]),
    ]


def test_a_store_counts_by_what_it_holds_and_not_by_its_log(tmp_path: Path, work: Path) -> None:
    """A log may hold the same page many times."""
    with closing(sqlite3.connect(work / "of 50%?.db")) as store:
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("CREATE TABLE t (a)")
        for number in range(40):
            store.execute("INSERT INTO t VALUES (?)", (number,))
            store.commit()
        assert sum(path.stat().st_size for path in work.iterdir()) > 100_000
        for most, stores in ((100_000, {"of 50%?.db"}), (5_000, set())):
            settings = replace(STANDARD, file_bytes=most)
            seen = Lens(work, objects := Objects(tmp_path / f"{most}", 10**6), settings).look()
            image = objects.get(seen.nodes["of 50%?.db"].digest)
            assert {path for path in seen.stores if seen.nodes[path].digest} == stores
            assert len((rows_of(image or b"") or {}).get("t", ())) == (40 if stores else 0)


def test_a_store_is_kept_by_its_rows_while_it_is_open(ledger: al.Ledger, work: Path) -> None:
    with al.Runtime("assistant", ledger=ledger, workspace=work) as runtime:
        runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
        session_id = runtime.session_id
    last = _kept(ledger, session_id).last
    assert last is not None
    assert last.stores == {"assistant.sqlite"}
    image = _kept(ledger, session_id).objects.get(last.nodes["assistant.sqlite"].digest)
    rows = rows_of(image or b"")
    assert rows is not None
    assert [row[1] for row in rows["tasks"]] == ["Call Ada"]


def test_what_is_kept_is_for_its_owner_alone(ledger: al.Ledger, work: Path) -> None:
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
        runtime.handle(_FILES.format("a.txt", "one"))
    paths = [ledger.manifests, *ledger.manifests.rglob("*")]
    assert len(paths) > 5
    assert {path.lstat().st_mode & 0o777 for path in paths if path.is_dir()} == {0o700}
    assert {path.lstat().st_mode & 0o777 for path in paths if path.is_file()} == {0o600}


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_one_setting_switches_it_off(
    ledger: al.Ledger, work: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "environment":
        monkeypatch.setenv("ACTIONLEDGER_MANIFEST", "off")
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True, manifest=how != "argument") as runtime:
        turn = runtime.handle(_FILES.format("a.txt", "one"))
    assert str(turn.observations[0].status) == "succeeded"
    assert not ledger.manifests.exists()


def test_what_is_too_large_or_no_file_is_left_out_and_named(ledger: al.Ledger, work: Path) -> None:
    os.mkfifo(work / "pipe")
    (work / "large").write_bytes(b"x" * 2000)
    (work / "link").symlink_to("/etc/passwd")
    (work / "small").write_text("y")
    settings = al.ManifestSettings(file_bytes=1000)
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True, manifest=settings) as runtime:
        runtime.handle("Nothing to do.")
        session_id = runtime.session_id
    first = _kept(ledger, session_id).first
    assert first is not None
    assert {(each.path, each.reason) for each in first.left_out} == {
        ("pipe", "no_file"),
        ("large", "too_large"),
    }
    assert first.nodes["link"] == Node(NodeKind.LINK, target="/etc/passwd")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_is_left_out_and_named(ledger: al.Ledger, work: Path) -> None:
    (work / "closed").write_text("z")
    (work / "closed").chmod(0)
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        runtime.handle("Nothing to do.")
        session_id = runtime.session_id
    first = _kept(ledger, session_id).first
    assert first is not None
    assert [(each.path, each.reason) for each in first.left_out] == [("closed", "unreadable")]


def test_a_hostile_state_stays_in_its_folder(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects", 10_000)
    content = b"evil"
    objects.keep(content, digest_of(content))
    evil = Node(NodeKind.FILE, 0o4777, 4, digest_of(content))
    outside = tmp_path / "outside"
    outside.mkdir()
    nodes = {
        "../outside/a": evil,
        "/etc/a": evil,
        "x/../../outside/b": evil,
        "link": Node(NodeKind.LINK, target=str(outside)),
        "link/c": evil,
        "gone": Node(NodeKind.FILE, 0o644, 3, "0" * 64),
        "odd": Node(NodeKind.FILE, 0o644, 3, "../../etc/passwd"),
        "good": evil,
    }
    root = tmp_path / "root"
    root.mkdir()
    left = Restorer(root, objects).restore(CapturedState(nodes))
    assert list(outside.iterdir()) == []
    assert {each.path for each in left} == set(nodes) - {"good", "link"}
    assert (root / "good").read_bytes() == content
    assert (root / "good").stat().st_mode & 0o7777 == 0o777


def test_an_unchanged_workspace_is_not_read_again(tmp_path: Path, work: Path) -> None:
    for number in range(20):
        path = work / f"{number}.txt"
        path.write_text(str(number))
        os.utime(path, ns=(1, 1))
    time.sleep(0.15)  # until the files' times tell that they are settled
    objects = Objects(tmp_path / "objects", 10_000)
    lens = Lens(work, objects, STANDARD)
    before = lens.look()
    kept: list[str] = []
    objects.keep = lambda _content, digest, /: kept.append(digest)  # type: ignore[method-assign]
    (work / "3.txt").write_text("other")
    after = lens.look()
    assert [one.path for one in before.changes_to(after)] == ["3.txt"]
    assert kept == [digest_of(b"other")]


def test_what_is_over_its_time_is_removed_and_the_rest_stays(ledger: al.Ledger, work: Path) -> None:
    sessions = []
    for text in ("old", "new"):
        with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
            runtime.handle(_FILES.format(f"{text}.txt", text))
            sessions.append(runtime.session_id)
        (work / "old.txt").unlink(missing_ok=True)
    long_ago = time.time() - 40 * 24 * 3600
    os.utime(ledger.manifests / f"{sessions[0]}.jsonl", (long_ago, long_ago))
    for path in ledger.manifests.rglob("objects/*/*"):
        os.utime(path, (long_ago, long_ago))
    (ledger.manifests / "pruned").unlink()
    assert remove_old(ledger.manifests, 30) == 1
    assert read_states(ledger.manifests, sessions[0]) is None
    last = _kept(ledger, sessions[1]).last
    assert last is not None
    objects = Objects(ledger.manifests / "objects", 10_000)
    assert objects.get(last.nodes["new.txt"].digest) == b"new"
    assert objects.get(digest_of(b"old")) is None


def test_a_session_goes_on_where_nothing_can_be_kept(ledger: al.Ledger, work: Path) -> None:
    ledger.manifests.write_text("no folder")
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
        turn = runtime.handle(_FILES.format("a.txt", "one"))
    assert str(turn.observations[0].status) == "succeeded"


def test_a_store_that_nobody_has_written_to_is_not_copied_again(
    ledger: al.Ledger, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a superuser's SQLite touches its log whenever it is opened: a turn copied it twice."""
    copied: list[Path] = []
    usual = capture.image_of

    def counting(path: Path, most_bytes: int, **about: Any) -> bytes | None:
        copied.append(path)
        return usual(path, most_bytes, **about)

    monkeypatch.setattr(capture, "image_of", counting)
    with al.Runtime("assistant", ledger=ledger, workspace=work) as runtime:
        runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
        assert copied
        copied.clear()
        for _ in range(3):
            for log in work.rglob("*-wal"):
                log.chmod(log.stat().st_mode & 0o777)
            runtime.handle("Nothing to do.")
    assert not copied
