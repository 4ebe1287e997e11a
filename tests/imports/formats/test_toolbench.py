"""Answer trees of ToolBench: the way to the answer is the session, each other branch a fork of it."""

import json

import pytest
from given_items import sessions

from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation
from actionledger.imports.formats.toolbench import SOURCE, read, recognise
from actionledger.imports.sources.base import LeftOut, Refusal, Sample
from actionledger.imports.sources.wordings import judged


def node(kind: str, text: str, *children: dict, **fields) -> dict:
    return {"node_type": kind, "description": text, "children": list(children), "pruned": False} | fields


def called(name: str, given: str, code: int, *children: dict, **fields) -> dict:
    return node(
        "Action",
        name,
        node("Action Input", given, *children, observation="seen", observation_code=code, **fields),
    )


def tree(*children: dict, win: bool = True, **fields) -> dict:
    given = {
        "query": "Find it.\nNow.",
        "function": [{"name": "find"}],
        "finish_type": "give_answer",
        "total_tokens": 9,
    }
    return {
        "win": win,
        "tree": {"size": 1, "tree": node("Action Input", "", *children)},
        "answer_generation": given | {"train_messages": [[], []]} | fields,
    }


@pytest.fixture
def items(tmp_path):
    """Return what is read of a tree."""

    def read_one(whole: object) -> list:
        path = tmp_path / "10_ChatGPT_DFS.json"
        path.write_text(json.dumps(whole))
        return list(read(path))

    return read_one


def test_thought_action_and_input_are_one_response(items):
    """With the argument string as it was written, and the tools that were offered."""
    found = items(tree(node("Thought", "I look.", called("find", '{"of": 1}', 0, called("Finish", "{}", 3)))))
    (session,) = sessions(found)
    first, last = session.turns
    assert (first.text, first.capture, first.prompt) == ("I look.", Capture.ARGUMENTS, "Find it.\nNow.")
    assert [(call.name, call.arguments) for call in first.calls] == [("find", '{"of": 1}')]
    assert (first.external_id, last.calls[0].name) == ("0", "Finish")
    assert first.tools == '[{"type":"function","function":{"name":"find"}}]'
    assert (session.success, session.reason, session.metadata) == (True, "give_answer", {"total_tokens": 9})
    assert [(each.reason, each.count) for each in found if isinstance(each, LeftOut)] == [
        (LeftOutReason.REPEATED_HISTORY, 2)
    ]


def test_a_branch_that_was_given_up_is_a_fork_with_what_only_it_has(items):
    """Every node counts once, and those on the way to the answer are the session's."""
    given_up = called("find", "{1}", 11, pruned=True)
    answer = called("find", "{2}", 0, called("Finish", "{}", 3))
    main, fork = sessions(items(tree(called("find", "{0}", 0, given_up, answer))))
    assert [turn.calls[0].arguments for turn in main.turns] == ["{0}", "{2}", "{}"]
    assert [turn.calls[0].arguments for turn in fork.turns] == ["{1}"]
    assert (fork.parent, fork.relation, fork.labels) == (main.external_id, Relation.FORK, ("pruned",))
    assert fork.external_id == f"{main.external_id}/0.0.0.0"
    assert fork.turns[0].external_id == "0.0.0"


def test_without_an_answer_the_last_leaf_is_the_session(items):
    """The search ended there."""
    main, fork = sessions(items(tree(called("find", "{0}", 4), called("find", "{1}", 4), win=False)))
    assert ([turn.calls[0].arguments for turn in main.turns], main.success) == (["{1}"], False)
    assert [turn.calls[0].arguments for turn in fork.turns] == ["{0}"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (0, None),
        (1, Reason.UNKNOWN_ACTION),
        (2, Reason.SCHEMA_ERROR),
        (5, Reason.TIMEOUT),
        (10, Reason.RATE_LIMIT),
    ],
)
def test_a_code_says_what_came_of_a_call(code, reason, items):
    """So does none that is as it should be."""
    (session,) = sessions(items(tree(called("find", "{}", code))))
    found = judged(session.turns[0].results[0], SOURCE.wordings)
    assert (found.reason, found.is_inferred) == (reason, False)


def test_a_search_that_was_cut_keeps_its_thought(items):
    """A response that has no input yet."""
    (session,) = sessions(items(tree(node("Thought", "Hm.", node("Action", "find")))))
    assert [(turn.text, turn.calls[0].name, turn.results) for turn in session.turns] == [("Hm.", "find", ())]
    (session,) = sessions(items(tree(node("Thought", "Hm."))))
    assert [(turn.text, turn.calls) for turn in session.turns] == [("Hm.", ())]


def test_what_is_none_is_refused(items):
    """And recognised by its fields, or by its beginning where it is large."""
    assert [type(each) for each in items({"win": True, "tree": []})] == [Refusal]
    assert recognise(Sample(None, b"", (tree(),))) == 1
    assert recognise(Sample(None, b'{\n "win": true,\n "tree": {"size"')) == 1
    assert recognise(Sample(None, b"", ({"win": True, "tree": {}},))) == 0
