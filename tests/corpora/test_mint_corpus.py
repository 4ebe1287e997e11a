"""MINT's recordings: what its harness counted is what its rules read, and parse success counted once more."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from corpus_files import CORPORA

import actionledger as al
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Outcome
from actionledger.imports import Importer
from actionledger.imports.formats import mint as mint_format
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.recorded import known
from actionledger.reading.parsers import parser_named

pytestmark = [pytest.mark.corpus, pytest.mark.soak]

COUNTED = {"solution": "propose_solution", "execute": "use_tool"}
MODELS = (
    "CodeActAgent-Mistral-7b-v0.1",
    "CodeLlama-70b-Instruct-hf",
    "MAmmoTH-7B-Mistral",
    "Meta-Llama-3-70B-Instruct",
    "Mistral-7B-Instruct-v0.2",
    "OpenCodeInterpreter-DS-6.7B",
    "agentlm-7b-llama-2",
    "chat-bison-001",
    "claude-2",
    "gpt-3.5-turbo-0613",
    "gpt-4-0613",
    "zephyr-7b-beta",
)
SESSIONS = 586
"""How many sessions each model has."""

WITH_FENCES = "OpenCodeInterpreter-DS-6.7B"
"""The one model that was run under another version of the harness, which took fenced Python for code, too."""

WITH_EMPTY_RESPONSES = "CodeActAgent-Mistral-7b-v0.1"


def sessions_of(folder: Path) -> list[RecordedSession]:
    found = [item for file in sorted(folder.rglob("results.jsonl*")) for item in mint_format.read(file)]
    assert [item for item in found if not isinstance(item, RecordedSession)] == []
    return found


def reproduced(folder: Path, parser_name: str) -> int:
    """Return in how many sessions a parser counts just what the harness counted."""
    parser = parser_named(parser_name)

    def counted(session: RecordedSession) -> Counter[str]:
        readings = (parser.read(turn.text).actions for turn in session.turns)
        return Counter(COUNTED[actions[0].name] if actions else "invalid_action" for actions in readings)

    return sum(counted(session) == +Counter(session.metadata["counts"]) for session in sessions_of(folder))


def test_the_models_are_those_that_were_counted(mint):
    """Another corpus would need other numbers."""
    assert tuple(sorted(path.name for path in mint.iterdir() if path.is_dir())) == MODELS


@pytest.mark.parametrize("model", MODELS)
def test_the_harness_counts_are_reproduced(mint, model):
    """In every session of every model, 6,573 of 7,032 in all; but for the one that was run under another version."""
    expected = 127 if model == WITH_FENCES else SESSIONS
    assert len(sessions_of(mint / model)) == SESSIONS
    assert reproduced(mint / model, "mint-harness") == expected


def test_the_other_version_is_reproduced_by_its_own_rules(mint):
    """With fenced Python taken for code, every session of that model is counted as its harness did."""
    assert reproduced(mint / WITH_FENCES, "mint-harness-fences") == SESSIONS


def test_one_model_is_taken_in(mint, tmp_path):
    """Every session, every response and every outcome is in the ledger, and a second import finds nothing new."""
    items = sessions_of(mint / WITH_EMPTY_RESPONSES)
    turns = sum(len(session.turns) for session in items)
    empty = sum(not turn.text for session in items for turn in session.turns)
    with open_ledger(tmp_path / "mint.duckdb") as ledger:
        reports = []
        for _ in range(2):
            importer = Importer(ledger.record, source="mint", origin="", known=known(ledger, "mint"))
            for item in items:
                importer.take(item)
            reports.append(importer.finish())
        assert [(report.sessions, report.turns, report.known) for report in reports] == [
            (SESSIONS, turns, 0),
            (0, 0, turns),
        ]
        counts = "SELECT count(*), count(DISTINCT external_id), count(success) FROM sessions"
        assert ledger.sql(counts).fetchall() == [(SESSIONS, SESSIONS, SESSIONS)]
        assert ledger.sql("SELECT count(*), count(*) FILTER (text = '') FROM turns").fetchall() == [
            (turns, empty)
        ]
        attempts = "SELECT count(*), count(DISTINCT turn_id) FROM parse_attempts"
        assert ledger.sql(attempts).fetchall() == [(turns, turns)]
        of_empty = (
            "SELECT a.outcome, a.reason, count(*) FROM parse_attempts a JOIN turns USING (turn_id) "
            "WHERE text = '' GROUP BY ALL"
        )
        assert empty == 4
        assert ledger.sql(of_empty).fetchall() == [("failed", "no_action_found", empty)]


def test_sessions_without_any_response_are_sessions(mint):
    """Two of one model's sessions ended before the model answered."""
    assert [len(session.turns) for session in sessions_of(mint / "chat-bison-001")].count(0) == 2


