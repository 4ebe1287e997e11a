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
# # What did last week cost, and what for?
#
# Which project, model and tool used the tokens of the last recorded week? How much did failures cost, and was the week more expensive
# than the weeks before?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# The recordings in `corpora/agents-more` are whole sessions of Claude Code and Codex. They are in a folder next to the project and are
# not part of it. If they are missing, the notebook uses the three small recordings of `data/agents`, which **the project made up
# itself** to show the method. The first line of output names the recordings used. Costs are as recorded, or computed from the list
# prices of `genai-prices`.

# %% tags=["parameters"]
RECORDINGS = ""  # your own folder, such as ~/.claude/projects; empty for the corpus next to the project, or the samples if there is none

# %%
from datetime import timedelta
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
ledger = al.open_ledger(Path(mkdtemp()) / "costs.duckdb")
taken = al.import_path(folder, ledger)
weeks = al.usage(ledger, by="week").df()
weeks[["week", "sessions", "turns", "input_tokens", "cache_hit_rate", "output_tokens", "cost_usd"]].tail(6)

# %% [markdown]
# ## Week by week
#
# A week begins on Monday, UTC. Input tokens include cached tokens; output tokens include reasoning tokens.

# %%
last = pd.Timestamp(weeks["week"].max()).to_pydatetime()
within = al.Filter(since=last, until=last + timedelta(days=7))
before = weeks[weeks["week"] < pd.Timestamp(last)]["cost_usd"].fillna(0)
bars = weeks.fillna({"cost_usd": 0}).assign(
    cost=lambda each: each["cost_usd"], week=lambda each: pd.to_datetime(each["week"])
)
alt.Chart(bars).mark_bar().encode(
    x=alt.X("week:T", title=None), y=alt.Y("cost:Q", title="cost in dollars"), tooltip=["week", "cost"]
).properties(width=560, height=180)

# %% [markdown]
# ## What for
#
# The next tables show the week by project and branch, by model, and by tool. A turn that calls several tools counts for each of them,
# so the tools add up to more than the total.

# %%
COLUMNS = ["sessions", "turns", "tool_calls", "failing_turns", "cost_usd", "failing_cost_usd"]
projects = al.usage(ledger, within, by=("project", "branch")).df()
projects[["project", "branch", *COLUMNS]].head(8)

# %%
models = al.usage(ledger, within, by="model").df()
models[["model", *COLUMNS]]

# %%
tools = al.usage(ledger, within, by="tool").df()
tools[["tool", *COLUMNS]].head(8)

# %% [markdown]
# ## The most expensive sessions
#
# Sessions are listed by title. A subagent is a separate session.

# %%
sessions = al.usage(ledger, within, by="session").df()
sessions[["title", "agent", "turns", "cost_usd"]].head(5)

# %% [markdown]
# ## The answer

# %%
[whole] = al.usage(ledger, within, by=())
cost, failing = whole["cost_usd"] or 0.0, whole["failing_cost_usd"] or 0.0
top, tool = projects.iloc[0], tools.iloc[0] if len(tools) else None
sentences = [
    f"The week of {last:%Y-%m-%d} cost ${cost:,.2f} in {whole['turns']} turns",
    f"({whole['priced_turns']} of them priced); the median of the weeks before is ${before.median() if len(before) else 0:,.2f}.",
    f"The largest share went to {Path(top['project']).name or 'a project that is not recorded'}",
    f"on branch {top['branch'] or 'that is not recorded'}: ${top['cost_usd'] or 0:,.2f}.",
    f"Failed turns cost ${failing:,.2f}.",
]
if tool is not None:
    sentences.append(f"The tool whose turns cost the most is {tool['tool']}, in {tool['turns']} turns.")
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
# Check the totals with SQL on the turns: for the week, and for all weeks together.
[(turns, dollars)] = ledger.sql(
    "SELECT count(*), coalesce(sum(cost_usd), 0) FROM turns WHERE occurred_at >= $since AND occurred_at < $until",
    {"since": within.since, "until": within.until},
).fetchall()
assert (whole["turns"], round(cost, 6)) == (turns, round(dollars, 6))
assert round(models["cost_usd"].sum(), 6) == round(cost, 6)
assert weeks["turns"].sum() == ledger.sql("SELECT count(*) FROM turns").fetchall()[0][0]
ledger.close()
