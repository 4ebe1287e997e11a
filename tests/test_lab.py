"""The parts of the lab that need no agent: its scenarios, its server's interfaces, what it compares, and how it tells losses from faults."""

import json
from dataclasses import replace

import pytest

from lab.agents import AGENTS, fits
from lab.compare import Difference, differences, is_ours, longest, searcher, strangers
from lab.drift import changes
from lab.frameworks import FRAMEWORKS, PROGRAMS
from lab.install import pins
from lab.interfaces import SERVED, STREAMS, WHOLE, refused, stream
from lab.judging import Cell, Known, judged, known, ours_behind
from lab.results import cells_in, keep_results, kept as kept_results, with_new
from lab.rows import Action, Execution, Turn
from lab.rules import merged
from lab.scenarios import SCENARIOS
from lab.server import Server, is_told, pieces
from lab.shapes import Shape, shape_of, worded
from lab.steps import HELPER, RAN, Step, call_of, command, text_of
from lab.table import faults, losses, named, table
from lab.together import came_through, is_joinable, joined, of_each
from lab.truth import Answer, Call, Truth, tokens_of

CALL = Call("c1", "bash", '{"command": "x"}', "mark", 3)
ANSWER = Answer(0, "chat", "I try.", (CALL,), "call", tokens_of(0))
TOLD = tokens_of(0)


def turn(**fields) -> Turn:
    """The turn that is right for ``ANSWER``."""
    tokens = {name: getattr(TOLD, name) for name in ("input", "cached", "output", "reasoning")}
    right = Turn("I try.", SERVED, "tool_calls", tokens, [Action("c1", "bash", "valid", CALL.raw)])
    right.executions.append(Execution("c1", "failed"))
    return replace(right, **fields)


def found(answer: Answer, *turns: Turn, ran=("mark",)) -> list[str]:
    return [str(each) for each in differences(Truth([answer], [b""], ran=ran), turns)]


def test_what_is_right_differs_in_nothing():
    assert found(ANSWER, turn()) == []
    assert found(ANSWER, turn(actions=[Action("bash__c1", "bash", "valid", CALL.raw)])) == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"text": "I tr"}, "text: I tr for I try."),
        ({"model": "asked"}, f"model: asked for {SERVED}"),
        ({"finish": "length"}, "finish: length for call"),
        ({"executions": [Execution("c1", "succeeded")]}, "status: succeeded for failed"),
        ({"executions": []}, "status: not recorded for failed"),
        ({"actions": [Action("c1", "sh", "valid", CALL.raw)]}, "name: sh for bash"),
        ({"actions": [Action("c1", "bash", "valid", "{}")]}, 'arguments: {} for {"command": "x"}'),
        ({"actions": []}, "call: none for bash mark"),
    ],
)
def test_what_is_wrong_is_told(fields, said):
    assert found(ANSWER, turn(**fields)) == [said]


def test_tokens_are_compared_one_by_one():
    wrong = turn(tokens={"input": 1, "cached": TOLD.cached, "output": None, "reasoning": TOLD.reasoning})
    assert found(ANSWER, wrong) == [
        f"input tokens: 1 for {TOLD.input}",
        f"output tokens: None for {TOLD.output}",
    ]


def test_what_was_lost_doubled_or_invented_is_told():
    assert found(ANSWER) == ["answer: none for I try."]
    assert found(ANSWER, turn(), turn()) == ["turn that nobody sent: I try. for none"]
    more = turn(actions=[Action("c1", "bash", "valid", CALL.raw), Action("c9", "go", "valid", "{}")])
    assert found(ANSWER, more) == ["call that nobody sent: go for none"]
    assert found(replace(ANSWER, is_side=True), turn()) == []


def test_what_never_ran_has_not_succeeded():
    """Whether a call ran says its mark, and nobody's word."""
    assert found(ANSWER, turn(executions=[]), ran=()) == []
    assert found(ANSWER, turn(executions=[Execution("c1", "succeeded")]), ran=()) == [
        "status: succeeded for never ran"
    ]


def test_broken_arguments_are_kept_as_text_and_are_no_call_in_order():
    broken = replace(ANSWER, calls=(replace(CALL, raw='{"command": "x'),))
    failed = [Execution("c1", "failed")]
    assert found(broken, turn(text='I try.\n{"command": "x', actions=[], executions=failed), ran=()) == []
    repaired = turn(actions=[Action("c1", "bash", "valid", '{"command":"x"}')], executions=failed)
    assert found(broken, repaired, ran=()) == ['broken arguments: {"command":"x"} for {"command": "x']


