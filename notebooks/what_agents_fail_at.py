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
# # What agents of today fail at
#
# Parsing is hardly a problem any more: if a recording keeps the raw arguments of calls, nearly all can be parsed. The failures happen
# later. A person refuses a call, an edit doesn't match, a command returns an error code, a file was not read or has changed since, or
# the agent repeats itself. How often does each occur, and how much do the affected turns cost?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# The recordings in `corpora/agents-more` are whole sessions of Claude Code and Codex. They are in a folder next to the project and are
# not part of it. If they are missing, the notebook uses the three small recordings of `data/agents`, which **the project made up
# itself**. These show the method; their numbers say nothing about agents. The first line of output names the recordings used.

# %% tags=["parameters"]
RECORDINGS = ""  # your own folder; empty for the corpus next to the project, or the samples if there is none

# %%
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt
import pandas as pd

import actionledger as al

alt.renderers.enable("png")  # every notebook viewer shows PNG pictures

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
CORPUS, SAMPLES = HERE / "../../shared/corpora/agents-more", HERE / "../data/agents"
folder = Path(RECORDINGS).expanduser() if RECORDINGS else CORPUS if CORPUS.is_dir() else SAMPLES
print({CORPUS: "real sessions", SAMPLES: "samples made up by this project"}.get(folder, "your own sessions"))
ledger = al.open_ledger(Path(mkdtemp()) / "agents.duckdb")
taken = al.import_path(folder, ledger)
sources = [row["source"] for row in ledger.sql("SELECT DISTINCT source FROM sessions ORDER BY source")]
ledger.sql(
    """
    SELECT source, count(DISTINCT session_id) AS sessions, count(*) AS turns, sum(output_tokens)::BIGINT AS tokens_out
    FROM turns JOIN (SELECT session_id, source FROM sessions) USING (session_id) GROUP BY source ORDER BY source"""
).df()

# %% [markdown]
# ## Agents rarely fail at writing a call
#
# The first rate is the share of fully parsed responses. It needs raw text or raw arguments: Codex records argument strings, Claude
# Code only parsed calls. The second rate is the share of executed calls that succeeded.

# %%
pd.DataFrame(
    {
        "source": name,
        "read whole": str(part.parse_success),
        "calls that succeeded": str(part.recorded_execution),
    }
    for name in sources
    for part in [al.funnel(ledger, al.Filter(sources=(name,)))]
)

# %% [markdown]
# ## Agents fail at what follows
#
# Each failed call has one kind. The cost of a kind is the tokens of the turns with such a failure: input, mostly from a cache, and
# output. A turn with two kinds counts for both. A failure is *inferred* if only the text of the result shows it.

# %%
KINDS = {
    "command_failed": "exit code",
    "timeout": "exit code",
    "rejected": "refusal",
    "not_approved": "refusal",
    "command_refused": "refusal",
    "no_match": "edit that misses",
    "several_matches": "edit that misses",
    "not_read": "stale file",
    "changed_since": "stale file",
    "not_found": "not there",
}
kinds = ledger.sql(
    """
    WITH failed AS (
        SELECT source, reason, turn_id, count(*) AS times, count(*) FILTER (is_inferred) AS inferred
        FROM executions JOIN (SELECT session_id, source FROM sessions) USING (session_id)
        WHERE status NOT IN ('succeeded', 'pending', 'dry_run', 'skipped') AND reason IS NOT NULL GROUP BY ALL)
    SELECT source, reason, sum(times)::BIGINT AS times, sum(inferred)::BIGINT AS inferred, count(*) AS turns,
           coalesce(sum(input_tokens), 0)::BIGINT AS "tokens in", coalesce(sum(output_tokens), 0)::BIGINT AS "tokens out"
    FROM failed JOIN (SELECT turn_id, input_tokens, output_tokens FROM turns) USING (turn_id)
    GROUP BY source, reason ORDER BY source, times DESC, reason"""
).df()
kinds["kind"] = kinds.reason.map(KINDS).fillna("other")
by_kind = kinds.drop(columns=["source", "reason"]).groupby("kind").sum()
by_kind.sort_values("times", ascending=False)

# %%
alt.Chart(kinds).mark_bar().encode(
    x=alt.X("sum(times):Q", title="failures"),
    y=alt.Y("kind:N", sort="-x", title=None),
    color=alt.Color("source:N", title=None),
).properties(width=420)

# %% [markdown]
# The first table shows the mean tokens of a turn with each kind of failure. The second lists the tools that fail most often.

# %%
(by_kind[["tokens in", "tokens out"]].div(by_kind.turns, axis=0).round().astype(int)).rename(
    columns=lambda name: f"{name}, a turn"
)

# %%
ledger.sql(
    """
    SELECT name AS tool, reason, count(*) AS times FROM executions
    WHERE status NOT IN ('succeeded', 'skipped') GROUP BY ALL ORDER BY times DESC, tool, reason LIMIT 10"""
).df()

# %% [markdown]
# ## Repetition
#
# A session has a loop if it repeats a call and gets the same result. `al.loops` uses the rules of the guard that stops live sessions.
# It can't search sessions that have a call without a recorded result.

# %%
circles = al.loops(ledger)
print(f"{circles.told} of the searched sessions have a loop, {circles.not_recorded} could not be searched")
pd.DataFrame(
    {
        "pattern": str(loop.pattern),
        "action": loop.name,
        "times": loop.count,
        "turns": f"{loop.first_turn} to {loop.last_turn}",
        "would be stopped": loop.is_stop,
    }
    for loop in circles.loops
)

# %% [markdown]
# ## The answer

# %%
whole = al.funnel(ledger)
calls, read = sum(whole.recorded.values()), whole.parse_success
most = by_kind.sort_values("times", ascending=False).iloc[0]
total = int(by_kind.times.sum())
sentences = (
    f"{total} failures among {calls:,} calls with a recorded result.",
    f"The most frequent kind is {most.name!r}: {most.times / total:.0%} of them.",
    f"Unparseable responses, among those recorded raw: {read.count - read.successes} of {read.count:,}.",
    f"Sessions with a loop: {circles.told}.",
)
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
ledger_counts = ledger.sql(
    "SELECT count(*) FROM executions WHERE status NOT IN ('succeeded', 'pending', 'dry_run', 'skipped') AND reason IS NOT NULL"
).fetchone()
assert total == ledger_counts[0], "every failure is of one kind"
assert by_kind.loc[by_kind.index != "other", "times"].sum() >= 0.9 * total, "at most a tenth is 'other'"
assert circles.sessions + circles.not_recorded == taken.sessions
ledger.close()
