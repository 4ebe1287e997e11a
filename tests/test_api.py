"""The public names: what is promised is there, works together, and survives."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import ClassVar, Literal

import pytest
from effort import examples
from hypothesis import given, settings
from hypothesis.strategies import text

import actionledger as al
from actionledger.core.errors import LedgerError, RenderError, UnknownNameError, UsageError
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Outcome
from actionledger.ledger import open_ledger
from actionledger.profiles import PROFILES
from actionledger.reading.dialects import dialect_named
from actionledger.reading.parsers import PARSERS
from actionledger.runtime.execution.approval import Policy, Verdict
from actionledger.runtime.execution.handlers import Handlers

BLOCK = '```actions\n{"actions": [{"type": "create_task", "content": "water the plants"}]}\n```'
UNKNOWN = '```actions\n{"actions": [{"type": "fly"}]}\n```'
CREATE = "<create_file><path>x</path><content>one</content></create_file>"


def in_a_new_process(code: str, folder: Path) -> str:
    """Return what a program prints in an empty folder, and nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert list(folder.iterdir()) == []
    return done.stdout.strip()


def test_what_is_shown_is_what_is_public():
    """Each name once, in order, and no room of the house among them but one that is meant; each is there, and is what its module defines."""
    assert dir(al) == sorted(set(al.__all__))
    assert [name for name in dir(al) if isinstance(getattr(al, name), ModuleType)] == [*al._ROOMS]
    with pytest.raises(AttributeError, match="module 'actionledger' has no attribute 'parze'"):
        al.parze  # noqa: B018


def test_no_module_has_the_name_of_something_public():
    """It would take its place as soon as anything imports it."""
    assert {module.name for module in iter_modules(al.__path__)} & set(al.__all__) == set()


