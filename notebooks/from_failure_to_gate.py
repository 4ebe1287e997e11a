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
# # From a failure to a gate
#
# A recorded turn was not fully parsed. How does it become a test that fails before the parser is fixed and passes afterwards? And how
# do you reject a parser change that makes other turns worse?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# The notebook uses the sample sessions of `data`, which **the project made up**. Set `LEDGER` to use your own ledger.

# %% tags=["parameters"]
LEDGER = ""  # path of a ledger; empty for a temporary one with the sample sessions
PROFILE = "assistant"

# %%
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt
import pandas as pd

import actionledger as al

alt.renderers.enable("png")  # every notebook viewer shows PNG pictures

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
work = Path(mkdtemp())
ledger = al.open_ledger(LEDGER or work / "samples.duckdb")
if not LEDGER:
    taken = al.import_path(HERE / "../data/sessions.jsonl", ledger)
    print(f"samples made up by this project: {taken.turns} turns")
chosen = al.Filter(profiles=(PROFILE,))

# %% [markdown]
# ## What fails
#
# These are the groups of parse failures. The first group cost the most turns until an action succeeded.

# %%
groups = [group for group in al.failures(ledger, chosen).groups if group.key.stage == "reading"]
pd.DataFrame(
    {
        "kind": str(group.key.code),
        "turns": group.turns,
        "turns spent": group.spent.turns,
        "sessions lost": group.lost,
        "first example": f"{group.examples[0].session_id[:8]}#{group.examples[0].turn_index}",
    }
    for group in groups
)

# %% [markdown]
# ## Shrink one failure
#
# In the group with the most turns, the parser stops at five blocks, as the project's plan requires. `al.shrink_group` keeps the
# group's failure and drops all text that the failure doesn't need.

# %%
assert groups, (
    f"Every response of the profile {PROFILE!r} in this ledger was parsed: choose another PROFILE, or leave LEDGER empty for the samples."
)
group = max(groups, key=lambda group: group.turns)
shrunk = al.shrink_group(ledger, group)
print(
    f"{group.key.code}: {len(shrunk.original):,} characters, {len(shrunk.text)} after {shrunk.tries:,} tries"
)
print(shrunk.text)

# %% [markdown]
# This text shows the failure, but it is not yet a good test: its last block has lost its content, so no parser can fully parse it.
# The fixed parser (`mended` in code and tables) differs in one setting and has its own profile. The test needs the smallest text
# that the fixed parser fully parses and today's parser doesn't. `al.shrink` accepts that condition as a function.

# %%
today = al.profile(PROFILE)
name = f"{PROFILE}-all-blocks"
mended = al.register_profile(
    replace(today, name=name, parser=today.parser.model_copy(update={"name": name, "max_blocks": None}))
)


def is_wanted(text: str) -> bool:
    """Return whether a text fails like the group and the fixed parser finds only valid actions in it."""
    found, after = al.parse(text, profile=PROFILE), al.parse(text, profile=mended)
    fails = any(issue.code == group.key.code for issue in found.issues)
    return fails and after.outcome == "clean" and all(call.status == "valid" for call in after.actions)


small = al.shrink(shrunk.original, is_wanted)
print(f"{len(small.original):,} characters, {len(small.text)} after {small.tries:,} tries")
print(small.text)

# %% [markdown]
# ## A case with the expected result
#
# A case is a response with its expected result: here, the result of the fixed parser. Today's parser doesn't pass it.

# %%
case = al.Case.of(small.text, profile=name, why="Each block counts, however many there are.")
before = al.Case.loads(case.dumps().replace(f'profile = "{name}"', f'profile = "{PROFILE}"'))
print(case.dumps())
print(before.differences())

# %% [markdown]
# The package's pytest plugin makes a test of every `*.case.toml`. The next cell runs pytest twice on the same text: with today's
# parser and with the fixed one.

