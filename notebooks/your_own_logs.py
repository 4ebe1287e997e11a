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

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # filled in by the last cell but one

# %% [markdown]
# Set `LOGS` to a folder of yours; without one, the three small recordings in `data/agents` are used, which **the project made up
# itself** (`data/README.md`). Nothing leaves this machine, and secrets are masked before anything is stored.

# %% tags=["parameters"]
LOGS = ""  # a folder of recordings, such as "~/.claude/projects"; empty for the samples
LEDGER = ""  # where to keep the records, NAME.duckdb; empty for a temporary ledger

# %%
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt

import actionledger as al

alt.renderers.enable("png")  # pictures, which every viewer of notebooks shows

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
folder = Path(LOGS).expanduser() if LOGS else HERE / "../data/agents"
ledger = al.open_ledger(LEDGER or Path(mkdtemp()) / "logs.duckdb")

# %% [markdown]
# ## Take them in
#
# Each file says by its content what it is. Running this cell again takes in what is new and nothing else.

# %%
report = al.import_path(folder, ledger)
print("files by their format:", dict(report.files))
print(f"{report.sessions} sessions, {report.turns} turns, {report.calls} calls, {report.results} results")
ledger.sql(
    """
    SELECT reason AS "left out", detail AS what, sum(count)::BIGINT AS times FROM left_out
    GROUP BY ALL HAVING times > 0 ORDER BY times DESC, reason, detail"""
).df()

# %% [markdown]
# ## Look
#
# How far they got, and what it took. A rate of reading counts only what was recorded as it was written; where a recording has
# parsed calls alone, there is nothing to audit, and the rate says so.

# %%
found = al.funnel(ledger)
tokens = ledger.sql(
    """
    SELECT count(*) AS turns, count(input_tokens) AS counted, coalesce(sum(input_tokens), 0)::BIGINT AS shown,
           coalesce(sum(cached_tokens), 0)::BIGINT AS cached, coalesce(sum(output_tokens), 0)::BIGINT AS written FROM turns"""
).fetchone()
turns, counted, shown, cached, written = tokens
print("responses that meant to act:", found.meant)
print("captured as:", {str(capture): count for capture, count in found.captures.items()})
print("read whole:", found.parse_success)
print("calls that succeeded in their runtime:", found.recorded_execution)
print(
    f"tokens: {shown:,} in ({cached:,} from a cache), {written:,} out, recorded of {counted} of {turns} turns"
)

# %% [markdown]
# ## Group
#
# By what it cost: a failure's turns are its own and those behind it, until something succeeded. And by tool, how often it was called and
# how often that failed.

# %%
report_of_failures = al.failures(ledger)
groups = report_of_failures.groups
report_of_failures.df()[["stage", "reason", "action", "count", "spent_turns", "lost"]].head(15)

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
# The turn with the most failures; of those, the one that the model was shown most in. `al.explain(ledger, "SESSION#TURN")` shows all of it here, and the address
# below is its replay in `actionledger dashboard`.

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
    place = {"session": worst[0], "turn": worst[1]}
    written_there = ledger.sql(
        "SELECT text FROM turns WHERE session_id = $session::UUID AND turn_index = $turn", place
    )
    print(f"turn {worst[1]} of session {worst[0]}: {worst[2]} failed, shown {worst[3] or 0:,} tokens")
    print(al.explain(ledger, f"{worst[0]}#{worst[1]}").recorded.address)
    print("the model wrote:", written_there.fetchone()[0][:200])
    for row in ledger.sql(
        """
        SELECT name, status, reason, result::VARCHAR AS result FROM executions
        WHERE session_id = $session::UUID AND turn_index = $turn ORDER BY action_index, try_number""",
        place,
    ):
        print(f"  {row['name']}: {row['status']} ({row['reason']}) {str(row['result'])[:110]}")

# %% [markdown]
# ## The answer

# %%
failed = sum(group.count for group in groups if str(group.key.code) != "repetition")
sentences = [
    f"{report.sessions} sessions with {turns:,} turns and {report.calls:,} calls, {failed:,} failures."
]
if groups:
    first = groups[0]
    sentences.append(
        f"The costliest: {first.key.action} {first.key.code}, times: {first.count}, turns spent on it: {first.spent.turns}."
    )
if worst:
    sentences.append(f"The worst turn is {worst[1]} of session {worst[0][:8]}, failures: {worst[2]}.")
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
acted = ledger.sql(
    "SELECT count(*) FROM executions WHERE status NOT IN ('succeeded', 'pending', 'dry_run', 'skipped')"
).fetchone()[0]
assert al.import_path(folder, ledger).turns == 0, "a second import adds nothing"
assert sum(found.outcomes.values()) == turns, "every response is counted once"
assert acted == sum(
    group.count for group in groups if group.key.stage == "acting" and group.key.origin is not None
), "every failure of a call is in one group"
ledger.close()
