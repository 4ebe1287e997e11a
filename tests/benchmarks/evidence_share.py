"""What looking for calls in no format adds to reading a response: its share of a read, by what the response is."""

from functools import partial

from rich.table import Table
from timing import least

from actionledger import parse
from actionledger.reading.dialects import dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.parsers import parser_named

TOOLS = [
    {"name": f"{verb}_{what}", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
    for verb in ("get", "list", "delete", "update")
    for what in ("weather", "time", "trains", "hotels", "events")
]
CALL = PlainCall("get_weather", {"city": "Paris"})
PROSE = "The trains are late today, and nobody at the station knows when the next one leaves. " * 20
RESPONSES = {
    "prose, 1.7 KB": PROSE,
    "a call with its format's marks": f"I look.\n\n{dialect_named('hermes').render([CALL])}",
    "prose that names tools": PROSE.replace("nobody", "get_weather"),
    "a call in no format": "I look it up:\n\nget_weather(city='Paris')",
    "twenty of them": "\n".join("get_weather(city='Paris')" for _ in range(20)),
}


def table() -> Table:
    """Return the table of the evidence's share: a read with and without it, by the parser of every dialect."""
    made = Table(title="Calls in no format: their share of a read by all dialects")
    for column in ("response", "µs without", "µs with", "share"):
        made.add_column(column, justify="left" if column == "response" else "right")
    parser = parser_named("auto")
    without = parser.model_copy(update={"evidence": "ignored"})
    for title, text in RESPONSES.items():
        times = least(
            {
                "with": partial(parse, text, parser=parser, tools=TOOLS),
                "without": partial(parse, text, parser=without, tools=TOOLS),
            }
        )
        share = max(0.0, 1 - times["without"] / times["with"])
        made.add_row(title, f"{times['without'] * 1e6:,.0f}", f"{times['with'] * 1e6:,.0f}", f"{share:.0%}")
    return made
