"""Aider's recorded chats: the edit blocks that models really write."""

import gzip
import re
from collections import Counter

import pytest
from corpus_files import CORPORA

from actionledger.core.vocabulary import BlockStatus
from actionledger.reading.parsers import parser_for

pytestmark = pytest.mark.corpus

FOLDER = CORPORA / "aider-swe-bench"


def test_nearly_all_recorded_edits_are_read():
    """Of 393 edits all but two are read: one has no line to divide it, one no path directly above its fence."""
    if not FOLDER.is_dir():
        pytest.skip(
            "Aider's recordings are not here: expected in shared/corpora/aider-swe-bench beside the checkout."
        )
    parser = parser_for(("search_replace",))
    statuses: Counter[BlockStatus] = Counter()
    marks = edits = 0
    for path in sorted(FOLDER.glob("*__*.md.gz")):
        text = gzip.decompress(path.read_bytes()).decode()
        reading = parser.read(text)
        marks += len(re.findall(r"^<<<<<<< SEARCH", text, re.MULTILINE))
        edits += len(reading.actions)
        statuses.update(block.status for block in reading.blocks)
        for action in reading.actions:
            assert (
                f"{action.arguments['search']}=======\n{action.arguments['replace']}>>>>>>>"
                in action.span.of(text)
            )
            assert action.arguments["path"] in action.span.of(text)
    assert (marks, edits) == (393, 391)
    assert statuses == {BlockStatus.STRICT: 391, BlockStatus.MALFORMED: 2}
