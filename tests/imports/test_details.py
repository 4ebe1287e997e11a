"""What a session is called and where it ran: said late, in pieces or again, it stands once, as it was said last."""

from dataclasses import replace

import pytest

import actionledger as al
from actionledger.core.recordings import NO_DETAILS
from actionledger.imports.import_run import details_of, title_of
from actionledger.ledger.queries.lineage import children, family
from actionledger.ledger.queries.sessions import sessions
from actionledger.runtime.session.erasure import forget

ASKED = "SELECT title, title_from, project, git_branch FROM sessions"
DETAILS = al.SessionDetails(project="/work/shop", git_branch="main", agent="codex", agent_version="1.2")


def session(
    *turns: al.RecordedTurn, details: al.SessionDetails = DETAILS, **more: object
) -> al.RecordedSession:
    return al.RecordedSession("s", None, "m", "", turns, details=details, **more)


def turn(index: int, prompt: str | None = None) -> al.RecordedTurn:
    return al.RecordedTurn(index, f"answer {index}", prompt=prompt)


def imported(ledger: al.Ledger, *pieces: al.RecordedSession) -> list[tuple[object, ...]]:
    al.import_sessions(ledger, pieces)
    return ledger.sql(ASKED).fetchall()


@pytest.fixture
def ledger(tmp_path):
    with al.open_ledger(tmp_path / "l.duckdb") as opened:
        yield opened


def test_the_first_prompt_is_the_title_where_nobody_gives_one(ledger) -> None:
    assert imported(ledger, session(turn(0, "Mend the\n  till."))) == [
        ("Mend the till.", "prompt", "/work/shop", "main")
    ]


def test_what_is_said_in_a_later_piece_holds(ledger) -> None:
    """But for the folder, which is the one that the session began in."""
    later = al.SessionDetails(
        title="The till", title_from=al.TitleOrigin.AGENT, project="/elsewhere", git_branch="fix"
    )
    pieces = (session(turn(0, "Mend it."), is_last=False), session(turn(1), details=later))
    assert imported(ledger, *pieces) == [("The till", "agent", "/work/shop", "fix")]


def test_a_persons_title_outlives_an_agents() -> None:
    own = al.SessionDetails(title="Mine", title_from=al.TitleOrigin.PERSON)
    agents = al.SessionDetails(title="Its", title_from=al.TitleOrigin.AGENT)
    assert own.then(agents).title == "Mine"
    assert agents.then(own).title == "Mine"
    assert own.then(replace(own, title="Newer")).title == "Newer"


def test_that_a_turn_was_broken_off_is_said_of_the_last_one_alone() -> None:
    broken = al.SessionDetails(aborted="interrupted")
    assert broken.then(NO_DETAILS).aborted == ""
    assert NO_DETAILS.then(broken).aborted == "interrupted"


def test_the_same_again_is_recorded_once_and_another_title_is_added(ledger) -> None:
    """A title that went and came again is the last one again."""
    whole = session(turn(0, "Mend it."))
    named = replace(whole, details=replace(DETAILS, title="The till", title_from=al.TitleOrigin.AGENT))
    for piece in (whole, whole, named, named, whole):
        imported(ledger, piece)
    assert ledger.sql("SELECT title FROM session_details ORDER BY described_at").fetchall() == [
        ("Mend it.",),
        ("The till",),
        ("Mend it.",),
    ]
    assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(1,)]


def test_a_session_that_an_older_toolkit_took_in_is_described_by_the_next_import(ledger) -> None:
    imported(ledger, session(turn(0), details=NO_DETAILS))
    assert imported(ledger, session(turn(0))) == [("", None, "/work/shop", "main")]


def test_a_secret_in_a_title_is_masked(ledger) -> None:
    key = "sk-ant-" + "api03-" + "x7Kq9" * 18
    ((title, *_),) = imported(ledger, session(turn(0, f"Use {key} here.")))
    assert key not in title
    assert title.startswith("Use ")


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("", ""),
        ("  Mend\tit.\n", "Mend it."),
        ("<context>\nA long one.\n</context>\n\nMend it.", "Mend it."),
        ("<context>never closed", "<context>never closed"),
        ("word " * 40, "word " * 15 + "word…"),
    ],
)
def test_the_title_of_a_prompt_is_one_line(prompt: str, title: str) -> None:
    assert title_of(prompt) == title


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({"kind": "math"}, NO_DETAILS),
        (
            {"cwd": "/work/shop", "branch": "main", "version": "1.2", "headCommit": "c0ffee"},
            replace(DETAILS, git_commit="c0ffee", agent="some_agent"),
        ),
        (
            {"cwd": "/work/shop", "gitBranch": "HEAD"},
            al.SessionDetails(project="/work/shop", agent="some_agent"),
        ),
        (
            {"title": "The till", "title_source": "manual"},
            al.SessionDetails(title="The till", title_from=al.TitleOrigin.PERSON, agent="some_agent"),
        ),
        (
            {"title": "The till", "title_source": "auto", "agent": "kilo"},
            al.SessionDetails(title="The till", title_from=al.TitleOrigin.AGENT, agent="kilo"),
        ),
    ],
)
def test_metadata_says_it_where_a_source_has_no_fields_for_it(metadata, found) -> None:
    piece = session(turn(0), details=NO_DETAILS, metadata=metadata, source="some_agent")
    assert details_of(piece) == found


def test_what_is_forgotten_has_no_title_any_more(ledger) -> None:
    """Nor its folder, nor its branch."""
    imported(ledger, session(turn(0, "Mend the till.")))
    [(session_id,)] = ledger.sql("SELECT session_id::VARCHAR FROM sessions").fetchall()
    forget(ledger, [session_id], by="ann")
    assert ledger.sql("SELECT count(*) FROM session_details").fetchall() == [(0,)]


def test_without_texts_a_title_a_folder_and_a_branch_are_blank(ledger, tmp_path) -> None:
    imported(ledger, session(turn(0, "Mend the till.")))
    ledger.flush()
    with al.open_ledger(ledger.path, read_only=True, without_text=True) as blank:
        assert blank.sql(ASKED).fetchall() == [("", "prompt", "", "")]


def test_a_link_that_was_not_known_when_a_session_began_is_added(ledger) -> None:
    """By the next import of the same files, wherever children are asked for; nothing is doubled."""
    parent, child = (
        session(turn(0, "Mend it.")),
        replace(session(turn(0, "Look.")), external_id="c", details=NO_DETAILS),
    )
    imported(ledger, parent, child)
    linked = replace(child, parent="s", relation=al.Relation.SUBAGENT)
    for _ in range(2):
        imported(ledger, parent, linked)
    asked = "SELECT external_id, relation, parent_session_id IS NOT NULL FROM sessions ORDER BY 1"
    assert ledger.sql(asked).fetchall() == [("c", "subagent", True), ("s", None, False)]
    (row,) = ledger.sql("SELECT session_id::VARCHAR FROM sessions WHERE external_id = 's'").fetchall()
    assert [each.external_id for each in children(ledger, row[0])] == ["c"]
    listed = {each.external_id: each.parent_session_id for each in sessions(ledger)}
    assert listed == {"s": None, "c": row[0]}
    assert len(family(ledger, [row[0]])) == 2
    assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(2,)]
