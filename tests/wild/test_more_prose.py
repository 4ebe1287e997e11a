"""Prose that presents or shows calls keeps them from running."""

import json
from functools import cache
from itertools import islice

import pytest
from effort import is_soak
from wild.false_actions import Document, counted, documents
from wild.more_meant import MEANT_MORE
from wild.more_prose import HELD_ON_ITS_LINE, SHOWN_MORE
from wild.recordings import CORPORA

import actionledger as al

HELD_OUT = "held out"
MOST_HELD_OUT = {"bare": 0, "marked": 0}
"""In how many of the readings of what was held out a call that is shown runs."""

TOOLS = [
    {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    }
]
ARGUMENTS = {"city": "Oslo", "days": 2}
JSON = json.dumps({"name": "get_weather", "arguments": ARGUMENTS})
PYTHON = "get_weather(city='Oslo', days=2)"
MARKED_DIALECTS = (
    *(
        "hermes",
        "harmony",
        "qwen3_coder",
        "glm",
        "deepseek_v3",
        "deepseek_dsml",
        "kimi_k2",
        "mistral",
        "gemma",
    ),
    *(
        "minimax",
        "granite",
        "seed_oss",
        "muse_glimmer",
        "functionary",
        "hunyuan",
        "cohere",
        "phi4",
        "longcat",
    ),
    *("inkling", "step3"),
)
LOOKS = {
    "bare": [
        *(JSON, PYTHON, f"[{PYTHON}]", json.dumps({"get_weather": ARGUMENTS})),
        *(
            f"```json\n{JSON}\n```",
            f"```\n{JSON}\n```",
            f"```python\n{PYTHON}\n```",
            f"```tool_code\n{PYTHON}\n```",
        ),
    ],
    "marked": [al.render([("get_weather", ARGUMENTS)], dialect) for dialect in MARKED_DIALECTS],
}


@cache
def outcome(text):
    """Return whether the call runs, waits or is only said; it is never passed over."""
    result = al.parse(text, dialects="auto", tools=TOOLS)
    if any(call.status.is_runnable for call in result.actions):
        return "runs"
    assert result.issues or result.actions, f"nothing is said of {text!r}"
    return "waits" if any(str(call.status) == "needs_approval" for call in result.actions) else "shown"


def readings(table, looks, *, is_held_out):
    """Return what becomes of the call in each text of a table's part, in each look."""
    texts = [
        text for prose in table if prose.kind.startswith(HELD_OUT) == is_held_out for text in prose.texts
    ]
    return {(text, look): outcome(text.replace("…", look)) for text in texts for look in LOOKS[looks]}


@pytest.mark.parametrize("is_held_out", [False, True], ids=["train", HELD_OUT])
@pytest.mark.parametrize("looks", LOOKS)
def test_what_is_shown_does_not_run(looks, is_held_out):
    found = readings(SHOWN_MORE, looks, is_held_out=is_held_out)
    running = [key for key, each in found.items() if each == "runs"]
    assert len(running) <= (MOST_HELD_OUT[looks] if is_held_out else 0), running


@pytest.mark.parametrize("text", HELD_ON_ITS_LINE)
def test_what_stands_in_quotes_a_cell_or_a_log_does_not_run(text):
    looks = [look for each in LOOKS.values() for look in each if "```" not in look]
    texts = [text.replace("…", " ".join(look.split("\n"))) for look in looks]
    assert [each for each in texts if outcome(each) == "runs"] == []


@pytest.mark.parametrize("is_held_out", [False, True], ids=["train", HELD_OUT])
@pytest.mark.parametrize(("looks", "least"), [("bare", 0.9), ("marked", 0.97)])
def test_what_is_meant_runs(looks, least, is_held_out):
    """Nearly all of it; what can't be told waits for a person."""
    found = readings(MEANT_MORE, looks, is_held_out=is_held_out)
    others = [key for key, each in found.items() if each != "runs"]
    assert len(others) <= (1 - least) * len(found), others


@pytest.mark.parametrize("tables", [SHOWN_MORE, MEANT_MORE], ids=["shown", "meant"])
def test_a_third_is_held_out(tables):
    held = sum(len(prose.texts) for prose in tables if prose.kind.startswith(HELD_OUT))
    assert held >= 40


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
