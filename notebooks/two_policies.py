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
# Three policies, the same model, the same tasks: everything may run; nothing may be deleted; only tasks may be touched. How much of what the model asks for is
# done under each, and how many conversations end before their time?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # filled in by the last cell but one

# %% [markdown]
# Where no model is named, the recorded responses of the sample sessions are said once more, **which the project made up** (`data/README.md`). A recorded model doesn't
# react to what it is told, so that this is what a policy costs a model that never learns from a refusal. Name a model in `MODEL`, and it is asked the same.

# %% tags=["parameters"]
MODEL = ""  # a model such as "ollama:qwen3"; empty for the recorded responses
SESSIONS = 60  # how many tasks

# %%
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt

import actionledger as al

alt.renderers.enable("png")  # pictures, which every viewer of notebooks shows

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
print(f"{len(tasks)} tasks, each a recorded session whose responses hold no code")

# %% [markdown]
# ## The variants
#
# A variant is a profile, a model, and here a policy. A rule says what becomes of the actions that it fits; the first that fits decides.

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
# Every variant has every task, and each conversation is recorded. Run the cell again: nothing is asked twice.

# %%
ledger = al.open_ledger(work / "experiment.duckdb")
with al.progress("holding conversations") as tell:
    found = al.experiment(
        ledger, "policies", variants, tasks, budget=al.Budget(responses=2000), on_progress=tell
    )
print(found)
found.df()[["variant", "sessions", "responses", "parse_success", "validation", "execution"]]

# %% [markdown]
# ## What came of the actions
#
# Under each policy: done, denied by it, and what failed or was passed over for that, such as an action that depends on a denied one.

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
# ## How they ended
#
# A session ends by itself, or because nothing was done three times in a row, or because the recorded responses are at their end (`model_failed`: such
# a conversation would be held again with a model that can go on).

# %%
ended = ledger.sql("SELECT source, reason, count(*) AS sessions FROM sessions GROUP BY ALL ORDER BY ALL").df()
ended.pivot_table(index="source", columns="reason", values="sessions", fill_value=0).astype(int)

# %% [markdown]
# ## Two of them beside each other
#
# Reading and checking don't hang on a policy; where these differ, other responses were given, since a conversation ended before.

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
    f"{policy!r}: {done:,} of {asked:,} actions done ({done / asked:.0%}), {denied:,} denied, {early[policy]} of {len(tasks)} "
    "conversations ended since nothing was done."
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
