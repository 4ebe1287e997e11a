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
# # Which parser is best?
#
# MINT-bench recorded twelve models, and how its own harness parsed each response. This notebook parses the same responses by that
# harness's rules and with this project's parser. Which one finds more, for which model, and is the difference more than chance?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# The recordings in `corpora/mint` are in a folder next to the project and are not part of it. The notebook imports a fixed, evenly
# spread sample: the same number of sessions for each model and task set. Set `MINT_SESSIONS=all` in the environment to import all
# 7,032 sessions. If the recordings are missing, the notebook uses the sample sessions of `data`, which **the project made up**. They have five
# models, and the other parser is then that of the document that the project started from.

# %% tags=["parameters"]
SESSIONS = 6  # per model and task set; MINT_SESSIONS in the environment overrides it

# %%
import gzip
import os
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt
import pandas as pd

import actionledger as al

alt.renderers.enable("png")  # every notebook viewer shows PNG pictures

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
CORPUS, SAMPLES = HERE / "../../shared/corpora/mint", HERE / "../data/sessions.jsonl"
is_mint = CORPUS.is_dir()
asked = os.environ.get("MINT_SESSIONS", str(SESSIONS))


def spread(lines: list[bytes], count: int) -> list[bytes]:
    """Return an evenly spread sample of the lines."""
    return [lines[number * len(lines) // count] for number in range(min(count, len(lines)))]


def sampled(corpus: Path, count: int) -> Path:
    """Copy a sample of each file's sessions into a folder with the same layout."""
    folder = Path(mkdtemp())
    for file in sorted(corpus.rglob("results.jsonl.gz")):
        with gzip.open(file) as lines:
            chosen = spread(lines.readlines(), count)
        target = folder / file.relative_to(corpus).with_suffix("")
        target.parent.mkdir(parents=True)
        target.write_bytes(b"".join(chosen))
    return folder


path = SAMPLES if not is_mint else CORPUS if asked == "all" else sampled(CORPUS, int(asked))
ledger = al.open_ledger(Path(mkdtemp()) / "responses.duckdb")
taken = al.import_path(path, ledger)
profile, others = (
    ("mint", ("mint-harness", "mint-harness-fences")) if is_mint else ("assistant", ("gembrain-standard",))
)
chosen = al.Filter(profiles=(profile,))
print("MINT's recordings" if is_mint else "samples made up by this project")
print(f"{taken.sessions} sessions, {taken.turns} turns")

# %% [markdown]
# ## Parse rates as each parser reports them
#
# This project's parser parses each turn first; `al.reparse` parses the same turns with another parser and records that as a run. The
# *parse rate* is the share of turns that a parser itself reports as fully parsed, over the turns that meant to act for both parsers.
# `al.compare_by` compares the rates by model. Its test flips sessions, not turns, and is adjusted for the number of models (Holm).

# %%
reports = {other: al.reparse(ledger, parser=other, within=chosen) for other in others}
by_model = {
    other: al.compare_by(ledger, None, report.run_id, "model", chosen) for other, report in reports.items()
}
word = pd.DataFrame(
    {
        "model": group.label,
        "parser": other,
        "ours": group.before.value,
        "difference": group.after.value - group.before.value,
        "low": group.difference[0] if group.difference else None,
        "high": group.difference[1] if group.difference else None,
        "p": group.adjusted,
    }
    for other, groups in by_model.items()
    for group in groups
)
print(f"parse rate of {profile}, by model:")
for group in sorted(by_model[others[0]], key=lambda group: group.label):
    print(f"{group.label:<30} {group.before}")
shown = word.assign(
    change=[
        f"{row.difference:+.1%}" + ("" if pd.isna(row.low) else f" [{row.low:+.1%}, {row.high:+.1%}]")
        for row in word.itertuples()
    ],
    p=word.p.map("{:.2g}".format),
)
shown.pivot(index="model", columns="parser", values=["change", "p"])

# %% [markdown]
# ## The hidden class
#
# MINT's harness counts a response as a proposal as soon as it contains `<solution>`, before it parses the proposal. If the tag is
# never closed, there is no proposal, but the harness reports no error: the response counts as *fully parsed*, and it is empty
# (`hidden` in the table). A parser has **lost** a turn if it finds nothing in it, or only an empty text. All parsers are counted over
# the same turns: those that meant to act for any of them.

# %%
verdicts = ledger.sql(
    """
    WITH latest AS (
        SELECT attempt_id, turn_id, session_id, model, parser_name AS parser, outcome, reason FROM parse_attempts
        WHERE profile = $profile AND (run_kind NOT IN ('reparse', 'rerun') OR list_contains($runs, run_id::VARCHAR))),
    meant AS (SELECT DISTINCT turn_id FROM latest WHERE outcome IN ('clean', 'repaired', 'partial', 'failed')),
    found AS (
        SELECT attempt_id, count(*) AS actions,
               count(*) FILTER (arguments::VARCHAR NOT IN ('{"answer":""}', '{"code":""}')) AS filled
        FROM actions WHERE status <> 'illustration' GROUP BY attempt_id)
    SELECT turn_id::VARCHAR AS turn, model, parser, outcome, reason, outcome IN ('clean', 'repaired') AS whole,
           coalesce(filled, 0) = 0 AS lost, whole AND lost AND coalesce(actions, 0) > 0 AS hidden
    FROM latest JOIN meant USING (turn_id) LEFT JOIN found USING (attempt_id)""",
    {"profile": profile, "runs": [report.run_id for report in reports.values()]},
).df()
parsers = [profile, *others]
losses = verdicts.groupby(["model", "parser"])[["lost", "hidden"]].sum().unstack()[["lost", "hidden"]]
losses

# %% [markdown]
# `al.failures` counts the kinds of failures in each parser's run. A baseline parser reports only that it found nothing in a response.

# %%
runs = {profile: None} | {other: report.run_id for other, report in reports.items()}
kinds = pd.DataFrame(
    {"parser": parser, "kind": str(group.key.code), "turns": group.turns}
    for parser, run_id in runs.items()
    for group in al.failures(ledger, al.Filter(run_id=run_id, profiles=(profile,))).groups
    if group.key.stage == "reading"
)
kinds = kinds.groupby(["kind", "parser"]).turns.sum().unstack(fill_value=0)
kinds.sort_values(profile, ascending=False)

# %% [markdown]
# The next table counts turns that the first of the other parsers reports as fully parsed and this project's parser doesn't, by this
# project's reason. *Empty* means that the other parser counted an action that isn't there. *Taken* mostly means that it took a part
# for the whole: a tag is opened twice, or one is closed and the next isn't.

# %%
ours, other = (verdicts[verdicts.parser == parser].set_index("turn") for parser in parsers[:2])
both = ours.join(other.add_suffix("_other"), how="inner")
swallowed = both[both.whole_other & ~both.whole].assign(
    other=lambda found: found.hidden_other.map({True: "empty", False: "taken"})
)
swallowed.groupby(["reason", "outcome", "other"]).size().rename("turns").to_frame()

# %% [markdown]
# ## By model
#
# The chart shows the other parser's parse rate minus that of this project's parser, with its 95 % interval over sessions. A point to
# the right of zero means that the other parser reports more turns as fully parsed.

# %%
base = alt.Chart(word).encode(y=alt.Y("model:N", title=None))
points = base.mark_point(filled=True, size=60).encode(
    x=alt.X(
        "difference:Q", axis=alt.Axis(format="+%"), title="parse rate: the other parser minus this project's"
    ),
    color=alt.Color("parser:N", title=None, legend=alt.Legend(orient="top")),
    yOffset="parser:N",
)
lines = base.mark_rule().encode(x="low:Q", x2="high:Q", color="parser:N", yOffset="parser:N")
alt.layer(lines, points).properties(width=420, height=alt.Step(13))

# %% [markdown]
# ## The answer

# %%
told = word[word.parser == others[0]]
more, less = (told[(told.p < 0.05) & (sign * told.difference > 0)].model.tolist() for sign in (1, -1))
missed = verdicts.groupby("parser").lost.sum()
count, meant = int(other.hidden.sum()), verdicts.turn.nunique()
best = missed.idxmin()
whole = {parser: found.whole.sum() / meant for parser, found in verdicts.groupby("parser")}
untagged = int((ours.lost & (ours.reason == "no_action_found")).sum())
sentences = [
    f"{others[0]} reports {whole[others[0]]:.1%} of {meant:,} responses as fully parsed, this project's parser {whole[profile]:.1%}:",
    f"more for {len(more)} of {len(told)} models and less for {len(less)} (Holm, 5 %).",
    f"{count} parses of {others[0]} are empty, {len(swallowed[swallowed.hidden_other])} of them among the {len(swallowed)} turns that only it reports as fully parsed.",
    f"{profile} finds nothing in {missed[profile]} turns,",
    ", ".join(f"{name} finds nothing in {missed[name]}" for name in others) + f"; {best} loses the fewest.",
]
if untagged:
    sentences.append(f"In {untagged} of the {missed[profile]}, no action is marked as the protocol requires.")
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
assert verdicts.groupby("turn").parser.nunique().eq(len(parsers)).all(), "every parser has read every turn"
assert sum(group.pairs for group in by_model[others[0]]) == reports[others[0]].turns, (
    "the models' turns are all"
)
assert other[other.whole & other.lost].hidden.all() or not is_mint, "what is whole and lost is empty"
ledger.close()
