"""Other readers of JSON beside ours: on valid text, and on each kind of fault. None is a dependency of the project."""

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType

from bench_decode import FAULTS, document, libraries
from rich.table import Table
from timing import least, seconds

from actionledger.reading.parsers import PARSERS
from actionledger.reading.tolerant_json import decode

Read = Callable[[str], object]

NAMES = ("json", "orjson", "jiter", "json_repair", "fast_json_repair", "baml_py")
REPAIRING = ("json_repair", "fast_json_repair")
TOO_SLOW = 1.0
"""Seconds after which a reader is not asked again: one of them takes cubic time for some texts."""

_BAML = """
client<llm> Nobody {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}
type Anything = int | float | bool | string | null | Anything[] | map<string, Anything>
function Read() -> Anything {
  client Nobody
  prompt #"none"#
}
"""


def readers() -> dict[str, Read]:
    """Return the readers that are installed, by name."""
    found: dict[str, Read] = libraries()
    for name, made in (("orjson", _orjson), ("baml_py", _baml)):
        try:
            found[name] = made(import_module(name))
        except ImportError:
            continue
    return found


def valid_table(sizes: tuple[int, ...]) -> Table:
    """Return the table of what each reader takes for valid JSON, and our parser for the response around it."""
    made = _table("Valid JSON: µs, and times json.loads", "reader", [f"{size:,}" for size in sizes])
    payloads = [json.dumps(document(size), indent=1) for size in sizes]
    columns = [_times(payload) for payload in payloads]
    for name in ("decode", "the whole response", "the same by auto", *NAMES):
        made.add_row(name, *(_figure(column, name) for column in columns))
    return made


def _times(payload: str) -> dict[str, float]:
    """Return the seconds that each reader takes for valid JSON."""
    response = f"It is done.\n\n```actions\n{payload}\n```\n\nAnything else?"
    tasks = {
        "decode": lambda: decode(payload),
        "the whole response": lambda: PARSERS["assistant"].read(response),
        "the same by auto": lambda: PARSERS["auto"].read(response),
    }
    return _least_of_all(tasks, readers(), payload)


def faults_table(size: int) -> Table:
    """Return the table of what each repairing reader takes for each kind of fault, as times our decoder."""
    title = f"Faults in {size:,} characters: µs, and how many times as long others take"
    made = _table(title, "fault", ["decode", *REPAIRING])
    valid = json.dumps(document(size))
    others = {name: read for name, read in readers().items() if name in REPAIRING}
    for fault, break_text in FAULTS.items():
        text = break_text(valid)
        times = _least_of_all({"decode": lambda text=text: decode(text)}, others, text)
        ratios = [_ratio(times, name, times["decode"]) for name in REPAIRING]
        made.add_row(fault, f"{times['decode'] * 1e6:,.0f}", *ratios)
    return made


def _least_of_all(
    ours: Mapping[str, Callable[[], object]], others: Mapping[str, Read], text: str
) -> dict[str, float]:
    """Return the least seconds of all; infinite for a reader that can't read the text, or takes too long."""
    useless = {name for name, read in others.items() if not _can_read(read, text)}
    tasks = {name: lambda read=read: read(text) for name, read in others.items() if name not in useless}
    return least({**ours, **tasks}) | dict.fromkeys(useless, float("inf"))


def _can_read(read: Read, text: str) -> bool:
    try:
        return seconds(lambda: read(text)) < TOO_SLOW
    except Exception:  # noqa: BLE001 - whatever a library raises, it has not read the text
        return False


def _figure(times: Mapping[str, float], name: str) -> str:
    if times.get(name, float("inf")) == float("inf"):
        return _ratio(times, name, 1)
    return f"{times[name] * 1e6:,.0f} ({_ratio(times, name, times['json'])})"


def _ratio(times: Mapping[str, float], name: str, base: float) -> str:
    if name not in times:
        return "not installed"
    return "can't" if times[name] == float("inf") else f"x{times[name] / base:.2f}"


def _table(title: str, first: str, others: list[str]) -> Table:
    made = Table(title=title)
    made.add_column(first)
    for name in others:
        made.add_column(name, justify="right")
    return made


def _orjson(module: ModuleType) -> Read:
    read: Read = module.loads
    return read


def _baml(module: ModuleType) -> Read:
    """Return BAML's reader of model text for a type that any JSON has."""
    runtime = module.BamlRuntime.from_files("/baml_src", {"any.baml": _BAML}, {})
    types, context = ModuleType("types"), runtime.create_context_manager()
    return lambda text: runtime.parse_llm_response(
        "Read", text, types, types, types, False, context, None, None, {}
    )