def test_two_calls_with_one_identifier_are_two():
    twice = replace(ANSWER, calls=(replace(CALL, mark="one", exit_status=0), CALL))
    actions = [Action("c1", "bash", "valid", CALL.raw)] * 2
    right = turn(actions=actions, executions=[Execution("c1", "succeeded"), Execution("c1", "failed")])
    assert found(twice, right, ran=("one", "mark")) == []
    swapped = turn(actions=actions, executions=right.executions[::-1])
    assert len(found(twice, swapped, ran=("one", "mark"))) == 2


def test_a_call_in_the_text_is_none():
    shown = replace(ANSWER, calls=(), finish="end")
    assert found(shown, turn(finish="stop", actions=[], executions=[])) == []
    assert found(shown, turn(finish="stop", executions=[Execution("", "succeeded")])) == [
        "status: succeeded for never called"
    ]


def test_what_the_recording_does_not_hold_is_the_agents_loss():
    lost = Difference(0, "input tokens", "None", "41003", ("41003", "23992"))
    assert is_ours(lost, searcher(b'{"input": 23992}'))
    assert not is_ours(lost, searcher(b'{"input": 9410031}'))
    assert is_ours(Difference(0, "status", "succeeded", "failed"), searcher(b""))
    raw = Difference(0, "broken arguments", "none", '{"command": "x', ('{"command": "x',))
    assert is_ours(raw, searcher(rb'{"raw": "{\\\"command\\\": \\\"x"}'))


def test_arguments_are_looked_for_by_their_longest_text():
    (wrong,) = differences(
        Truth([ANSWER], [b""], ran=("mark",)), [turn(actions=[Action("c1", "bash", "valid", "{}")])]
    )
    assert wrong.evidence == ("x",)
    assert longest(replace(CALL, raw='{"commands": ["echo one"], "why": "so"}')) == "echo one"


def test_a_proxy_loses_what_nobody_told():
    unknown = Difference(0, "status", "not recorded", "failed", ("c1",))
    assert not ours_behind(Truth([ANSWER], [b"c1"]))(unknown)
    assert ours_behind(Truth([ANSWER, ANSWER], [b"", b'{"tool_call_id": "c1"}']))(unknown)
    assert ours_behind(Truth())(Difference(0, "input tokens", "None", "41003", ("41003",)))


def test_a_known_loss_is_no_fault():
    wrong = [Difference(0, "status", "succeeded", "failed"), Difference(0, "name", "a", "b")]
    rows = [Known(("pi",), (), ("file",), ("status",), "it says so")]
    cell = judged("pi", "good", "file", wrong, ours=lambda _: True, losses=rows)
    assert (cell.wrong, cell.lost) == (("answer 0: name: a for b",), (("status", "it says so"),))
    assert judged("pi", "good", "proxy", wrong, ours=lambda _: False, losses=rows).lost == (
        ("status", ""),
        ("name", ""),
    )


