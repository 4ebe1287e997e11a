"""What the search for loops has found is kept: the same is said as by a search anew, and only what has changed is looked through."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.followed import followed
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.replay import loop_search
from actionledger.replay.loops import KeptLoops
from actionledger.runtime.repetition.limits import NO_REPETITION, RepetitionLimits

LOOK = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
AGENTS = Path(__file__).parents[2] / "data" / "agents"


def play(ledger: Ledger, turns: int, model: str = "m") -> str:
    """Have a session look at the same again and again, and return its id."""
    with al.Runtime("assistant", ledger=ledger, model=model) as runtime:
        handled = [runtime.handle(LOOK) for _ in range(turns)]
    return handled[0].session_id


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger with two sessions in circles, and one that is in none."""
    with open_ledger(tmp_path / "team.duckdb", in_background=False) as opened:
        for turns in (4, 5, 1):
            play(opened, turns)
        yield opened


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """Which sessions each search has looked through."""
    looked: list[set[str]] = []
    search = loop_search.search

    def noting(ledger, sessions, within, limits):
        looked.append(set(sessions))
        return search(ledger, sessions, within, limits)

    monkeypatch.setattr(loop_search, "search", noting)
    return looked


def file_of(ledger: Ledger) -> Path:
    return LedgerFiles.at(ledger.path).loops


def anew(ledger: Ledger, within: Filter | None = None) -> al.LoopReport:
    """Return what is found where nothing is kept, and leave what is."""
    kept = file_of(ledger)
    aside = kept.with_name("aside.json")
    if kept.exists():
        kept.rename(aside)
    report = al.loops(ledger, within or Filter(), keep=False)
    if aside.exists():
        aside.rename(kept)
    return report


def test_what_was_found_is_not_looked_for_again(ledger, searched):
    """Neither here nor by whoever opens the ledger next; and it is the same."""
    first = al.loops(ledger)
    assert [len(each) for each in searched] == [3]
    assert al.loops(ledger) == first
    ledger.ingest()
    with open_ledger(ledger.path, read_only=True) as again:
        assert al.loops(again) == first
    assert len(searched) == 1
    assert len({loop.session_id for loop in first.loops}) == 2


def test_only_a_session_that_has_changed_is_looked_through(ledger, searched):
    """A turn more of one, and a session more."""
    al.loops(ledger)
    new = play(ledger, 6)
    report = al.loops(ledger)
    assert searched[1:] == [{new}]
    assert report == anew(ledger)
    assert new in {loop.session_id for loop in report.loops}
    again = json.loads(file_of(ledger).read_bytes())["sessions"]
    assert len(again) == 4


def test_who_may_write_nothing_keeps_nothing(ledger):
    ledger.ingest()
    with open_ledger(ledger.path, read_only=True) as reading:
        al.loops(reading)
        assert not file_of(ledger).exists()
        al.loops(reading, keep=True)
    assert file_of(ledger).stat().st_mode & 0o777 == 0o600


def test_a_published_file_alone_gets_no_folder(ledger, tmp_path):
    """Of which whoever opens it for writing would take the rest for what is lost."""
    ledger.ingest()
    alone = tmp_path / "alone" / "team.duckdb"
    alone.parent.mkdir()
    shutil.copyfile(ledger.path, alone)
    with open_ledger(alone, read_only=True) as reading:
        assert al.loops(reading, keep=True) == anew(ledger)
    assert [each.name for each in alone.parent.iterdir()] == ["team.duckdb"]


def test_what_a_filter_leaves_is_not_taken_for_all(ledger, searched):
    """Of a session that went on with another model, the turns of one are another session's; of a whole one they are all."""
    session_id = play(ledger, 4, "small")
    al.loops(ledger)
    within = Filter(models=("small",))
    report = al.loops(ledger, within)
    assert {loop.session_id for loop in report.loops} == {session_id}
    assert len(searched) == 1
    [(half,)] = ledger.sql(
        "SELECT occurred_at FROM turns WHERE session_id = ?::UUID ORDER BY turn_index LIMIT 1 OFFSET 2",
        [session_id],
    ).fetchall()
    since = Filter(since=half)
    before = file_of(ledger).read_bytes()
    assert al.loops(ledger, since) == anew(ledger, since)
    assert searched[1] == {session_id}
    assert file_of(ledger).read_bytes() == before


def test_other_limits_are_another_search(ledger):
    al.loops(ledger)
    before = file_of(ledger).read_bytes()
    assert al.loops(ledger, limits=NO_REPETITION).loops == ()
    assert file_of(ledger).read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"search": 1}', b"\xff", b'{"search": "%b", "sessions": {"%b": [1, 2]}}', None],
)
def test_a_file_that_somebody_has_changed_is_made_anew(ledger, content):
    """Nothing of it is believed that this search has not written."""
    report = al.loops(ledger)
    kept = json.loads(file_of(ledger).read_bytes())
    if content is None:
        kept["sessions"] = {name: [stamp, [[1]]] for name, (stamp, _) in kept["sessions"].items()}
        content = json.dumps(kept).encode()
    elif b"%b" in content:
        content = content % (kept["search"].encode(), next(iter(kept["sessions"])).encode())
    file_of(ledger).write_bytes(content)
    assert al.loops(ledger) == report
    assert al.loops(ledger) == report


def test_another_search_looks_through_all(ledger, searched, monkeypatch):
    """What an older one has found may be found otherwise."""
    al.loops(ledger)
    monkeypatch.setattr("actionledger.replay.loops._search_version", lambda: "another")
    al.loops(ledger)
    assert [len(each) for each in searched] == [3, 3]


def test_nothing_is_left_of_what_is_forgotten(ledger):
    """Not in the file either, nor where somebody writes it who has looked before."""
    report = al.loops(ledger)
    gone = report.loops[0].session_id
    kept, sessions = KeptLoops(ledger), [each for each in followed(ledger) if each.session_id]
    found = loop_search.search(ledger, [each.session_id for each in sessions], Filter(), RepetitionLimits())
    ledger.forget([gone])
    assert not file_of(ledger).exists()
    kept.keep(sessions, found)
    assert not file_of(ledger).exists()
    after = al.loops(ledger)
    assert gone not in {loop.session_id for loop in after.loops}
    assert gone not in file_of(ledger).read_text(encoding="utf-8")
    assert after == anew(ledger)


def test_texts_that_are_blank_are_not_what_was_looked_through(ledger):
    """A ledger without its texts has other loops, or none."""
    al.loops(ledger)
    before = file_of(ledger).read_bytes()
    ledger.ingest()
    with open_ledger(ledger.path, read_only=True, without_text=True) as blank:
        assert al.loops(blank, keep=True) == anew(blank)
    assert file_of(ledger).read_bytes() == before


def test_what_agents_recorded_is_kept_as_it_is_found(tmp_path):
    """After each piece of growing files, some of whose responses a later piece has more of, and after an import of the same."""
    growing = tmp_path / "growing"
    with open_ledger(tmp_path / "team.duckdb", in_background=False) as opened:
        for share in (3, 2, 1, 1):
            for source in sorted(AGENTS.rglob("*.jsonl")):
                lines = source.read_bytes().splitlines(keepends=True)
                target = growing / source.relative_to(AGENTS)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(b"".join(lines[: -(-len(lines) // share)]))
            al.import_path(growing, opened)
            report = al.loops(opened)
            assert report == anew(opened)
        assert report.sessions > 0
        assert opened.sql("SELECT count(*) FROM superseded").fetchone() > (0,)
