"""Responses with many actions, by size and dialect: what reading them costs, and what checking their actions adds.

Actions of some 200 characters, as models write them, are read in the dialects; those of the assistant's catalogue have 60,
so that what each action costs by itself shows.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, islice

from bench_decode import document
from rich.table import Table
from timing import least, scan

from actionledger import parse
from actionledger.profiles import profile_named
from actionledger.reading.dialects import dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.parsers import PARSERS, parser_for

ROWS = ("actions", "plan", "json_action", "json", "llama3_json", "granite", "hermes", "kimi_k2")

ROUNDS = 15
"""As many as it takes until one is not disturbed: what is measured here is short."""


def table(sizes: tuple[int, ...]) -> Table:
    """Return the table of responses with many actions."""
    made = Table(title="Many actions: µs, and times the known cost (json.loads + one scan)")
    made.add_column("written as")
    for size in sizes:
        made.add_column(f"{size:,}", justify="right")
    for name in ROWS:
        calls = [_calls_of_a_document(size) for size in sizes]
        made.add_row(name, *(_figure(parser_for((name,)).read, name, some) for some in calls))
    for title, read in (
        ("assistant, small actions", PARSERS["assistant"].read),
        ("  and a call of each", partial(parse, parser="assistant")),
        ("  validated", partial(parse, profile="assistant")),
    ):
        calls = [_examples_of_the_assistant(size) for size in sizes]
        made.add_row(title, *(_figure(read, "actions", some) for some in calls))
    return made


def assistant_table() -> Table:
    """Return the table of what each action of the assistant costs: beside json.loads, its model, and one that is right."""
    made = Table(title="The assistant's small actions: reading and checking them")
    for column in ("response", "µs", "beside", "times"):
        made.add_column(column, justify="left" if column in {"response", "beside"} else "right")
    catalogue = profile_named("assistant").catalogue
    few, many = (_some_of_the_assistant(count) for count in (45, 100))
    strange = [call._replace(arguments={**call.arguments, "mood": "calm"}) for call in many]
    fields = [{catalogue.discriminator: call.name, **call.arguments} for call in few]
    models = [catalogue.adapter.validate_python] * len(few)
    read = partial(parse, profile="assistant")
    longer = [_of_two_hundred_characters(number) for number in range(len(few))]
    texts = {
        name: _response("actions", calls)
        for name, calls in (
            ("few", few),
            ("longer", longer),
            ("many", many),
            ("strange", strange),
        )
    }
    times = least(
        {name: lambda text=text: read(text) for name, text in texts.items()}
        | {
            f"{name} loads": lambda payload=payload: json.loads(payload)
            for name, payload in (("few", _payload(few)), ("longer", _payload(longer)))
        }
        | {
            "models": lambda: [check(each) for check, each in zip(models, fields, strict=True)],
        },
        ROUNDS,
    )
    for title, name, beside, base in (
        ("45 actions of 60 characters", "few", "json.loads", "few loads"),
        ("45 actions of 200 characters", "longer", "json.loads", "longer loads"),
        ("45 actions of 60 characters", "few", "their models alone", "models"),
        ("100 with a field that nobody knows", "strange", "100 that are right", "many"),
    ):
        made.add_row(title, f"{times[name] * 1e6:,.0f}", beside, f"x{times[name] / times[base]:.1f}")
    return made


def _some_of_the_assistant(count: int) -> list[PlainCall]:
    return list(islice(cycle(_examples_of_the_assistant(1)), count))


def _of_two_hundred_characters(number: int) -> PlainCall:
    """Return an action as long as models write them."""
    content = f"Write the minutes of meeting {number} and send them to everybody who was there, with what was decided"
    notes = f"Bring the figures of the last quarter, number {number}"
    return PlainCall("create_task", {"content": content, "notes": notes, "id": f"step_{number}"})


def _calls_of_a_document(size: int) -> list[PlainCall]:
    actions = document(size)["actions"]
    return [PlainCall(action.pop("type"), action) for action in actions]


def _examples_of_the_assistant(size: int) -> list[PlainCall]:
    """Return the examples of the assistant's actions, over and over."""
    examples = [
        PlainCall(each.name, {field: value for field, value in each.example.items() if field != "type"})
        for each in profile_named("assistant").catalogue.describe()
        if each.example is not None
    ]
    times = size // len(_payload(examples)) + 1
    return examples * times


def _response(dialect: str, calls: Sequence[PlainCall]) -> str:
    return f"It is done.\n\n{dialect_named(dialect).render(calls)}\n\nAnything else?"


def _payload(calls: Sequence[PlainCall]) -> str:
    return json.dumps([{"name": call.name, **call.arguments} for call in calls])


def _figure(read: Callable[[str], object], dialect: str, calls: Sequence[PlainCall]) -> str:
    """Return the microseconds of reading a response with these calls, and how many times the known cost that is."""
    payload = _payload(calls)
    response = _response(dialect, calls)
    times = least(
        {
            "read": lambda: read(response),
            "loads": lambda: json.loads(payload),
            "scan": lambda: scan(response),
        }
    )
    return f"{times['read'] * 1e6:,.0f} (x{times['read'] / (times['loads'] + times['scan']):.1f})"