OPENING = re.compile(r"<(?:execute|solution)>")
PAIR = re.compile(r"<(execute|solution)>((?:(?!<\1>).)*?)</\1>", re.DOTALL)
"""A tag up to where it is closed, unless it is opened once more before that."""

SPOKEN_OF = re.compile(r"(?<!`)`</?(?:execute|solution)>[^`\n]*`")
"""A tag that is inline code, or all that is written in it."""

ANY_PAIR = re.compile(r"<(execute|solution)>.*?</\1>", re.DOTALL)
CODELLAMA = "CodeLlama-70b-Instruct-hf"


def histories(folder: Path) -> Iterator[list[tuple[str, str]]]:
    """Yield the messages of each session, each as its role and its text."""
    for file in sorted(folder.rglob("results.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield [(each["role"], each["content"]) for each in json.loads(line)["state"]["history"]]


def responses(folder: Path) -> list[str]:
    """Return every response; two messages of the user in a row had an empty one between them."""
    found = [text for history in histories(folder) for role, text in history if role == "assistant"]
    gaps = [0 for each in histories(folder) for one, two in pairwise(each) if one[0] == two[0] == "user"]
    return found + [""] * len(gaps)


def is_read_whole(text: str) -> bool:
    """Return whether each tag that is opened is closed before it is opened again, with something in it."""
    meant = SPOKEN_OF.sub("", text)
    bodies = [body for _, body in PAIR.findall(meant)]
    return bool(bodies) and all(map(str.strip, bodies)) and not OPENING.search(PAIR.sub("", meant))


@pytest.mark.parametrize("model", sorted(path.name for path in CORPORA.glob("mint/*/")) or ["nothing"])
def test_both_ways_count_the_same(mint, model):
    """Responses and those that are parsed, of every model."""
    apart = responses(mint / model)
    ours = [
        al.parse(turn.text, profile="mint").outcome
        for file in sorted((mint / model).rglob("results.jsonl*"))
        for session in mint_format.read(file)
        if isinstance(session, RecordedSession)
        for turn in session.turns
    ]
    parsed = sum(outcome in {Outcome.CLEAN, Outcome.REPAIRED} for outcome in ours)
    assert (parsed, len(ours)) == (sum(map(is_read_whole, apart)), len(apart))


def test_where_other_counts_of_one_model_come_from(mint):
    """The figures in docs/statistics.md: without the empty responses, with tags opened twice, and by the harness's rule."""
    apart = responses(mint / CODELLAMA)
    closed = [text for text in apart if OPENING.search(text) and not OPENING.search(ANY_PAIR.sub("", text))]
    code = [re.findall(r"<execute>(.*?)</execute>", text, re.DOTALL) for text in apart]
    taken = [
        "<solution>" in text or bool("".join(each).strip()) for text, each in zip(apart, code, strict=True)
    ]
    assert (sum(map(is_read_whole, apart)), len(apart)) == (512, 2325)
    assert (len(closed), sum(map(bool, apart))) == (548, 2305)
    assert sum(not is_read_whole(text) for text in closed) == 36
    assert sum(taken) == 585