def test_editors_are_told_the_same_names():
    """What is imported for whoever checks types is what is loaded when it is asked for."""
    tree = ast.parse(Path(al.__file__).read_text(encoding="utf-8"))
    (told,) = (
        node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    names = {each.asname: f"{line.module}.{each.name}" for line in told.body for each in line.names}
    rooms = {name: f"actionledger.{module}" for name, module in al._ROOMS.items()}
    assert names == rooms | {name: f"actionledger.{module}.{name}" for name, module in al._MODULES.items()}


def test_every_public_function_and_class_is_documented():
    """Whoever asks for help gets some."""
    assert [name for name in al.__all__ if name != "__version__" and not getattr(al, name).__doc__] == []


BARE = """
import sys

class Bare:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in OTHERS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Bare())
from actionledger import *
from actionledger import __all__
assert set(__all__) <= set(globals()), set(__all__) - set(globals())
assert "funnel" not in dir(charts)
for ask in (lambda: charts.funnel, lambda: charts.fun, lambda: span_processor("x.duckdb")):
    try:
        ask()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
"""


def installed_with(*requirements: str) -> set[str]:
    """Return the top modules of packages, and of all that they require themselves."""
    packages, names = [*requirements], set()
    while packages:
        name = re.match(r"[\w.-]+", packages.pop())[0]
        if name not in names:
            names.add(name)
            packages += [
                each for each in metadata.requires(name) or () if "extra ==" not in each and is_for_here(each)
            ]
    places = metadata.packages_distributions()
    plain = {re.sub("[-_.]+", "-", name).lower() for name in names}
    return {
        module
        for module, owners in places.items()
        if plain & {re.sub("[-_.]+", "-", owner).lower() for owner in owners}
    }


def is_for_here(requirement: str) -> bool:
    """Return whether a requirement's package is installed: one for another system or an older Python isn't."""
    try:
        return bool(metadata.distribution(re.match(r"[\w.-]+", requirement)[0]))
    except metadata.PackageNotFoundError:
        return False


def test_every_public_name_is_there_on_a_bare_install(tmp_path):
    """With what the core requires and nothing else; what an extra brings says so when it is asked for."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    others = (
        metadata.packages_distributions().keys() - installed_with(*project["dependencies"]) - {"actionledger"}
    )
    assert {"altair", "pandas", "streamlit"} <= others
    said = in_a_new_process(f"OTHERS = {sorted(others)!r}\n{BARE}", tmp_path).splitlines()
    assert said == [
        "MissingPackageError: A chart needs altair and pandas, not installed here: pip install 'actionledger[notebook]'.",
        "AttributeError: module 'actionledger.report.charts' has no attribute 'fun'",
        "MissingPackageError: A span processor needs opentelemetry-sdk, not installed here: pip install 'actionledger[live]'.",
    ]


def test_importing_loads_nothing_else(tmp_path):
    """Nothing is printed, nothing is written, and of this package and of others nothing is loaded that isn't needed."""
    code = "import sys; before = set(sys.modules); import actionledger; print(*sorted(set(sys.modules) - before))"
    loaded = in_a_new_process(code, tmp_path).split()
    assert [name for name in loaded if name.startswith("actionledger.")] == [
        "actionledger._version",
        "actionledger.core",
        "actionledger.core.hooks",
    ]
    assert [
        name for name in loaded if name.split(".")[0] not in {*sys.stdlib_module_names, "actionledger"}
    ] == []


EXTRAS = {
    "streamlit",
    "pandas",
    "polars",
    "pyarrow",
    "altair",
    "scipy",
    "httpx",
    "tenacity",
    "openai",
}
SLOW = {"jsonschema", "typer", "rich", "prompt_toolkit", "duckdb", *EXTRAS}
ROOMS = {
    *("ledger", "replay", "profiles", "demo", "cli", "imports", "report"),
    *(f"runtime.{name}" for name in ("session", "models", "agent", "sandbox", "commands")),
}


USES = {
    "al.decode('{}')": set(),
    "al.parse('x', dialects=['hermes'])": set(),
    "al.render([('f', {})], 'hermes')": set(),
    "al.parse('x', dialects=['hermes'], tools=[{'name': 'f', 'parameters': {}}])": {"jsonschema"},
    "al.parse('x', profile='mint')": {"profiles"},
    "al.open_ledger": {"duckdb", "ledger"},
}
"""One after the other, and what each needs that nothing before it has needed."""


def test_what_is_used_loads_what_it_needs(tmp_path):
    loaded = "{name.removeprefix('actionledger.') for name in sys.modules}"
    code = "import sys, actionledger as al\n" + "".join(f"{use}\nprint(*{loaded})\n" for use in USES)
    known: set[str] = set()
    for (use, needed), said in zip(USES.items(), in_a_new_process(code, tmp_path).splitlines(), strict=True):
        names = said.split()
        now = {each for each in SLOW | ROOMS if any(f"{name}.".startswith(f"{each}.") for name in names)}
        assert now - known == needed, use
        known = now


def test_the_names_of_everything():
    """Dialects, profiles and parsers can be listed, and each listed name be used."""
    for name in al.dialect_names():
        assert al.parse("x", dialects=[name]).parser_name == name
    for name in al.profile_names():
        assert al.parse("x", profile=name).catalogue == al.profile(name).catalogue.name
    for name in al.parser_names():
        assert al.parse("x", parser=name).parser_id == al.parser(name).id
    assert set(al.profile_names()) == set(PROFILES)
    assert {
        "gembrain-standard",
        "gembrain-iterative",
        "echelon-progressive",
        "go-tags",
        "mint-harness",
    } < set(al.parser_names())
    assert {"actions", "iteration", "json_action", "xml_tags", "plan", "mint"} <= set(al.dialect_names())


def test_calls_can_be_written_in_a_dialect():
    """As tuples, or as they were read from another dialect; by the dialect's name or as a value."""
    calls = [("get_weather", {"city": "Paris"}), ("get_time", {"zone": "Asia/Tokyo"}, "call_1")]
    text = al.render(calls, dialect="hermes")
    assert text == (
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "get_time", "arguments": {"zone": "Asia/Tokyo"}, "id": "call_1"}\n</tool_call>'
    )
    result = al.parse(text, dialects=["hermes"])
    assert al.render(result.actions, dialect="hermes") == text
    assert al.render(result.actions, dialect_named("lfm2")) == (
        '<|tool_call_start|>[get_weather(city="Paris"), get_time(zone="Asia/Tokyo")]<|tool_call_end|>'
    )


