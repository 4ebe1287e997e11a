"""Parse success in MINT's recordings counted once more: from the raw files, with regular expressions, by none of our code."""

import gzip
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from corpus_files import CORPORA

import actionledger as al
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Outcome
from actionledger.imports.formats import mint as mint_format

pytestmark = [pytest.mark.corpus, pytest.mark.soak]

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
