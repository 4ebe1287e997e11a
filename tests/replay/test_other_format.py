"""Responses in which their format's reader finds nothing: what they look like is said, where most look like the same."""

import pytest

import actionledger as al
from actionledger.replay.fit import other_format

NOTHING_KNOWN = '{{"action":"search","query":"gpu {}"}}'
FENCED = '```json\n{{"action": "update_plan", "plan": "Phase {}"}}\n```'


def taken(path, *texts: str) -> al.Ledger:
    ledger = al.open_ledger(path / "team.duckdb")
    turns = tuple(al.RecordedTurn(index, text) for index, text in enumerate(texts))
    al.import_sessions(ledger, [al.RecordedSession("s", "coder", "m", "", turns)])
    return ledger


@pytest.mark.parametrize(
    ("text", "look"), [(NOTHING_KNOWN, "70 JSON of no known format."), (FENCED, "70 json_action.")]
)
def test_most_look_like_another_format(tmp_path, text, look):
    """Of as many as are looked at; which way reads them is said where one does."""
    with taken(tmp_path, *(text.format(index) for index in range(70))) as ledger:
        said = other_format(ledger)
    assert said.startswith(
        "In 70 of 70 responses no action of their format was found. Of 50 different ones, 50 look"
    )
    assert (look.replace("70", "50") in said, "replay --parser auto" in said) == (True, text == FENCED)


def test_prose_and_what_is_read_say_nothing(tmp_path):
    """Nor do few among many that are read."""
    with taken(tmp_path, "Well.", "Very well.", "{not JSON", "3") as ledger:
        assert other_format(ledger) == ""
        assert other_format(ledger, al.Filter(models=("nobody",))) == ""
    read = al.render([("read_file", {"path": "a.py"})], "xml_tags")
    (tmp_path / "b").mkdir()
    with taken(tmp_path / "b", read, read + " ", FENCED.format(1)) as ledger:
        assert other_format(ledger) == ""
