"""Answers of Gorilla's APIBench: a line is a session of one raw response, and the real ones are all read."""

import gzip
import json
from pathlib import Path

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture
from actionledger.imports.formats.gorilla_apibench import SOURCE, read
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.registry import recognised, sample_of

FOLDER = Path(__file__).parents[4] / "shared" / "corpora" / "gorilla-apibench"


def test_an_answer_is_a_session_of_one_raw_response(tmp_path):
    """A line without one is refused, and the rest is read."""
    path = tmp_path / "response_x.jsonl"
    answer = {
        "question_id": 7,
        "text": "{'api_call': 'f()'}",
        "answer_id": "a1",
        "model_id": "m",
        "metadata": {},
    }
    path.write_text(json.dumps(answer) + "\n" + json.dumps(answer | {"text": 5}) + "\n")
    session, refusal = read(path)
    assert isinstance(session, RecordedSession)
    assert (session.external_id, session.model, session.task) == ("a1", "m", "question 7")
    assert (session.turns[0].text, session.turns[0].capture) == ("{'api_call': 'f()'}", Capture.TEXT)
    assert isinstance(refusal, Refusal)
    assert refusal.line == 2
    assert recognised(sample_of(path))[0].source is SOURCE


@pytest.mark.corpus
def test_every_real_answer_is_read():
    """As many sessions as the files have lines, each with a name of its own."""
    files = sorted(FOLDER.rglob("*.jsonl.gz"))
    if not files:
        pytest.skip(
            "The answers are not here: expected in shared/corpora/gorilla-apibench beside the checkout."
        )
    names: list[str] = []
    for path in files:
        found = list(read(path))
        assert all(isinstance(each, RecordedSession) for each in found)
        assert len(found) == len(gzip.decompress(path.read_bytes()).splitlines())
        names.extend(each.external_id for each in found)
    assert len(set(names)) == len(names)
