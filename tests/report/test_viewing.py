"""A session below a notebook's cell: the replay's own viewer, in a frame that reaches nothing around it."""

import json
import re
from html import unescape

import pytest

import actionledger as al
from actionledger.core.errors import UsageError

HOSTILE = '<execute>"</script><script>alert(1)</script>"</execute>'


@pytest.fixture
def ledger(tmp_path):
    with al.open_ledger(tmp_path / "team.duckdb", in_background=False) as opened:
        opened.record_turn("s1", "<execute>1 + 1</execute>", profile="mint")
        opened.record_turn("s1", HOSTILE, profile="mint")
        yield opened


def test_a_session_is_stepped_through_in_a_frame(ledger):
    """Its turns are in it, and what a model wrote is data there, never markup."""
    shown = al.view(ledger, "s1", turn=1, height=500)
    frame = shown._repr_html_()
    assert 'sandbox="allow-scripts"' in frame
    assert "height: 500px" in frame
    page = unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert page == shown.html.replace("<title>s1</title>", "<title>actionledger</title>")
    assert "<script>alert" not in page
    data = json.loads(re.search(r'id="view">(.*?)</script>', page)[1])
    assert (data["index"], data["turn"]["text"], sorted(data["near"])) == (1, HOSTILE, ["0"])
    assert repr(shown) == "SessionView(session='s1', height=500)"


def test_a_reading_is_picked_by_its_run(ledger):
    run = al.reparse(ledger, parser="mint-harness").run_id
    assert "mint-harness" in al.view(ledger, "s1", run=run).drawn["turn"]["about"]


def test_what_is_not_there_is_said(ledger, tmp_path):
    with pytest.raises(UsageError, match="no session"):
        al.view(ledger, "nobody")
    with pytest.raises(UsageError, match="can't be written: No such file or directory; take another"):
        al.view(ledger, "s1").save(tmp_path / "nowhere" / "s1.html")
