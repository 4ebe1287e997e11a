"""The pass for evidence takes steps in proportion to the text, whatever names an offered tool in it, and however often."""

import pytest
from effort import soaked
from steps import SPARE, growth_fault

from actionledger.core.values.calls import Offer
from actionledger.reading.dialects.parts import json_values
from actionledger.reading.evidence import candidates, places, rests, statements, stretches
from actionledger.reading.parsers import PARSERS
from actionledger.reading.scan import openings

SMALL, TIMES = 2_000, 16
PER_CHARACTER = 2
"""How often a large text may be gone through where a small one is not: a small one that never ends is one candidate."""

AUTO = PARSERS["auto"]
READER = AUTO.model_copy(update={"decoding": AUTO.decoding.model_copy(update={"max_depth": 20})})
"""Looks no deeper than the small texts are nested: else these are cheap, since nothing in them is as deep as it looks."""

OFFER = Offer({"get_weather": ("city", "days")}, {"get_weather": "city"})
FAMILIES = {
    "openers": "get_weather(",
    "openers in brackets": "((get_weather(",
    "openers with a backslash": "get\\_weather(",
    "open strings": "get_weather(city='",
    "tags": "<get_weather>",
    "tags with fields": "<get_weather><city>",
    "tags with attributes": '<get_weather city="a">',
    "escaped tags": "&lt;get_weather&gt;",
    "twice": "get_weather(city='Paris')\n\n",
    "a call a line": "get_weather(city='Paris')\n",
    "calls on one line": "get_weather(city='Paris') ",
    "calls in sentences": "I use get_weather(city='Paris') now.\n\n",
    "calls with variables": "get_weather(city=Paris)\n",
    "calls in calls": "get_weather(city=get_weather(",
    "assigned calls": "x = get_weather(city='Paris')\n",
    "maps": '{"get_weather": {"city": "Paris"}}\n',
    "open maps": '{"get_weather": {"city": ',
    "names": '{"name": "get_weather", ',
    "objects": "get_weather {city: ",
    "texts": "[\"get_weather(city='",
    "echoes": "Output:\nget_weather(city='Paris')\n",
    "fences": "```\nget_weather(city='Paris')\n```\n",
    "open fences": "```\nget_weather(city=\n",
    "thoughts": "<think>get_weather(city='Paris')</think>",
    "brackets above": "[\n{\n(\nget_weather(",
    "pairs": '("get_weather", {"city": "Paris"})\n',
    "open pairs": '("get_weather", {"city": ',
    "brackets in sentences": "a [get_weather( b\n",
    "objects for keys": "{name: 'get_weather', ",
    "names with a mark": "get_weather[ARGS]{",
    "names behind a mark": "to=get_weather ",
    "names of a transcript": "[Tool Use: get_weather]\n",
    "arguments without a call": "<parameter=city>a",
    "arguments without a call, closed": "<parameter=city>a</parameter></function>",
    "closing marks": "</arg_value></tool_call>",
    "objects and closing marks": "}</tool_call>",
    "nested objects and closing marks": "{{}</tool_call>",
    "quotations never closed": "<result>get_weather(city='Paris') ",
}

ALWAYS = ("openers", "open strings", "calls in sentences", "open maps", "open fences")
"""Those that end at once, never, among prose, in JSON and in a fence; the soak tries all."""


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at around a place at most is as small beside these texts as beside a long response."""
    for module, name, length in (
        *((json_values, "_PIECE", 64), (openings, "_LINE", 40), (openings, "_BLANKS", 8)),
        *((candidates, "_PARAGRAPH", 40), (candidates, "_ABOVE", 40), (candidates, "_BESIDE", 20)),
        *(
            (places, "_WINDOW", 40),
            (rests, "_LONGEST", 40),
            (rests, "_WINDOW", 40),
            (stretches, "_LONGEST", 200),
            (statements, "_WINDOW", 40),
        ),
    ):
        monkeypatch.setattr(module, name, length)


@pytest.mark.parametrize("family", soaked(FAMILIES, ALWAYS))
def test_steps_grow_with_the_number_of_mentions(family):
    """Sixteen times the text takes at most twenty times the steps."""
    unit = FAMILIES[family]
    small = unit * (SMALL // len(unit) + 1)
    spare = SPARE._replace(characters=SPARE.characters + PER_CHARACTER * len(small) * TIMES)
    assert not growth_fault(lambda text: READER.read(text, OFFER), small, small * TIMES, spare)
