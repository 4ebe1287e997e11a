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
# What did your agents do, what went wrong, and which turn was the worst? This notebook imports a folder of recorded sessions and
# answers these questions. It reads the files of Claude Code (`~/.claude/projects`), Codex (`~/.codex/sessions`) and others.

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# Set `LOGS` to your own folder. If it is empty, the notebook uses the three small recordings in `data/agents`, which **the project made
# up itself** (`data/README.md`). Nothing leaves this machine, and the import masks secrets before it stores anything.

# %% tags=["parameters"]
LOGS = ""  # folder of recordings, such as "~/.claude/projects"; empty for the samples
LEDGER = ""  # path of the ledger, NAME.duckdb; empty for a temporary one

# %%
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt

import actionledger as al

alt.renderers.enable("png")  # every notebook viewer shows PNG pictures

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
folder = Path(LOGS).expanduser() if LOGS else HERE / "../data/agents"
ledger = al.open_ledger(LEDGER or Path(mkdtemp()) / "logs.duckdb")

# %% [markdown]
# ## Import the sessions
#
# The import detects each file's format from its content. If you run this cell again, it imports only new records.

# %%
report = al.import_path(folder, ledger)
print("files by format:", dict(report.files))
print(f"{report.sessions} sessions, {report.turns} turns, {report.calls} calls, {report.results} results")
ledger.sql(
    """
    SELECT reason AS "left out", detail AS what, sum(count)::BIGINT AS times FROM left_out
    GROUP BY ALL HAVING times > 0 ORDER BY times DESC, reason, detail"""
).df()

# %% [markdown]
# ## Overview
#
# The cell prints parse and success rates, and the tokens used. A parse rate counts only responses with raw text or raw arguments. If a
# recording has only parsed calls, parsing can't be checked, and the rate says so.

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
print("fully parsed:", found.parse_success)
print("calls that succeeded in the recorded runtime:", found.recorded_execution)
print(
    f"tokens: {shown:,} input ({cached:,} cached), {written:,} output, recorded for {counted} of {turns} turns"
)

# %% [markdown]
# ## Failures
#
# The table ranks groups of failures by cost. A failure costs its own turn and the turns after it, until an action succeeded. The chart
# shows how often each tool was called and how often it failed.

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
# The worst turn is the one with the most failures; among equals, the one with the most input tokens.
# `al.explain(ledger, "SESSION#TURN")` shows all its details here. The address printed below opens its replay in `actionledger dashboard`.

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
    print(f"turn {worst[1]} of session {worst[0]}: {worst[2]} failed, {worst[3] or 0:,} input tokens")
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
        f"The most expensive failure: {first.key.action} {first.key.code}, count: {first.count}, turns spent on it: {first.spent.turns}."
    )
if worst:
    sentences.append(f"The worst turn is turn {worst[1]} of session {worst[0][:8]}, failures: {worst[2]}.")
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