def test_what_can_not_be_written_is_refused():
    """An unknown dialect, something that is no call, no call at all, and a call that would be read as another one."""
    with pytest.raises(UnknownNameError, match="no dialect 'hermess'"):
        al.render([("f", {})], dialect="hermess")
    for wrong in ("f", ("f",), {"name": "f", "arguments": {}}, ("f", [1]), ("f", {}, 7)):
        with pytest.raises(UsageError, match="A call to write is"):
            al.render([wrong], dialect="hermes")
    with pytest.raises(UsageError, match="at least one"):
        al.render([], dialect="hermes")
    with pytest.raises(RenderError, match="null in the argument 'path'"):
        al.render([("read_file", {"path": None})], dialect="xml_tags")


def test_parsers_have_different_hashes():
    """A record knows a parser by its hash."""
    assert len({parser.id for parser in PARSERS.values()}) == len(PARSERS)


@pytest.mark.parametrize("profile", ["assistant", PROFILES["assistant"]], ids=["by name", "as a value"])
def test_reading_under_a_profile(profile):
    """Its parser reads, its catalogue checks, and the result says who did."""
    result = al.parse(f"I shall.\n\n{BLOCK}\n\nDone.", profile=profile)
    assert (result.outcome, result.narrative) == (Outcome.CLEAN, "I shall.\n\nDone.")
    assert (result.parser_name, result.catalogue) == ("assistant", "assistant")
    (call,) = result.actions
    assert (call.name, call.status, call.dialect) == ("create_task", ActionStatus.VALID, "actions")
    assert call.arguments == {"content": "water the plants"}
    assert call.action.content == "water the plants"
    assert json.loads(call.span.of(result.text)) == {"type": "create_task", "content": "water the plants"}
    assert result.blocks[0].span.of(result.text) == BLOCK
    assert (result.issues, result.repairs, call.repairs) == ((), (), ())


@pytest.mark.parametrize("name", ["gembrain-standard", "assistant"])
def test_reading_with_a_parser(name):
    """By its name or as a value; without a catalogue nothing is checked."""
    for parser in (name, al.parser(name)):
        result = al.parse(UNKNOWN, parser=parser)
        assert (result.parser_name, result.catalogue) == (name, None)
        assert (result.actions[0].status, result.actions[0].action) == (ActionStatus.NOT_CHECKED, None)


def test_reading_for_dialects():
    both = f"{BLOCK}\n\n{CREATE}"
    assert [call.dialect for call in al.parse(both, dialects=["xml_tags"]).actions] == ["xml_tags"]
    assert [call.dialect for call in al.parse(both, dialects=["xml_tags", "actions"]).actions] == [
        "actions",
        "xml_tags",
    ]


@pytest.mark.parametrize("how", [{"parser": "gembrain-standard"}, {"dialects": ["actions"]}])
def test_a_profile_lends_its_catalogue_to_another_parser(how):
    """So two parsers can be compared under the same rules."""
    result = al.parse(UNKNOWN, profile="assistant", **how)
    assert result.catalogue == "assistant"
    assert result.actions[0].status is ActionStatus.UNKNOWN


def test_the_tags_of_xml_are_those_of_the_offered_tools():
    """Each tool is a tag, each of its parameters one inside it; texts are typed by the schema, and only what was offered is read."""
    tools = [
        {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            },
        },
        {"name": "ping", "parameters": {"type": "object", "properties": {}}},
    ]
    text = (
        "Sure.\n<get_weather>\n<city>\n京都 🍁\n</city>\n<days>3</days>\n</get_weather>\n<Get-Weather city='Köln'/>\n<ping></ping>\n"
        "<read_file><path>a</path></read_file>"
    )
    result = al.parse(text, dialects=["xml_tags"], tools=tools)
    assert [(action.name, action.arguments) for action in result.actions] == [
        ("get_weather", {"city": "京都 🍁", "days": 3}),
        ("get_weather", {"city": "Köln"}),
        ("ping", {}),
    ]
    assert [action.name for action in al.parse(text, dialects=["xml_tags"]).actions] == ["read_file"]
    assert al.parse("<ping></ping> <a><>", dialects=["xml_tags"], tools=[]).actions == ()
    assert len(al.parse("<ping></ping> <a><>", dialects=["xml_tags"], tools=tools[1:]).actions) == 1


