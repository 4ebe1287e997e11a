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
# # Your own logs in ten minutes
#
# What did your agents do, what of it went wrong, and which turn was the worst? This notebook takes in a folder of sessions as
# Claude Code (`~/.claude/projects`), Codex (`~/.codex/sessions`) and others leave them, and answers that.
#
# Set `LOGS` to a folder of yours; without one, the three small recordings in `data/agents` are used, which **the project made up
# itself** (`data/README.md`). Nothing leaves this machine, and secrets are masked before anything is stored.

# %% tags=["parameters"]
LOGS = ""  # a folder of recordings, such as "~/.claude/projects"; empty for the samples
LEDGER = ""  # where to keep what is taken in, NAME.duckdb; empty for a temporary ledger

# %%
from pathlib import Path
from tempfile import mkdtemp

import altair as alt
import pandas as pd

import actionledger as al
from actionledger.ledger import queries

alt.renderers.enable("png")  # pictures, which every viewer of notebooks shows

folder = Path(LOGS).expanduser() if LOGS else Path("../data/agents")
ledger = al.open_ledger(LEDGER or Path(mkdtemp()) / "logs.duckdb")

# %% [markdown]
# ## Take them in
#
# Each file says by its content what it is. Running this cell again takes in what is new and nothing else.

# %%
report = al.import_path(folder, ledger)
print("files by their format:", dict(report.files))
print(f"{report.sessions} sessions, {report.turns} turns, {report.calls} calls, {report.results} results")
pd.DataFrame(
    {"left out": str(each.reason), "what": each.detail, "times": each.count}
    for each in queries.left_out(ledger)
)

# %% [markdown]
# ## Look
#
# How far they got, and what it took. A rate of reading counts only what was recorded as it was written; where a recording has
# parsed calls alone, there is nothing to audit, and the rate says so.

# %%
found, spent = queries.funnel(ledger), queries.usage(ledger)
print("responses that meant to act:", found.meant)
print("captured as:", {str(capture): count for capture, count in found.captures.items()})
print("read whole:", found.parse_success)
print("calls that succeeded in their runtime:", found.recorded_execution)
print(
    f"tokens: {spent.input_tokens:,} in ({spent.cached_tokens:,} from a cache), {spent.output_tokens:,} out, "
    f"recorded of {spent.counted} of {spent.turns} turns"
)

# %% [markdown]
# ## Group
#
# By reason, with the tokens of the turns that it is in; and by tool, how often it was called and how often that failed.

# %%
whole, *costs = queries.failure_costs(ledger) or [None]
reasons = pd.DataFrame(
    {
        "reason": str(cost.code),
        "stage": cost.stage,
        "times": cost.count,
        "turns": cost.turns,
        "tokens in": cost.input_tokens,
        "tokens out": cost.output_tokens,
    }
    for cost in costs
)
reasons

# %%
tools = ledger.sql(
    """
    SELECT name AS tool, count(*) AS calls, count(*) FILTER (status NOT IN ('succeeded', 'skipped')) AS failed
    FROM executions GROUP BY name ORDER BY calls DESC, tool LIMIT 15"""
).df()
bars = tools.melt("tool", ["calls", "failed"], "what", "times")
alt.Chart(bars).mark_bar().encode(
    x=alt.X("times:Q", title="calls"),
    y=alt.Y("tool:N", sort=list(tools.tool), title=None),
    color=alt.Color("what:N", title=None, scale=alt.Scale(range=["#9fbfdf", "#cf7a30"])),
    yOffset="what:N",
).properties(width=420)

# %% [markdown]
# ## The worst turn
#
# The turn with the most failures; of those, the one that the model was shown most in. `actionledger dashboard` opens it under its
# session and turn, and shows what the model wrote beside what came of it.

# %%
worst = ledger.sql(
    """
    SELECT session_id::VARCHAR AS session, turn_index AS turn, count(*) AS failed,
           any_value(input_tokens) AS shown
    FROM executions JOIN (SELECT turn_id, input_tokens FROM turns) USING (turn_id)
    WHERE status NOT IN ('succeeded', 'skipped')
    GROUP BY ALL ORDER BY failed DESC, shown DESC NULLS LAST, session, turn LIMIT 1"""
).fetchone()
if worst:
    detail = queries.turn(ledger, worst[0], worst[1])
    print(f"turn {worst[1]} of session {worst[0]}: {worst[2]} failed, shown {worst[3] or 0:,} tokens")
    print("the model wrote:", detail.response.text[:200])
    for execution in detail.executions:
        print(f"  {execution.name}: {execution.status} ({execution.reason}) {execution.result[:110]}")

# %%
assert al.import_path(folder, ledger).turns == 0, "what is taken in twice is there once"
assert sum(found.outcomes.values()) == spent.turns, "every response is counted once"
assert sum(cost.count for cost in costs) == (whole.count if whole else 0), "every failure has one reason"
ledger.close()
