"""Episodes of tau-bench and simulations of tau2: what was said, what came of it, and the reward."""

import gzip
import json

import pytest
from given_items import sessions

from actionledger.core.errors import SourceError
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.formats import tau2, tau_bench
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged

CALL = {"id": "c1", "type": "function", "function": {"name": "get_user", "arguments": '{"id": 1}'}}
TALK = [
    {"role": "system", "content": "Be an agent."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "name": "get_user", "content": "Error: user not found"},
    {"role": "assistant", "content": "Who are you?"},
    {"role": "user", "content": "###STOP###"},
]


def episode(task=0, reward=1.0, talk=TALK, **info):
    return {"task_id": task, "reward": reward, "info": info, "traj": talk, "trial": 0}


def written(tmp_path, value, name):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(value))
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [(name, 1)]
    return path


def test_an_episode_is_a_session_with_its_reward(tmp_path):
    """The same task again is another session; whether a tool failed is told by its words."""
    other = [*TALK[:2], {"role": "assistant", "content": "Hello."}]
    path = written(tmp_path, [episode(), episode(reward=-1.0, talk=other)], "tau_bench")
    one, two = sessions(tau_bench.read(path))
    first, second = one.turns
    assert (one.success, one.scores, two.success, two.scores) == (
        True,
        {"reward": 1.0},
        False,
        {"reward": -1.0},
    )
    assert one.external_id != two.external_id
    assert (first.prompt, first.capture, second.feedback) == ("Hi", Capture.ARGUMENTS, "###STOP###")
    assert (first.calls[0].arguments, one.metadata["system"]) == ('{"id": 1}', "Be an agent.")
    found = judged(first.results[0], tau_bench.SOURCE.wordings)
    assert (found.reason, found.is_inferred) == (Reason.NOT_FOUND, True)
    assert two.turns[0].capture is Capture.TEXT


def test_an_episode_that_broke_off_at_once_is_counted(tmp_path):
    """And what is no episode is refused."""
    items = list(tau_bench.read(written(tmp_path, [episode(talk=[]), {"task_id": 1}], "tau_bench")))
    assert [type(item) for item in items] == [Refusal, LeftOut]


def simulation(**fields):
    messages = [
        {"role": "user", "content": "Hi", "tool_calls": [{"id": "u1", "name": "toggle", "arguments": {}}]},
        {"role": "tool", "id": "u1", "content": "on", "requestor": "user"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "name": "get_user", "arguments": {"id": 1}, "requestor": "assistant"}
            ],
            "cost": 0.25,
            "usage": {"prompt_tokens": 9, "completion_tokens": 3},
            "timestamp": "2026-06-30T11:17:32",
        },
        {"role": "tool", "tool_messages": [{"role": "tool", "id": "c1", "content": "gone", "error": True}]},
    ]
    return {
        "id": "sim1",
        "task_id": "3",
        "trial": 0,
        "messages": messages,
        "reward_info": {"reward": 1.0, "reward_breakdown": {"DB": 1.0, "LENGTH": -0.5}},
        "termination_reason": "user_stop",
    } | fields


def result(*simulations):
    info = {"num_trials": 1, "agent_info": {"llm": "gpt-9"}}
    return {"timestamp": "2026", "info": info, "tasks": [], "simulations": list(simulations)}


def test_a_simulation_has_its_rewards_its_tokens_and_its_calls(tmp_path):
    """What the simulated user did with tools of its own is counted."""
    items = list(tau2.read(written(tmp_path, result(simulation()), "tau2")))
    (session,) = sessions(items)
    (turn,) = session.turns
    assert (session.external_id, session.model, session.reason) == ("sim1", "gpt-9", "user_stop")
    assert session.scores == {"reward": 1.0, "DB": 1.0, "LENGTH": -0.5}
    assert (turn.prompt, turn.capture, turn.calls[0].arguments) == ("Hi", Capture.CALLS, {"id": 1})
    assert (turn.usage.output_tokens, turn.usage.cost_usd, turn.results[0].is_error) == (3, 0.25, True)
    assert {(item.reason, item.detail) for item in items if isinstance(item, LeftOut)} == {
        (LeftOutReason.MADE_BY_CLIENT, "user's call"),
        (LeftOutReason.MADE_BY_CLIENT, "user's tool"),
    }


def test_the_providers_response_has_the_argument_strings(tmp_path):
    kept = simulation()
    kept["messages"][2]["raw_data"] = {"choices": [{"message": {"role": "assistant", "tool_calls": [CALL]}}]}
    (session,) = sessions(tau2.read(written(tmp_path, result(kept), "tau2")))
    assert (session.turns[0].calls[0].arguments, session.turns[0].capture) == ('{"id": 1}', Capture.ARGUMENTS)


def test_a_voice_run_has_no_messages(tmp_path):
    """It is counted; a document of something else is refused."""
    items = list(tau2.read(written(tmp_path, result(simulation(messages=[], ticks=[{}])), "tau2")))
    assert [(item.reason, item.detail) for item in items] == [(LeftOutReason.NO_TEXT, "simulation")]
    other = tmp_path / "other.json"
    other.write_text("[]")
    with pytest.raises(SourceError, match="not a result of tau2-bench"):
        list(tau2.read(other))


@pytest.mark.corpus
def test_episodes_of_others_are_read_whole(corpus, counted):
    """As many turns, calls and results as their messages, and the rewards as they are."""
    (path,) = corpus("tau-bench/*.json.gz")
    episodes = json.loads(gzip.decompress(path.read_bytes()))
    messages = [each for episode in episodes for each in episode["traj"]]
    found = counted("tau_bench", path)
    assert (found["sessions"], found["refused"]) == (len(episodes), 0)
    assert found["turns"] == sum(each["role"] == "assistant" for each in messages)
    assert found["calls"] == sum(len(each.get("tool_calls") or []) for each in messages)
    assert found["results"] == sum(each["role"] == "tool" for each in messages)
    given = sessions(tau_bench.read(path))
    assert sum(each.scores["reward"] for each in given) == sum(each["reward"] for each in episodes)
