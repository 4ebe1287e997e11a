"""aider's histories: sessions, what the model wrote, and what came of its edits by aider's own lines."""

import gzip
import re

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports import import_sessions
from actionledger.imports.formats.aider import SOURCE, read
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged

START = "\n# aider chat started at 2024-08-13 07:02:48\n\n> Models: sonnet with diff edit format, weak model haiku  \n"
BLOCK = "a.py\n```python\n<<<<<<< SEARCH\nold {0}\n=======\nnew {0}\n>>>>>>> REPLACE\n```\n"
TOOK = "> Tokens: 14,165 sent, 1.2k cache hit, 207 received. Cost: $0.05 message, $0.25 session.  \n"


@pytest.fixture
def history(tmp_path):
    """Writes a history and returns its path."""

    def of(text):
        path = tmp_path / ".aider.chat.history.md"
        path.write_text(text)
        assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("aider", 1)]
        return path

    return of


def sessions(path):
    return [item for item in read(path) if isinstance(item, RecordedSession)]


def turns(path):
    return [turn for session in sessions(path) for turn in session.turns]


def quoted(text):
    return "".join(f"> {line}  \n" for line in text.splitlines())


def test_a_message_is_a_turn_with_its_edits_in_it(history):
    """What the person wrote before is its prompt, tokens are of the line behind it."""
    path = history(
        f"{START}\n#### make it new  \n#### please  \n\nHere:\n\n{BLOCK}\n{TOOK}> Applied edit to a.py  \n"
    )
    (session,) = sessions(path)
    (turn,) = session.turns
    assert (str(session.started_at), session.model) == ("2024-08-13 07:02:48", "sonnet")
    assert (turn.prompt, turn.text, turn.capture) == (
        "make it new\nplease",
        f"Here:\n\n{BLOCK}".rstrip("\n"),
        Capture.TEXT,
    )
    usage = turn.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cost_usd) == (
        14165,
        207,
        1200,
        0.05,
    )
    assert [each.is_error for each in turn.results] == [False]


def test_headings_and_quotations_of_the_model_are_its_own(history):
    """Lines of aider's and the person's end in two spaces."""
    text = "#### A heading\n\n> A quotation\n\nand more"
    (turn,) = turns(history(f"{START}\n#### go  \n\n{text}\n\n{TOOK}"))
    assert turn.text == text


def test_tokens_stood_in_front_of_the_message_once(history):
    """Before 0.45."""
    before = "> 33924 prompt tokens, 91 completion tokens, $0.170985 cost  \n"
    (turn,) = turns(history(f"{START}\n#### go  \n{before}\nHi\n\n"))
    assert (turn.usage.input_tokens, turn.usage.output_tokens, turn.usage.cost_usd) == (33924, 91, 0.170985)


def test_words_of_aider_with_several_lines_are_not_the_model_s(history):
    """As 0.86.2 writes them: the sign is before their first line alone, and the two spaces are behind their last."""
    edit = BLOCK.format(2).split("```python")[1].strip().removesuffix("```").strip()
    failed = (
        "> The LLM did not conform to the edit format.  \n> # 1 SEARCH/REPLACE block failed to match!\n\n"
        f"## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py\n{edit}\n\n"
        "The SEARCH section must exactly match an existing block of lines, docstrings, etc  \n"
    )
    [session] = sessions(
        history(
            f"{START}\n> Aider v0.86.2  \n#### go  \n\n{BLOCK.format(2)}\n{TOOK}{failed}\n> A quotation.\n\nSorry.\n\n{TOOK}"
        )
    )
    first, second = session.turns
    assert second.text == "> A quotation.\n\nSorry."
    assert [judged(each, SOURCE.wordings).reason for each in first.results] == [Reason.NO_MATCH]
    assert first.feedback is not None
    assert first.feedback.endswith("docstrings, etc")
    assert (session.details.agent, session.details.agent_version) == ("aider", "0.86.2")


def test_words_of_aider_that_never_end_end_with_the_person_s(history):
    """And those of the model that follow are the model's."""
    text = f"{START}\n#### go  \n\nHi\n\n{TOOK}> # 1 SEARCH/REPLACE block failed to match!\nand so on\n#### on  \n\nYes\n\n{TOOK}"
    assert [turn.text for turn in turns(history(text))] == ["Hi", "Yes"]


