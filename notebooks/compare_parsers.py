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
# # Two parsers, the same responses
#
# Would another parser have read a ledger's responses better or worse? This notebook parses them again with that parser, records
# the result as a separate run, and compares the two runs turn by turn.

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# Set `LEDGER` to your own ledger. If it is empty, the notebook uses the project's sample sessions.

# %% tags=["parameters"]
LEDGER = ""  # path of a ledger; empty for a temporary one with the sample sessions
PROFILE = "assistant"
BASELINE = "gembrain-standard"

# %%
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt
import pandas as pd

import actionledger as al

alt.renderers.enable("png")  # every notebook viewer shows PNG pictures

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
ledger = al.open_ledger(LEDGER or Path(mkdtemp()) / "samples.duckdb")
if not LEDGER:
    print(al.import_path(HERE / "../data/sessions.jsonl", ledger).turns, "sample turns recorded")
chosen = al.Filter(profiles=(PROFILE,))

# %% [markdown]
# ## Parse the same turns again
#
# This project started from several documents. `gembrain-standard` is the parser of the first one: one regular expression, which finds
# the first block only. A turn keeps all its parses; earlier records don't change.

# %%
report = al.reparse(ledger, parser=BASELINE, within=chosen)
compared = report.comparison
print(
    f"{report.turns} turns parsed again by {report.parser_name}, {sum(report.unfit.values())} of them unfit for it"
)
print(f"over the {compared.intent} turns that meant to act for both parsers:")
print(f"parse rate of the profile's parser: {compared.before}")
print(f"parse rate of {report.parser_name}: {compared.after}")
if report.difference:
    low, high = report.difference
    print(f"difference: {low:+.1%} to {high:+.1%} (95 %)")
print(f"sign-flip test over sessions: p {'< 0.001' if report.p_value < 0.001 else f'= {report.p_value:.2g}'}")
shown = al.funnel(ledger, chosen)
print(
    f"not counted: {shown.only_shown} turns that only show actions as examples; {shown.illustrations} such examples in all"
)
pd.Series(report.counts, name="turns")

# %% [markdown]
# A turn that meant to act for only one of the two parsers has its own bucket. It is neither a gain nor a loss. The interval and
# the test treat a session's turns as one cluster (see `docs/statistics.md`).
#
# ## By model
#
# Each bar is a parse rate over the responses that meant to act for both parsers. The line is its 95 % interval, if the model has
# enough sessions for one.

# %%
groups = al.compare_by(ledger, None, report.run_id, "model", chosen)
readings = pd.DataFrame(
    {
        "model": group.label,
        "parser": parser,
        "success": rate.value,
        "low": rate.interval[0] if rate.interval else None,
        "high": rate.interval[1] if rate.interval else None,
        "rate": str(rate),
        "turns": rate.count,
        "p (Holm)": f"{group.adjusted:.2g}",
    }
    for group in sorted(groups, key=lambda group: group.label)
    for parser, rate in ((PROFILE, group.before), (report.parser_name, group.after))
)
readings.drop(columns=["low", "high"])

# %%
base = alt.Chart(readings).encode(y=alt.Y("parser:N", title=None))
bars = base.mark_bar(height=14).encode(
    x=alt.X(
        "success:Q", title="parse rate, of responses that meant to act for both", axis=alt.Axis(format="%")
    ),
    color=alt.Color("parser:N", legend=None),
)
intervals = base.mark_rule(color="#888", strokeWidth=2).encode(x="low:Q", x2="high:Q")
alt.layer(bars, intervals).properties(width=420, height=alt.Step(20)).facet(
    row=alt.Row("model:N", title=None)
)

# %% [markdown]
# ## Which turns are lost, and why the first parser could read them
#
# To see one of these turns, open the dashboard's replay page with its session and turn.

# %%
lost = pd.DataFrame(
    {
        "session": turn.session_id,
        "turn": turn.turn_index,
        "model": turn.model,
        "before": str(turn.before),
        "after": str(turn.after),
    }
    for turn in report.comparison.turns["lost"]
)
lost.head(10)

# %%
low, high = report.difference or (float("nan"), float("nan"))
worse = [group.label for group in groups if group.adjusted < 0.05 and group.only_before > group.only_after]
sentences = (
    f"{report.parser_name} parses {compared.after} of the turns that meant to act for both, {PROFILE} {compared.before}:",
    f"a difference of {low:+.1%} to {high:+.1%} (95 %).",
    f"It is worse for {len(worse)} of {len(groups)} models (Holm, 5 %). It mistakes {report.counts['no_longer_intent']} turns",
    "that mean to act for plain text.",
)
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
assert report.turns == report.comparison.pairs, "every turn that was read again has a first reading"
assert sum(report.counts.values()) == report.turns, "every turn is in exactly one bucket"
assert readings.groupby("model").turns.nunique().eq(1).all(), "both parsers are counted over the same turns"
assert readings.turns.sum() == 2 * compared.intent, "the models' turns are all that meant to act in both"
ledger.close()