def test_reading_against_tools():
    """Definitions as a provider's interface takes them replace a profile's catalogue."""
    tool = {
        "type": "function",
        "function": {"name": "fly", "parameters": {"type": "object", "required": ["to"]}},
    }
    (call,) = al.parse(UNKNOWN, dialects=["actions"], tools=[tool]).actions
    assert (call.status, call.reason) == (ActionStatus.INVALID, "missing_field")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "Say how to read"),
        ({"dialects": ["actions"], "parser": "assistant"}, "either dialects or a parser"),
        ({"dialects": "actions"}, r"write \['actions'\]"),
        ({"profile": "asistant"}, "Did you mean 'assistant'"),
        ({"parser": "gembrain"}, "There is no parser 'gembrain'"),
        ({"dialects": ["action"]}, "Did you mean 'actions'"),
        ({"dialects": ["actions", "nope"]}, "There is no dialect 'nope'"),
        ({"parser": ""}, "There is no parser ''"),
        ({"profile": ""}, "There is no profile ''"),
    ],
)
def test_a_call_that_cannot_work_says_why(how, message):
    """In one sentence, with what would work."""
    with pytest.raises(UsageError, match=message):
        al.parse("x", **how)


def test_unknown_names_are_refused_everywhere():
    """A parser, a profile and a session's profile."""
    for call in (lambda: al.parser("x"), lambda: al.profile("x"), lambda: al.Runtime("x")):
        with pytest.raises(UnknownNameError):
            call()


@settings(max_examples=examples(60))
@given(text(alphabet='`{}[]<>/\\"\n\0 ,:actions\ud800json1é🙂', max_size=60))
def test_no_text_raises(response):
    """Whatever a model writes is read, under every profile and with every parser, and every span is within it."""
    readings = [al.parse(response, profile=name) for name in al.profile_names()]
    readings += [al.parse(response, parser=name) for name in al.parser_names()]
    for result in readings:
        assert result.text == response
        assert all(0 <= block.span.start <= block.span.end <= len(response) for block in result.blocks)


def test_decoding_alone():
    """Tolerant JSON without any dialect."""
    decoded = al.decode('{"a": 1,}')
    assert (decoded.value, decoded.end) == ({"a": 1}, 9)
    assert [repair.kind for repair in decoded.repairs] == ["trailing_comma"]
    assert decoded.issues == ()


def test_a_session_without_a_ledger_in_a_temporary_folder():
    """Nothing has to be given but the profile; the folder is gone afterwards."""
    with al.Runtime("coder", auto=True) as runtime:
        turn = runtime.handle(CREATE)
        folder = runtime.workspace
        assert (folder / "x").read_text() == "one"
    assert turn.observations[0].status is ExecutionStatus.SUCCEEDED
    assert not folder.exists()


def test_a_given_workspace_is_made_and_stays(tmp_path):
    """Its files are the point of it."""
    with al.Runtime("coder", workspace=tmp_path / "demo", auto=True) as runtime:
        runtime.handle(CREATE)
    assert (tmp_path / "demo" / "x").read_text() == "one"


def test_a_workspace_that_cannot_be_is_refused(tmp_path):
    """When the session begins, not when the first action wants it."""
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="can't be used"):
        al.Runtime("coder", workspace=tmp_path / "file")


