# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # What does a careful policy cost?
#
# Three policies apply to the same model and the same tasks: everything may run; nothing may be deleted; only tasks may be touched. How
# many of the model's actions are executed under each policy, and how many conversations end too early?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# Without a model, the notebook replays the recorded responses of the sample sessions, **which the project made up** (`data/README.md`).
# A recorded model doesn't react to feedback, so this is the cost of a policy for a model that never learns from a denial. Set `MODEL`
# to request the same tasks from a real model.

# %% tags=["parameters"]
MODEL = ""  # a model such as "ollama:qwen3"; empty for the recorded responses
SESSIONS = 60  # number of tasks

# %%
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt

import actionledger as al

alt.renderers.enable("png")  # every notebook viewer shows PNG pictures

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
work = Path(mkdtemp())
samples = al.open_ledger(work / "samples.duckdb")
al.import_path(HERE / "../data/sessions.jsonl", samples)
chosen = samples.sql(
    """
    SELECT external_id, any_value(prompt) FILTER (prompt <> '') AS request FROM sessions JOIN turns USING (session_id)
    WHERE sessions.profile = 'assistant' AND session_id NOT IN (SELECT session_id FROM actions WHERE name = 'execute_code')
    GROUP BY external_id ORDER BY external_id LIMIT $sessions""",
    {"sessions": SESSIONS},
).fetchall()
tasks = {name: request or "Go on." for name, request in chosen}
print(f"{len(tasks)} tasks, each a recorded session whose responses contain no code")

# %% [markdown]
# ## The variants
#
# A variant is a profile, a model, and here a policy. A policy's rule approves or rejects the actions that it matches; the first match
# decides.

# %%
approve, reject = al.Verdict.APPROVE, al.Verdict.REJECT
policies = {
    "free": al.Policy((al.Rule("*", approve),)),
    "no deleting": al.Policy((al.Rule("delete_*", reject, why="Nothing is deleted."), al.Rule("*", approve))),
    "tasks alone": al.Policy(
        (al.Rule("*_task", approve), al.Rule("*_tasks", approve), al.Rule("*", reject, why="Only tasks."))
    ),
}


def recorded(task: str) -> al.Model:
    return al.model_from(f"recorded:{task}", ledger=samples)


variants = al.Variant.grid(
    profile={"assistant": "assistant"}, model={"model": MODEL or recorded}, policy=policies
)

# %% [markdown]
# ## The conversations
#
# Every variant gets every task, and each conversation is recorded. If you run the cell again, no request is repeated.

# %%
ledger = al.open_ledger(work / "experiment.duckdb")
with al.progress("running conversations") as tell:
    found = al.experiment(
        ledger, "policies", variants, tasks, budget=al.Budget(responses=2000), on_progress=tell
    )
print(found)
found.df()[["variant", "sessions", "responses", "parse_success", "validation", "execution"]]

# %% [markdown]
# ## Results of the actions
#
# For each policy, the chart counts the actions that were executed, those that it denied, and those that failed or were skipped as a
# consequence. An action that depends on a denied one is an example.

# %%
came = ledger.sql(
    """
    SELECT source, status, count(*) AS actions
    FROM executions JOIN (SELECT session_id, source FROM sessions) USING (session_id)
    GROUP BY ALL ORDER BY ALL"""
).df()
came["policy"] = came.source.str.removeprefix("policies: ")
alt.Chart(came).mark_bar().encode(
    x=alt.X("actions:Q", title="actions"),
    y=alt.Y("policy:N", sort=list(policies), title=None),
    color=alt.Color("status:N", title=None),
).properties(width=420, height=alt.Step(26))

# %% [markdown]
# ## How the conversations ended
#
# A session ends normally, or because no action was executed three times in a row, or because the recorded responses ran out
# (`model_failed`: a model that can continue would repeat such a conversation).

# %%
ended = ledger.sql("SELECT source, reason, count(*) AS sessions FROM sessions GROUP BY ALL ORDER BY ALL").df()
ended.pivot_table(index="source", columns="reason", values="sessions", fill_value=0).astype(int)

# %% [markdown]
# ## Two policies side by side
#
# Parsing and validation don't depend on a policy. If they differ, the policies saw different responses, because a conversation ended
# earlier.

# %%
compared = found.compare("free", "tasks alone")
al.charts.compared(compared, "free", "tasks alone")

# %%
shares = {}
for policy in policies:
    counts = came[came.policy == policy].set_index("status").actions
    shares[policy] = (int(counts.get("succeeded", 0)), int(counts.sum()), int(counts.get("denied", 0)))
early = {
    policy: int(ended[(ended.source == f"policies: {policy}") & (ended.reason == "failures")].sessions.sum())
    for policy in policies
}
sentences = [
    f"{policy!r}: {done:,} of {asked:,} actions executed ({done / asked:.0%}), {denied:,} denied, {early[policy]} of {len(tasks)} "
    "conversations ended because no action was executed."
    for policy, (done, asked, denied) in shares.items()
]
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
assert shares["free"][2] == 0, "a policy that lets everything run denies nothing"
assert shares["tasks alone"][2] > shares["no deleting"][2], "a narrower policy denies more"
assert found.left == 0, "every task was worked on"
assert sum(ended.sessions) == len(tasks) * len(policies), "each variant has each task once"
ledger.close()
samples.close()
