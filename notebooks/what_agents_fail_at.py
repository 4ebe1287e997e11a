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
# Parsing is hardly it any more: where the arguments of calls are recorded as they were written, nearly all can be read. What goes wrong comes
# after that. How often do a person's refusal, an edit that misses, an exit code, a file that was not read or has changed since, and
# repetition occur, and what do the turns cost that they are in?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # filled in by the last cell but one

# %% [markdown]
# The recordings are whole sessions of Claude Code and Codex, `corpora/agents-more`, which lie beside the project and are not part of
# it. Where they are not there, the three small recordings of `data/agents` are read instead, which **the project made up
# itself**: they show how one asks, and their numbers say nothing about agents. The first line of output says which of the two it was.

# %% tags=["parameters"]
RECORDINGS = ""  # a folder of your own; empty for the corpus beside the project, or else the samples

# %%
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt
import pandas as pd

import actionledger as al

alt.renderers.enable("png")  # pictures, which every viewer of notebooks shows

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
CORPUS, SAMPLES = HERE / "../../shared/corpora/agents-more", HERE / "../data/agents"
folder = Path(RECORDINGS).expanduser() if RECORDINGS else CORPUS if CORPUS.is_dir() else SAMPLES
print({CORPUS: "real sessions", SAMPLES: "samples that the project made up"}.get(folder, "your own sessions"))
ledger = al.open_ledger(Path(mkdtemp()) / "agents.duckdb")
taken = al.import_path(folder, ledger)
sources = [row["source"] for row in ledger.sql("SELECT DISTINCT source FROM sessions ORDER BY source")]
ledger.sql(
    """
    SELECT source, count(DISTINCT session_id) AS sessions, count(*) AS turns, sum(output_tokens)::BIGINT AS tokens_out
    FROM turns JOIN (SELECT session_id, source FROM sessions) USING (session_id) GROUP BY source ORDER BY source"""
).df()

# %% [markdown]
# ## Not at writing a call
#
# The share of responses that could be read whole, where that can be audited: Codex records argument strings, Claude Code parsed calls.
# Beside it the share of their calls that succeeded where they were run.

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
# ## But at what comes after
#
# Each failure of a call falls into one kind. Its cost is what was spent on the turns that it is in: what the model was shown, most of it
# from a cache, and what it wrote. A turn with two kinds counts under both. What only the words of a result tell is *inferred*.

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
# What one failure costs: tokens of the turns that it is in, by failure. And the tools that they happen to.

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
# A session goes in circles where it does the same again and it comes to the same again; `al.loops` looks with the eyes of the guard that
# stops live sessions. Sessions with a call of which no result is recorded can't be looked through.

# %%
circles = al.loops(ledger)
print(
    f"{circles.told} of the sessions that could be looked through have one, {circles.not_recorded} could not be"
)
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
    f"{total} failures among {calls:,} calls of which it is recorded what came of them.",
    f"The most frequent kind is {most.name!r}: {most.times / total:.0%} of them.",
    f"Responses that could not be read, where that can be audited: {read.count - read.successes} of {read.count:,}.",
    f"Sessions that go in a circle: {circles.told}.",
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