def test_a_closed_session_takes_no_response():
    """Its folder is gone and its end recorded; closing it again does nothing."""
    runtime = al.Runtime("assistant")
    runtime.handle(BLOCK)
    runtime.close()
    runtime.close()
    with pytest.raises(UsageError, match="is closed"):
        runtime.handle(BLOCK)


def test_records_survive(tmp_path):
    """Whoever opens the ledger next finds the session: text, reading, effect, feedback and end."""
    path = tmp_path / "team.duckdb"
    with (
        al.open_ledger(path) as ledger,
        al.Runtime("coder", ledger=ledger, auto=True, model="m", task="t") as runtime,
    ):
        turn = runtime.handle(f"I write it.\n\n{CREATE}", prompt="Write x.")
        runtime.handle("That is all.")
        runtime.close(success=True, reason="done")
    with open_ledger(path, read_only=True) as ledger:
        assert ledger.sql(
            "SELECT session_id::VARCHAR, profile, model, task, source, success, reason FROM sessions"
        ).fetchall() == [(turn.session_id, "coder", "m", "t", "live", True, "done")]
        assert ledger.sql("SELECT turn_index, text, prompt, feedback FROM turns ORDER BY 1").fetchall() == [
            (0, f"I write it.\n\n{CREATE}", "Write x.", turn.feedback),
            (1, "That is all.", None, ""),
        ]
        assert ledger.sql("SELECT outcome FROM parse_attempts ORDER BY turn_index").fetchall() == [
            ("clean",),
            ("no_action",),
        ]
        assert ledger.sql("SELECT name, status, result FROM executions").fetchall() == [
            ("create_file", "succeeded", '{"path":"x","bytes":3,"created":true}')
        ]
        assert ledger.sql("SELECT run_kind, name, turns FROM runs").fetchall() == [("live", "live coder", 2)]
        assert ledger.sql("SELECT name FROM parsers").fetchall() == [("coder",)]


def test_an_error_ends_the_session_with_its_name(tmp_path):
    """How it ended is in the record."""

    def fail(ledger):
        with al.Runtime("assistant", ledger=ledger) as runtime:
            runtime.handle("x")
            raise ZeroDivisionError

    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        with pytest.raises(ZeroDivisionError):
            fail(ledger)
        assert ledger.sql("SELECT success, reason FROM sessions").fetchall() == [(None, "ZeroDivisionError")]


def test_a_session_that_said_nothing_is_not_recorded(ledger):
    """There is nothing to say of it."""
    with al.Runtime("assistant", ledger=ledger):
        pass
    assert ledger.sql("SELECT count(*) FROM events").fetchall() == [(0,)]


_KILLED = """
import os, sys
import actionledger as al
ledger = al.open_ledger(sys.argv[1])
runtime = al.Runtime("coder", ledger=ledger, workspace=sys.argv[2], auto=True)
runtime.handle("<create_file><path>x</path><content>one</content></create_file>")
def killed(*_):
    os.write(1, b"killed")
    os._exit(9)
al.Runtime.close = killed
from actionledger.runtime.workspace import Workspace
Workspace.write = killed
runtime.handle("<create_file><path>y</path><content>two</content></create_file>")
"""


def test_a_session_that_is_killed_in_the_middle_leaves_what_it_did(tmp_path, forked):
    """A finished turn is whole; an action that was started and not finished is interrupted, and nothing is guessed."""
    path = tmp_path / "team.duckdb"
    done = forked.run(_KILLED, tmp_path, path, tmp_path / "work")
    assert (done.returncode, done.stdout) == (9, "killed")
    with al.open_ledger(path) as ledger:
        assert ledger.sql("SELECT turn_index, status, reason FROM executions ORDER BY 1").fetchall() == [
            (0, "succeeded", None),
            (1, "interrupted", "never_finished"),
        ]
        assert ledger.sql("SELECT count(*), count(feedback) FROM turns").fetchall() == [(2, 1)]