# %%
CONFTEST = f"""
from dataclasses import replace
import actionledger as al

today = al.profile({PROFILE!r})
parser = today.parser.model_copy(update={{"name": {name!r}, "max_blocks": None}})
al.register_profile(replace(today, name={name!r}, parser=parser))
"""


def tested(folder: Path, kept: al.Case) -> int:
    """Run pytest on a folder with one case and return its exit code: 0 passed, 1 failed."""
    folder.mkdir()
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "blocks.case.toml").write_text(kept.dumps(), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, folder]
    return subprocess.run(command, capture_output=True, check=False).returncode  # noqa: S603 - it is pytest


codes = {"today": tested(work / "today", before), "mended": tested(work / "mended", case)}
codes

# %% [markdown]
# ## A gate
#
# The fix helps one turn; does it harm others? The candidate parses all recorded turns again. A second candidate is the parser of the
# document that the project started from: it parses some turns that today's parser doesn't.

# %%
candidates = {"mended": mended.parser, "the document's": al.parser("gembrain-standard")}
reports = {name: al.reparse(ledger, parser=parser, within=chosen) for name, parser in candidates.items()}
gates = {
    name: al.gate(
        ledger,
        baseline="first",
        candidate=report.run_id,
        within=al.Filter(profiles=(PROFILE,)),
        min_rate=0.95,
    )
    for name, report in reports.items()
}
verdicts = pd.DataFrame(
    {name: {each.name: each.passed for each in gate.conditions} for name, gate in gates.items()}
)
for name, report in reports.items():
    low, high = report.difference
    print(
        f"{name}: {report.comparison.before} -> {report.comparison.after}, {low:+.1%} to {high:+.1%}, p = {report.p_value:.2g}"
    )
verdicts

# %%
buckets = pd.DataFrame({name: report.counts for name, report in reports.items()})
moved = buckets.drop(index=["same", "no_intent"]).rename_axis("bucket").reset_index().melt("bucket")
alt.Chart(moved[moved.value > 0]).mark_bar().encode(
    x=alt.X("value:Q", title="turns with a different parse"),
    y=alt.Y("bucket:N", title=None),
    color=alt.Color("bucket:N", legend=None),
    row=alt.Row("variable:N", title=None),
).properties(width=420, height=alt.Step(18))

# %% [markdown]
# The next cell compares the failure groups before and after the fix: the fixed group, and the groups that remain or are new.

# %%
changes = al.failure_changes(ledger, None, reports["mended"].run_id)
pd.DataFrame(
    {
        "kind": str(change.key.code),
        "turns before": change.turns_before,
        "turns after": change.turns_after,
        "is": change.kind,
        "p (Holm)": f"{change.p_holm:.2g}",
    }
    for change in changes.changes
    if change.key.stage == "reading"
)

# %% [markdown]
# ## The answer

# %%
better, worse = (reports[name] for name in candidates)
passes = verdicts.all()
sentences = (
    f"The failure {group.key.code} occurs in {group.turns} turns. One of them shrinks from {len(small.original):,}",
    f"to {len(small.text)} characters, as a case that {'fails' if codes['today'] else 'passes'} today and {'fails' if codes['mended'] else 'passes'} with the fixed parser.",
    f"The fixed parser {'passes' if passes['mended'] else 'does not pass'} the gate: {better.counts['recovered']} turns recovered, {better.counts['lost']} lost.",
    f"The document's parser {'passes' if passes.iloc[1] else 'does not'}: {worse.counts['recovered']} recovered, {worse.counts['lost']} lost,",
    f"and {worse.counts['no_longer_intent']} in which it no longer finds an intent to act.",
)
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
assert codes == {"today": 1, "mended": 0}, "the case fails before, and passes after"
assert is_wanted(small.text), "the small text still fails as the recorded one does"
assert not al.load_case(work / "mended" / "blocks.case.toml").differences()
assert passes.tolist() == [True, False], "the gate tells the two candidates apart"
ledger.close()
