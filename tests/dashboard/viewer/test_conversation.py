"""A session as a conversation: each call as its tool deserves, Markdown as known elements, and all of it on a page."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.core.events import ActionRecord
from actionledger.core.ids import derived_id
from actionledger.core.recordings import Compaction
from actionledger.core.values import Span
from actionledger.core.vocabulary import ActionStatus
from actionledger.ledger.queries.turn import turn_details
from actionledger.ledger.queries.turns import landmarks
from actionledger_dashboard.viewer.conversation import body_of, call_of, turns_of
from actionledger_dashboard.viewer.markdown import markdown_tree
from actionledger_dashboard.viewer.queries import view_of

Open = Callable[..., AppTest]
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
TAGS = {
    *[
        "p",
        "ul",
        "ol",
        "li",
        "blockquote",
        "strong",
        "em",
        "s",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "hr",
        "br",
        "pre",
        "code",
        "h4",
    ]
}


def texts(nodes: list[dict[str, Any]]) -> str:
    """Return the text of a tree."""
    return "".join(
        "".join(piece if isinstance(piece, str) else piece["text"] for piece in node["text"])
        if "text" in node
        else texts(node["children"])
        for node in nodes
    )


def tags(nodes: list[dict[str, Any]]) -> set[str]:
    return {tag for node in nodes if "tag" in node for tag in ({node["tag"]} | tags(node["children"]))}


def test_markdown_becomes_known_elements() -> None:
    """Headings, lists, tables, code and emphasis; a fence keeps its lines."""
    tree = markdown_tree("# A\n\n- **b** `c`\n\n```py\nx = 1\n  y\n```\n\n| h |\n|---|\n| 1 |\n")
    assert {"h4", "ul", "li", "strong", "code", "pre", "table", "td"} <= tags(tree) <= TAGS
    assert "x = 1\n  y" in texts(tree)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[press](javascript:alert(1))",
        "![x](https://evil.example/x.png)",
        "[a](https://evil.example)",
        "a <b>bold</b> b",
    ],
)
def test_no_markup_of_a_model_becomes_an_element(text: str) -> None:
    """HTML stays text, an image is named, an address is said."""
    tree = markdown_tree(text)
    assert tags(tree) <= {"p"}
    for part in ("evil.example", "alert(1)"):
        assert (part in text) == (part in texts(tree))


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_any_text_is_a_tree(text: str) -> None:
    """Whatever it is, and however deep."""
    assert tags(markdown_tree(text)) <= TAGS
    assert tags(markdown_tree("> " * 80 + text)) <= TAGS


@pytest.mark.parametrize(
    ("arguments", "kind", "shown"),
    [
        (
            {"file_path": "a.py", "old_string": "x = 1\ny", "new_string": "x = 2\ny"},
            "diff",
            [["-", "x = 1"], ["+", "x = 2"], [" ", "y"]],
        ),
        ({"input": "*** Begin Patch\n*** Update File: a\n-old\n+new\n*** End Patch"}, "diff", None),
        ({"file_path": "a.py", "content": "one\ntwo"}, "diff", [["+", "one"], ["+", "two"]]),
        ({"command": "ls -l"}, "command", "ls -l"),
        ({"cmd": ["bash", "-lc", "ls"]}, "command", "bash -lc ls"),
        ({"todos": [{"content": "Mend it", "status": "done"}]}, "list", [["done", "Mend it"]]),
        ({"plan": [{"step": "Look", "status": "pending"}]}, "list", [["pending", "Look"]]),
        ({"file_path": "a.py", "offset": 10, "limit": 5}, "path", "a.py (offset 10, limit 5)"),
        ({"query": "x", "deep": {"a": [1]}}, "json", None),
        ({}, "json", ""),
        ({"todos": ["a"]}, "json", None),
        ({"old_string": 1, "new_string": 2}, "json", None),
    ],
)
def test_a_call_is_drawn_as_its_tool_deserves(arguments: dict[str, Any], kind: str, shown: Any) -> None:
    """Whatever fits none of it is JSON."""
    body = body_of(arguments)
    assert body["kind"] == kind
    if shown is not None:
        found = body.get("lines") or body.get("items") or body.get("text")
        flat = json.loads(json.dumps(found).replace('["', '["'))
        assert _plain(flat) == shown or (shown == "" and not found)


def _plain(value: Any) -> Any:
    """Return drawn texts as plain ones: a text in one piece is that piece."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    return [_plain(each) for each in value] if isinstance(value, list) else value