def test_an_edit_that_did_not_match_has_failed_and_the_others_have_not(history):
    """aider repeats the one that failed; the model is told of it."""
    failed = quoted(
        "The LLM did not conform to the edit format.\n# 1 SEARCH/REPLACE block failed to match!\n## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py\n"
        f"{BLOCK.format(2).split('```python')[1].strip().removesuffix('```')}\n# The other 1 SEARCH/REPLACE block were applied successfully."
    )
    first, second = turns(
        history(
            f"{START}\n#### go  \n\n{BLOCK.format(1)}\n{BLOCK.format(2)}\n{TOOK}{failed}\nSorry.\n\n{TOOK}"
        )
    )
    assert [judged(each, SOURCE.wordings).reason for each in first.results] == [None, Reason.NO_MATCH]
    assert first.feedback is not None
    assert "failed to exactly match" in first.feedback
    assert (second.text, second.prompt) == ("Sorry.", None)


def test_a_message_whose_edits_could_not_be_read_has_failed(history):
    """None of them was tried."""
    (turn,) = turns(
        history(
            f"{START}\n#### go  \n\n{BLOCK}\n{TOOK}{quoted('The LLM did not conform to the edit format.')}"
        )
    )
    assert [judged(each, SOURCE.wordings).reason for each in turn.results] == [Reason.SCHEMA_ERROR]


def test_an_edit_of_which_nothing_is_said_has_no_result(history):
    """It was interrupted, or the person said no."""
    (turn,) = turns(history(f"{START}\n#### go  \n\n{BLOCK}\n> ^C KeyboardInterrupt  \n"))
    assert turn.results == ()


def test_commands_are_no_words_to_the_model(history):
    """Except those that ask it; a session without a message is counted."""
    path = history(f"{START}\n#### /add a.py  \n{START}\n#### /ask why?  \n\nSo.\n\n{TOOK}\n#### /undo  \n")
    items = list(read(path))
    (turn,) = turns(path)
    assert (turn.prompt, turn.feedback) == ("why?", None)
    assert {(item.reason, item.detail): item.count for item in items if isinstance(item, LeftOut)} == {
        (LeftOutReason.BOOKKEEPING, "command"): 2,
        (LeftOutReason.EMPTY, "session"): 1,
    }


def test_a_history_that_grows_adds_only_what_is_new(history, tmp_path, ledger):
    """Two sessions of one second are two; what stands before the first heading is one of its own."""
    whole = f"begun before\n\n{TOOK}{START}\n#### go  \n\n{BLOCK}\n{TOOK}> Applied edit to a.py  \n{START}\n#### go  \n\nHi\n\n{TOOK}"
    for end in (*range(40, len(whole), 60), len(whole), len(whole)):
        path = tmp_path / ".aider.chat.history.md"
        path.write_text(whole[:end])
        import_sessions(ledger, read(path), source=SOURCE.name, origin=path)
    assert ledger.sql("SELECT count(*) FROM sessions").fetchall() == [(3,)]
    assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(3,)]


def test_what_stands_before_a_heading_is_a_session_and_a_readme_is_none(history, tmp_path):
    """A history that was cut has a line of aider's further on; other Markdown has none."""
    cut = history(f"and so it ends.\n{START.splitlines()[1]}\n\nHi\n")
    assert [turn.text for turn in turns(cut)] == ["and so it ends.", "Hi"]
    readme = tmp_path / "README.md"
    readme.write_text("# What this is\n\n> A quotation.\n\n#### A heading\n\nWords.\n")
    assert list(read(readme)) == [LeftOut(str(readme), LeftOutReason.UNKNOWN_FORMAT, "text")]


def test_edits_are_read_and_have_their_results(history, ledger):
    """In a ledger each is an action with what came of it."""
    path = history(
        f"{START}\n#### go  \n\n{BLOCK.format(1)}\n{BLOCK.format(2)}\n{TOOK}> Applied edit to a.py  \n"
    )
    import_sessions(ledger, read(path), source=SOURCE.name, origin=path)
    assert (
        ledger.sql("SELECT name, status FROM executions").fetchall() == [("search_replace", "succeeded")] * 2
    )


@pytest.mark.corpus
def test_histories_of_others_are_read_whole(corpus, counted):
    """Each message is followed, or in older files preceded, by one line of its tokens."""
    (path,) = corpus("agents/aider/*.md")
    text = path.read_text()
    found = counted(SOURCE.name, path)
    assert found["turns"] == len(re.findall("^> Tokens: ", text, re.MULTILINE))
    assert found["sessions"] + found["empty"] == text.count("# aider chat started at")
    older = corpus("aider-swe-bench/*_*.md.gz")
    texts = [gzip.decompress(path.read_bytes()).decode() for path in older]
    told = [
        int(each)
        for text in texts
        for each in re.findall(r"^> \d+ prompt tokens, (\d+) comp", text, re.MULTILINE)
    ]
    found = counted(SOURCE.name, *older)
    assert (found["turns"], found["tokens"]) == (len(told), sum(told))