def answer_of(step: Step, interface: str) -> Answer:
    tools = AGENTS["claude_code"].tools
    calls = tuple(call_of(asked, tools, f"{place}") for place, asked in enumerate(step.calls))
    finish = step.finish or ("call" if calls else "end")
    text, tokens = text_of(step, tools), tokens_of(1)
    return Answer(
        1, interface, text, calls, finish, tokens, thought=step.thought, cut=step.cut, usage=step.usage
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("interface", STREAMS)
def test_a_stream_says_what_the_whole_answer_says(scenario, interface):
    answer = answer_of(SCENARIOS[scenario].steps[0], interface)
    calls = answer.calls
    streamed = json.dumps([value for _, value in STREAMS[interface](answer)])
    whole = json.dumps(WHOLE[interface](answer))
    for call in calls:
        assert all(name in text for name in (call.id, call.name) for text in (streamed, whole))
    told = answer.tokens
    if answer.usage == "none":
        return
    numbers = (told.cached, *((told.output,) if interface != "gemini" else (told.reasoning,)))
    assert all(str(number) in text for number in numbers for text in (streamed, whole))


def test_broken_arguments_end_within_a_text():
    for name, agent in AGENTS.items():
        (asked,) = SCENARIOS["broken arguments"].steps[0].calls
        call = call_of(asked, agent.tools, "0")
        assert call.raw.endswith(RAN[:2]), name
        assert asked.mark in call.raw
        with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
            json.loads(call.raw)


@pytest.mark.parametrize("interface", STREAMS)
@pytest.mark.parametrize("cut", ["text", "call", "end"])
def test_what_breaks_off_has_no_end(interface, cut):
    (first, *_) = SCENARIOS[f"broken off {'at the end' if cut == 'end' else 'in a call'}"].steps
    answer = replace(answer_of(first, interface), cut=cut)
    whole = stream(replace(answer, cut=""))
    sent = stream(answer)
    assert 0 < len(sent) < len(whole)
    assert sent == whole[: len(sent)]
    said = json.dumps(sent)
    assert (answer.calls[0].id in said) is (cut != "text")
    assert str(answer.tokens.reasoning) not in said


def test_an_error_stands_in_an_answer_s_place():
    server = Server(SCENARIOS["server errors"], AGENTS["claude_code"].tools)
    body = {"tools": [{}], "messages": []}
    statuses = [server.answer("anthropic", body, b"").status for _ in range(3)]
    assert statuses == [500, 529, 429] == server.truth.errors
    assert server.answer("anthropic", body, b"").text == "At last."
    assert refused(529, "anthropic")["error"]["type"] == "overloaded_error"


def test_a_helper_is_known_by_its_task_and_not_by_the_call_that_sent_it():
    task = {"role": "user", "content": [{"type": "text", "text": f"Look. {HELPER}"}]}
    call = {"role": "assistant", "content": [{"type": "tool_use", "input": {"prompt": HELPER}}]}
    assert is_told({"messages": [task]}, HELPER)
    assert not is_told({"messages": [{"role": "user", "content": "Do it."}, call]}, HELPER)


def test_an_agent_runs_what_it_has_the_tools_and_the_ways_for():
    assert fits(AGENTS["claude_code"], SCENARIOS["forked"])
    assert not fits(AGENTS["gemini_cli"], SCENARIOS["forked"])
    assert not fits(AGENTS["cline"], SCENARIOS["MCP"])
    assert not fits(AGENTS["pi"], SCENARIOS["not permitted"])


def test_an_answer_that_broke_off_is_not_whole():
    """Its tokens are nobody's to say; that it came to an end is wrong, and so is a call that was never sent whole."""
    cut = replace(ANSWER, cut="call")
    broken = turn(finish="error", tokens=dict.fromkeys(turn().tokens), actions=[], executions=[])
    assert found(cut, broken, ran=()) == []
    assert found(cut, replace(broken, finish="stop"), ran=()) == ["finish: stop for broken off"]
    half = replace(broken, actions=[Action("c1", "bash", "valid", "{}")])
    assert found(cut, half, ran=()) == ["call that broke off: valid for not valid"]
    ran_never = replace(broken, executions=[Execution("c1", "succeeded")])
    assert found(cut, ran_never, ran=()) == ["status: succeeded for never ran"]


def test_an_empty_answer_is_an_empty_turn():
    empty = replace(ANSWER, text="", calls=(), finish="end")
    assert found(empty, turn(text="", finish="stop", actions=[], executions=[])) == []
    assert found(empty) == ["answer: none for "]
    thought = replace(empty, thought="I think.")
    assert found(thought, turn(text="", finish="stop", thought="I think.", actions=[], executions=[])) == []


def test_what_never_ended_has_not_succeeded():
    slow = replace(ANSWER, calls=(replace(CALL, exit_status=None),))
    assert found(slow, turn(executions=[Execution("c1", "timed_out")])) == []
    assert found(slow, turn()) == []
    assert found(slow, turn(executions=[Execution("c1", "succeeded")])) == [
        "status: succeeded for never ended"
    ]


def test_a_refusal_is_told_by_its_end():
    refusal = replace(ANSWER, calls=(), finish="refusal")
    right = turn(finish="content_filter", actions=[], executions=[])
    assert found(refusal, right) == []
    assert found(refusal, replace(right, finish="stop")) == ["finish: stop for refusal"]


def test_a_command_leaves_its_mark_and_its_status():
    (asked,) = SCENARIOS["exit 3"].steps[0].calls
    assert command(asked) == f"echo mark-exit | tee -a {RAN}; exit 3"


def test_numbers_of_tokens_are_found_once():
    told = [number for place in range(40) for number in vars(tokens_of(place)).values()]
    assert len(set(told)) == len(told)


def test_each_agent_and_framework_is_pinned_and_described():
    assert list(pins("agents")) == list(AGENTS)
    assert list(pins("frameworks")) == list(FRAMEWORKS)
    assert all((PROGRAMS / each.program).exists() for each in FRAMEWORKS.values())
    names = {*AGENTS, *FRAMEWORKS}
    for row in known():
        assert row.agents
        assert set(row.agents) <= names
        assert set(row.scenarios) <= set(SCENARIOS)
        assert set(row.ways) <= {"file", "proxy", "trace"}


def test_a_table_shows_what_is_wrong_and_what_is_lost():
    cells = [
        Cell("pi", "good", "file"),
        Cell("pi", "exit 3", "file", ("answer 0: name: a for b",), (("model", ""),)),
        Cell("pi", "unknown tool", "file", (), (("model", ""),)),
    ]
    assert table(cells, {"pi": "pi"}).splitlines() == [
        "| recorded by file | pi |",
        "|---|---|",
        "| good | right |",
        "| exit 3 | WRONG |",
        "| unknown tool | model |",
    ]
    assert faults(cells) == ["pi, exit 3, file: answer 0: name: a for b"]
    assert losses(cells, {"pi": "pi"}).splitlines()[-1] == "| pi | file | model | exit 3, unknown tool |"
    more = [replace(cells[2], scenario=name) for name in ("signal", "MCP", "killed")]
    assert losses([*cells, *more], {"pi": "pi"}).endswith("| model | everywhere but good |")
    most = table([*cells, *more], {"pi": "pi"}).splitlines()
    assert most[2] == "| *never there* | model |"
    assert "| signal | right |" in most


def test_a_cell_names_what_is_lost_in_a_few_words():
    tokens = [f"{each} tokens" for each in ("input", "cached", "output")]
    assert named(["thought", *tokens]) == "thought, tokens"
    assert named(["call", "call that nobody sent", "reasoning tokens"]) == "calls, reasoning tokens"


def test_results_are_kept_and_replaced_one_by_one(tmp_path):
    old = [Cell("pi", "good", "file"), Cell("pi", "signal", "file", (), (("model", "so"), ("finish", "so")))]
    gone = [Cell("cline", "good", "file")]
    first = with_new({}, [*old, *gone], {"pi": "1", "cline": "1"}, "2026-01-01")
    keep_results(first, tmp_path / "kept.json")
    again = kept_results(tmp_path / "kept.json")
    assert again == first
    new = Cell("pi", "good", "file", ("answer 0: name: a for b",))
    now = with_new(again, [new], {"pi": "1", "cline": "2"}, "2026-02-01")
    assert list(now) == ["pi"]
    assert now["pi"]["date"] == "2026-02-01"
    assert sorted(cells_in("pi", now["pi"]), key=lambda cell: cell.scenario) == [new, old[1]]


def test_what_is_kept_is_of_scenarios_and_pins_of_today():
    for name, row in kept_results().items():
        assert row["version"] == (pins("agents") | pins("frameworks"))[name].version
        for told in row["ways"].values():
            assert set(told["ran"]) <= set(SCENARIOS)
            assert {each for group in told["lost"] for each in group["in"]} <= set(told["ran"])


def test_an_answer_of_several_parts_keeps_their_order():
    (step, *_) = SCENARIOS["words around a call"].steps
    assert list(pieces(step)) == [
        ("text", "Before it."),
        ("call", 0),
        ("text", "Between both."),
        ("call", 1),
        ("text", "After them."),
    ]
    server = Server(SCENARIOS["words around a call"], AGENTS["pi"].tools)
    answer = server.answer("chat", {"tools": [{}], "messages": []}, b"")
    assert (answer.text, len(answer.calls)) == ("Before it.Between both.After them.", 2)
    said = [turn(text="Before it.\nAfter them.", actions=[], executions=[])]
    lacking = [str(each) for each in differences(Truth([answer], [b""]), said) if each.what == "text"]
    assert lacking == ["text: Before it. After them. for Between both."]


@pytest.mark.parametrize("interface", STREAMS)
def test_a_stream_fails_or_ends_without_its_last_events(interface):
    (step, *_) = SCENARIOS["error within the stream"].steps
    failed = stream(answer_of(step, interface))
    early = stream(replace(answer_of(step, interface), cut="unfinished"))
    assert failed[:-1] == early
    assert "Scripted error 529." in json.dumps(failed[-1])


@pytest.mark.parametrize("interface", STREAMS)
def test_tokens_may_be_left_out(interface):
    bare = answer_of(SCENARIOS["tokens not told"].steps[0], interface)
    said = json.dumps([stream(bare), WHOLE[interface](bare)])
    assert str(bare.tokens.output) not in said
    assert str(bare.tokens.cached) not in said
    nothing = turn(tokens=dict.fromkeys(turn().tokens))
    assert found(replace(ANSWER, usage="none"), nothing) == []
    assert "output tokens: 7 for not told" in found(
        replace(ANSWER, usage="none"), replace(nothing, tokens={**nothing.tokens, "output": 7})
    )


def test_a_run_is_one_tree_of_sessions():
    second = replace(ANSWER, number=1, calls=(), finish="end", text="It goes on.")
    truth = Truth([ANSWER, second], [b"", b""], ran=("mark",))
    turns = [turn(session="a"), turn(text="It goes on.", session="b", actions=[], executions=[])]
    assert strangers(truth, turns, {"a": "", "b": "a"}) == []
    assert [str(each) for each in strangers(truth, turns, {"a": "", "b": ""})] == [
        "lineage: 2 sessions apart for one tree"
    ]
    aside = Truth([ANSWER, replace(second, is_side=True)], [b"", b""], ran=("mark",))
    assert strangers(aside, turns, {"a": "", "b": ""}) == []


def test_scenarios_are_run_as_one_and_told_apart():
    names = ["exit 3", "asked to wait", "nothing printed"]
    assert all(is_joinable(SCENARIOS[name]) for name in names)
    alone = ("resumed", "bad request", "empty answer", "refusal", "cut by length", "sub-agent")
    assert not any(is_joinable(SCENARIOS[name]) for name in alone)
    server = Server(joined(names), AGENTS["pi"].tools)
    while not server.truth.answers or server.truth.answers[-1].text != "All of them are over.":
        server.answer("chat", {"tools": [{}], "messages": []}, b"")
    truth = server.truth
    assert [answer.of for answer in truth.answers] == [names[0], names[1], names[2], names[2], ""]
    assert came_through(names, truth) == names
    assert came_through(names, Truth(truth.answers[:3])) == names[:2]
    wrong = [Difference(1, "name", "a", "b"), Difference(-1, "lineage", "2", "1")]
    assert list(of_each(names, truth, wrong)) == [
        (names[0], []),
        (names[1], wrong[:1]),
        (names[2], wrong[1:]),
    ]


def test_a_rule_is_merged_into_the_settings():
    assert json.loads(merged('{"a": {"b": 1}}', {"a": {"c": [2]}})) == {"a": {"b": 1, "c": [2]}}
    assert merged("old", "new") == "new"
    for scenario in ("forbidden by a hook", "forbidden by the settings"):
        assert fits(AGENTS["claude_code"], SCENARIOS[scenario])
        assert not fits(AGENTS["cline"], SCENARIOS[scenario])


def test_a_call_in_a_namespace_has_its_name_in_parts():
    asked = SCENARIOS["MCP"].steps[0].calls[0]
    call = call_of(asked, AGENTS["codex"].tools, "0")
    assert (call.name, call.namespace) == ("mcp__lab__lab_mark", "mcp__lab")
    item = WHOLE["responses"](replace(ANSWER, calls=(call,)))["output"][-1]
    assert (item["name"], item["namespace"]) == ("lab_mark", "mcp__lab")


def test_a_shape_has_fields_kinds_and_no_values(tmp_path):
    lines = [{"type": "user", "text": "secret", "of": {"0a1b2c3d4e": {"deep": 1}}}, {"type": "call_abc"}]
    (tmp_path / "s.jsonl").write_text("\n".join(json.dumps(each) for each in lines))
    (tmp_path / "agent.log").write_text("begun\n")
    shape = shape_of(tmp_path)
    assert shape.fields == {"jsonl.type", "jsonl.text", "jsonl.of", "jsonl.of.*", "jsonl.of.*.deep"}
    assert shape.kinds == {"jsonl.type = user"}


def test_a_wording_has_no_names_of_one_run():
    assert worded("\nChunk ID: 1d2406, exit 3\nmore") == "Chunk ID: ID, exit N"


def test_drift_tells_the_outermost_field_and_each_wording():
    before = Shape({"a", "b"}, {"a = x"}, {worded("Exit code 3\nmark")})
    now = Shape({"a", "c", "c.d"}, {"a = x", "a = y"}, {worded("Ended with 4 in /home/me/x")})
    assert list(changes(before, now)) == [
        "+ field c",
        "- field b",
        "+ kind a = y",
        "+ wording Ended with N in PATH",
        "- wording Exit code N",
    ]
