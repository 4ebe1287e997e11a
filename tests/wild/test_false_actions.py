"""What only shows calls is not acted on: documentation, what packages say of themselves, chats about code."""

from itertools import islice

import pytest
from effort import is_soak
from wild.false_actions import Document, counted, documents
from wild.recordings import CORPORA

EACH = 1 if is_soak() else 6
"""Of so many documents one is read."""


@pytest.mark.scaled
@pytest.mark.slow
def test_evidence_adds_no_action_to_documents():
    """Each text is read as if all that it calls had been offered; where the recordings are not here, those are left out."""
    added, texts, calls = [], 0, 0
    for document in islice(documents(), 0, None, EACH):
        texts += 1
        calls += len(document.names)
        added += counted(document, document.names).added
    assert [(each.document.title, each.action.name) for each in added] == []
    assert texts > (500 if CORPORA.is_dir() else 60) // EACH
    assert calls > 1_000 // EACH


@pytest.mark.parametrize(
    "text",
    [
        "indexes = [\n    Index(fields=['a']),\n    Index(fields=['b']),\n]\nIt fails.",
        "It fails here:\n\nAddIndex(\n  name='a',\n  index=Index(fields=['a']),\n),\nAddIndex(\n  Index(fields=['b']),\n),",
        "operations=[\n],\nOrder(name='a', by='b'),\n\nI added it.",
    ],
)
def test_a_call_within_another_one_or_a_list_is_code(text):
    """The line above goes on: what stands here is a part of what it begins."""
    document = Document("own", "", text)
    count = counted(document, frozenset({"Index", "Order"}))
    assert (count.without, count.with_evidence) == (0, 0)


def test_a_false_action_is_counted():
    """A call by itself is one, whoever calls the text a document."""
    document = Document("own", "", "Index(fields=['a'])")
    assert document.names == {"Index"}
    assert len(counted(document, document.names).added) == 1
    assert counted(document, None).added == ()
