"""The assistant's store: what happens where another session holds the file."""

import sqlite3

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.assistant.records import TASK, AssistantStore

FIELDS = {"content": "tea", "notes": "", "status": "pending"}


@pytest.fixture
def store(tmp_path):
    opened = AssistantStore(tmp_path / "s.sqlite")
    opened.rows("PRAGMA busy_timeout = 0")
    yield opened
    opened.close()


def test_a_locked_file_is_worth_another_try(store, tmp_path):
    """Nothing was written, and the same works as soon as the other is done."""
    other = sqlite3.connect(tmp_path / "s.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ActionError, match="Another session") as caught:
        store.add(TASK, FIELDS)
    assert (caught.value.reason, caught.value.transient) == (Reason.UNAVAILABLE, True)
    other.execute("COMMIT")
    assert store.add(TASK, FIELDS)["id"] == 1
    other.close()


def test_another_fault_is_none_of_the_models(store):
    """A table that is missing is an error of ours."""
    store.rows("DROP TABLE tasks")
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        store.add(TASK, FIELDS)