def test_what_else_is_known_of_a_session_is_recorded(tmp_path):
    """As JSON beside its folder, secrets masked as everywhere; where it is opened again it stays what it was."""
    metadata = {"suite": "nightly", "seed": 7, "password": "hunter2-hunter2", "odd": "\ud83d", "tags": ("a",)}
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        with al.Runtime("assistant", ledger=ledger, workspace=tmp_path / "w", metadata=metadata) as runtime:
            runtime.handle("x")
        with al.Runtime.reopen(ledger, runtime.session_id) as again:
            again.handle("y")
        ((recorded,),) = ledger.sql("SELECT metadata::VARCHAR FROM sessions").fetchall()
    assert json.loads(recorded) == {
        "suite": "nightly",
        "seed": 7,
        "password": "*" * 15,
        "odd": "\ufffd",
        "tags": ["a"],
        "workspace": str(tmp_path / "w"),
        "temporary": False,
    }


@pytest.mark.parametrize("name", ["workspace", "temporary"])
def test_metadata_does_not_say_where_a_session_works(name):
    """The session says that itself, and finds its folder by it."""
    with pytest.raises(UsageError, match=f"{name!r}, which the session records itself"):
        al.Runtime("assistant", metadata={name: "x"})


def test_nothing_runs_where_the_ledger_is_closed(tmp_path):
    """What can't be recorded isn't done."""
    ledger = al.open_ledger(tmp_path / "team.duckdb")
    runtime = al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work", auto=True)
    ledger.close()
    with pytest.raises(LedgerError, match="is closed"):
        runtime.handle(CREATE)
    assert list((tmp_path / "work").iterdir()) == []


def test_two_sessions_in_one_ledger_are_two(ledger):
    """Each has its own id and its own turns from 0."""
    for _ in range(2):
        with al.Runtime("assistant", ledger=ledger) as runtime:
            runtime.handle(BLOCK)
            runtime.handle(BLOCK)
    query = "SELECT count(DISTINCT session_id), count(DISTINCT turn_id), max(turn_index) FROM turns"
    assert ledger.sql(query).fetchall() == [(2, 4, 1)]


class Wave(al.Action):
    """Wave at somebody."""

    example: ClassVar[dict[str, str]] = {"to": "the crew"}
    type: Literal["wave"]
    to: str


def test_a_profile_of_ones_own(tmp_path):
    """Catalogue, policy and handlers are values that anyone can make, and a session runs and records them."""
    catalogue = al.Catalogue(name="waving", actions=(Wave,))
    policy = Policy((("wave", Verdict.APPROVE),))
    mine = al.Profile(
        "mine",
        al.parser("assistant"),
        catalogue,
        policy,
        lambda _workspace: Handlers({"wave": lambda a, _: a.to}),
    )
    text = '```actions\n{"actions": [{"type": "wave", "to": "the crew"}, {"type": "create_task", "content": "x"}]}\n```'
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        with al.Runtime(mine, ledger=ledger) as runtime:
            turn = runtime.handle(text)
        assert ledger.sql("SELECT profile, catalogue FROM parse_attempts").fetchall() == [("mine", "waving")]
    assert [observation.result for observation in turn.observations] == ["the crew"]
    assert [call.status for call in turn.result.actions] == [ActionStatus.VALID, ActionStatus.UNKNOWN]


def test_every_dialect_at_once_says_which_it_found():
    """With "auto" each action names its dialect, and prose about tools holds none."""
    text = (
        'Two calls.\n<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>\n[TOOL_CALLS]b[ARGS]{"x": 1}\n'
    )
    result = al.parse(text, dialects="auto")
    assert [(call.name, call.dialect) for call in result.actions] == [("a", "hermes"), ("b", "mistral")]
    prose = "A model writes <tool_call> tags or `[TOOL_CALLS]`, then the harness runs get_weather(city)."
    assert al.parse(prose, dialects="auto").actions == ()