def test_what_is_long_or_deep_is_cut_and_said() -> None:
    """A page shows a part of it, and none of it is an error."""
    many = body_of({"file_path": "a", "content": "x\n" * 1000})["lines"]
    assert _plain(many[-1]) == ["@", "… and 600 more lines"]
    wide = body_of({"file_path": "a", "content": "y" * 1_000_000})["lines"]
    assert len(str(wide)) < 30_000
    assert "more characters" in str(wide[-1])
    arguments = "[" * 99_999 + "]" * 99_999
    deep = ActionRecord(
        index=0,
        block=0,
        dialect="hermes",
        span=Span(0, 1),
        action_id=derived_id("action", 1),
        name="f",
        status=ActionStatus.VALID,
        reason=None,
        arguments=arguments,
    )
    assert call_of(deep, None)["body"]["kind"] == "json"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session of 90 turns with a prompt every tenth, a failure at 7 and 77, thoughts, and a subagent."""
    turns = []
    for place in range(90):
        call = al.RecordedCall(
            f"call-{place:04}", "Agent" if place == 3 else "Bash", {"command": f"echo {place}"}
        )
        failed = place in {7, 77}
        output = "done by agent-abcdef12" if place == 3 else "Exit code 1\nno" if failed else f"{place}\nline"
        turns.append(
            al.RecordedTurn(
                place,
                f"Step **{place}**.",
                prompt=f"Do {place}" if place % 10 == 0 else None,
                external_id=f"m{place}",
                capture=al.Capture.CALLS,
                calls=(call,),
                results=(al.RecordedResult(call.call_id, output, is_error=failed),),
                occurred_at=AT + timedelta(minutes=place),
                usage=al.Usage(input_tokens=100, output_tokens=place, cost_usd=0.5),
                reasoning="Think." if place == 1 else "",
                compaction=Compaction(trigger="auto", tokens_before=2000, tokens_after=100)
                if place == 5
                else None,
            )
        )
    child = al.RecordedSession(
        "agent-abcdef12",
        None,
        "m",
        "",
        (al.RecordedTurn(0, "Found it."),),
        parent="main",
        relation=al.Relation.SUBAGENT,
    )
    path = tmp_path_factory.mktemp("talk") / "talk.duckdb"
    with al.open_ledger(path) as ledger:
        al.import_sessions(
            ledger, [al.RecordedSession("main", None, "m", "", tuple(turns)), child], source="s"
        )
    return path


MAIN = derived_id("session", "s", "main")


def test_the_places_to_jump_to_are_those_of_the_whole_session(recorded: Path) -> None:
    """Of prompts and of failures; a session that isn't there has none."""
    with al.open_ledger(recorded, read_only=True) as ledger:
        found = landmarks(ledger, MAIN)
        assert landmarks(ledger, derived_id("session", "s", "nobody")) is landmarks(ledger, "x") is None
    assert found is not None
    assert (found.first, found.last, found.failures) == (0, 89, (7, 77))
    assert found.prompts == tuple(range(0, 90, 10))


def test_a_turn_has_its_parts_in_order(recorded: Path) -> None:
    """Asked, thought, answered, called; and in the margin what it took."""
    with al.open_ledger(recorded, read_only=True) as ledger:
        details = turn_details(ledger, MAIN, (0, 8))
    drawn = turns_of(details, {}, failing=[7], href_of=str, child_of=None)
    assert [part["kind"] for part in drawn[0]["parts"]] == ["user", "answer", "call"]
    assert [part["kind"] for part in drawn[1]["parts"]] == ["thought", "answer", "call"]
    assert [part["kind"] for part in drawn[5]["parts"]] == ["line", "answer", "call"]
    assert "".join(drawn[5]["parts"][0]["text"]) == "Context compacted (auto): 2,000 tokens before, 100 after"
    call = drawn[7]["parts"][-1]
    assert (call["look"], call["status"]) == ("bad", "failed: command_failed")
    assert "".join(call["result"]["text"]) == "Exit code 1\nno"
    assert [turn["failing"] for turn in drawn].index(True) == 7
    assert any("100 in · 7 out" in "".join(line) for line in drawn[7]["about"])
    assert texts(drawn[7]["parts"][0]["tree"]) == "Step 7."


def test_stepping_shows_a_compaction_before_the_input(recorded: Path) -> None:
    """The transcript had its line, and the turn's own page did not."""
    with al.open_ledger(recorded, read_only=True) as ledger:
        shown = [view_of(ledger, MAIN, turn=place, near=0)["turn"]["shown"] for place in (4, 5)]
    assert [["".join(each["title"]) for each in lane] for lane in shown] == [
        ["Sent to the model before"],
        ["Compaction", "Sent to the model before"],
    ]
    assert "".join(shown[1][0]["text"]).startswith("Context compacted (auto): 2,000 tokens before, 100 after")


def test_the_page_shows_the_turns_around_the_one_that_is_meant(
    open_page: Open, recorded: Path, drawn: Any
) -> None:
    """A page at a time, with ways to the others, and a subagent under the call that has started it."""
    test = open_page(recorded, "views/transcript.py", session=MAIN)
    data = drawn(test, "conversation")
    assert [turn["index"] for turn in data["turns"]] == list(range(40))
    assert (data["failures"], data["prompts"][:2], data["turn"]) == ([7, 77], [0, 10], None)
    assert [part["kind"] for part in data["turns"][3]["parts"]] == ["answer", "call", "child"]
    later = drawn(open_page(recorded, "views/transcript.py", session=MAIN, turn="77"), "conversation")
    assert (later["turn"], [turn["index"] for turn in later["turns"]]) == (77, list(range(40, 80)))
    beyond = drawn(open_page(recorded, "views/transcript.py", session=MAIN, turn="999"), "conversation")
    assert (beyond["turn"], beyond["turns"][-1]["index"]) == (89, 89)


def test_a_text_is_found_in_the_whole_session(open_page: Open, recorded: Path) -> None:
    """Each turn that has it is a link."""
    test = open_page(recorded, "views/transcript.py", session=MAIN, find="echo 77")
    anchors = [
        json.loads(one.proto.json)[0]
        for one in test.get("bidi_component")
        if one.proto.component_name == "actionledger.anchors"
    ]
    [found] = [each for each in anchors if "".join(each["before"]).startswith("In 1 turn:")]
    assert [link["href"] for link in found["links"]] == [f"transcript?session={MAIN}&turn=77&find=echo+77"]


@pytest.mark.parametrize("called", ["", "nobody"])
def test_a_link_to_no_session_says_so(open_page: Open, recorded: Path, called: str) -> None:
    test = open_page(recorded, "views/transcript.py", **({"session": called} if called else {}))
    assert not test.exception
    assert not [
        one for one in test.get("bidi_component") if one.proto.component_name == "actionledger.conversation"
    ]