def test_offered_tools_are_what_actions_are_checked_against():
    """Tools given as JSON Schema take the catalogue's place, and type what a dialect can only write as text."""
    schema = {
        "type": "object",
        "properties": {"zip": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["zip"],
    }
    tools = [{"type": "function", "function": {"name": "weather", "parameters": schema}}]
    text = (
        "<tool_call>\n<function=weather>\n<parameter=zip>\n03106\n</parameter>\n"
        "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"
    )
    result = al.parse(text, dialects=["qwen3_coder"], tools=tools)
    assert result.catalogue == "tools"
    assert result.actions[0].arguments == {"zip": "03106", "days": 3}
    untyped = al.parse(text, dialects=["qwen3_coder"])
    assert untyped.actions[0].arguments == {"zip": "03106", "days": "3"}


MESSAGE = {
    "role": "assistant",
    "content": "Sunny?",
    "tool_calls": [
        {"id": "c1", "function": {"name": "get_weather", "arguments": '{"city": "Paris", "days": "3"}'}}
    ],
}


def test_a_providers_message_is_checked_like_a_response():
    """Against the tools that were offered, with the provider's id and the place in the text."""
    parameters = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
    tools = [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}]
    result = al.parse_message(MESSAGE, tools=tools)
    (call,) = result.actions
    assert (call.name, call.call_id, call.span) == ("get_weather", "c1", (6, 6))
    assert [each.path for each in call.conversions] == ["days"]
    assert (result.text, result.parser_name) == ("Sunny?", "provider-messages")
    assert al.parse_message(MESSAGE).valid_actions
    assert al.parse_message(MESSAGE, profile="assistant").actions[0].status is ActionStatus.UNKNOWN


def test_a_providers_message_is_checked_against_one_catalogue():
    """Two would contradict each other."""
    with pytest.raises(UsageError, match="one catalogue"):
        al.parse_message(MESSAGE, profile="assistant", tools=[])


def test_whoever_listens_to_a_session_is_told_its_events():
    """In order, the response first and the turn's end last."""
    heard: list[str] = []
    with al.Runtime("assistant", listen=lambda event: heard.append(type(event).__name__)) as session:
        session.handle('```actions\n{"actions": [{"type": "list_tasks"}]}\n```')
        in_turn = heard[heard.index("ResponseReceived") :]
    assert in_turn == [
        "ResponseReceived",
        "ResponseParsed",
        "ExecutionStarted",
        "ExecutionFinished",
        "TurnFinished",
    ]


@pytest.mark.parametrize("message", [object(), {"content": [b"x"]}, {1: 2}, {"a": {"b": {1, 2}}}])
def test_a_message_that_is_no_json_is_refused_with_a_sentence(message):
    """A client's object is not read as a message without calls."""
    with pytest.raises(al.ActionLedgerError, match="model_dump"):
        al.parse_message(message)


def test_a_message_that_holds_itself_is_refused():
    """Nothing goes round in circles."""
    message = {"content": []}
    message["content"].append(message)
    with pytest.raises(al.ActionLedgerError, match=r"holds itself at 'content\.0'"):
        al.parse_message(message)


def test_a_coerced_action_runs_and_its_conversions_are_recorded(tmp_path):
    """What was written and what it was taken as, what was left out, and the note to the model; no failure is counted."""
    action = {"type": "create_task", "content": "x", "colour_of_it": 1, "depends_on": []}
    more = {"type": "list_tasks", "limit": "5"}
    text = "```actions\n" + json.dumps({"actions": [action, more]}) + "\n```"
    with (
        open_ledger(tmp_path / "team.duckdb") as ledger,
        al.Runtime("assistant", ledger=ledger, auto=True) as runtime,
    ):
        turn = runtime.handle(text)
        rows = ledger.sql("SELECT name, code, path, value, expected FROM validation_errors").fetchall()
        issues = ledger.sql("SELECT code FROM issues").fetchall()
    assert [each.status for each in turn.observations] == [ExecutionStatus.SUCCEEDED] * 2
    assert [call.status for call in turn.result.actions] == [ActionStatus.COERCED] * 2
    assert rows == [("list_tasks", "converted", "limit", '"5"', "5")]
    assert issues == [("unknown_field",)]
    assert "Note: The action has no such field. The field 'colour_of_it'" in turn.feedback
    assert turn.issues == ()
