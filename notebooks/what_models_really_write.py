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
# # What models really write
#
# A tolerant parser is built for broken JSON. Does broken JSON cause the losses? By model and format, this notebook shows how many
# responses contain no action, one or several, and in which format. It shows their faults and the repairs, the lost responses and
# the reasons, and how many of these a more tolerant parser recovers.

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# The recordings are in a folder next to the project and are not part of it: MINT-bench's whole responses of twelve models, Aider's
# chats, and sessions of today's agents in some twenty formats. From MINT, the notebook imports a fixed, evenly spread sample with the
# same tasks for each model. Set `MINT_SESSIONS=all` in the environment to import all 7,032 sessions. If the recordings are missing,
# the notebook uses the sample sessions of `data`, which **the project made up**.

# %% tags=["parameters"]
SESSIONS = 12  # per model and task set; MINT_SESSIONS in the environment overrides it

# %%
import gzip
import os
import re
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt
import pandas as pd

import actionledger as al

alt.renderers.enable("png")  # every notebook viewer shows PNG pictures

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
CORPORA, SAMPLES = HERE / "../../shared/corpora", HERE / "../data"
is_real = (CORPORA / "mint").is_dir()
SOURCE, PROFILE, OTHER = (
    ("mint", "mint", "mint-harness-fences") if is_real else ("sessions", "assistant", "gembrain-standard")
)
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


if is_real:
    mint = CORPORA / "mint" if asked == "all" else sampled(CORPORA / "mint", int(asked))
    folders = [mint, *(CORPORA / name for name in ("aider-swe-bench", "agents", "tau-bench"))]
else:
    folders = [SAMPLES / "sessions.jsonl", SAMPLES / "agents"]
ledger = al.open_ledger(Path(mkdtemp()) / "written.duckdb")
for folder in folders:
    al.import_path(folder, ledger)
print("real recordings" if is_real else "samples made up by this project")
ledger.sql(
    """
    SELECT source, count(DISTINCT session_id) AS sessions, count(*) AS responses, count(*) FILTER (capture = 'text') AS "kept as text",
           count(*) FILTER (capture = 'arguments') AS "as argument strings", count(*) FILTER (capture = 'calls') AS "as parsed calls"
    FROM turns JOIN (SELECT session_id, source FROM sessions) USING (session_id) GROUP BY source ORDER BY responses DESC"""
).df()

# %% [markdown]
# If a recording kept only parsed calls, the raw text of these calls is unknown. No count below includes such responses.
#
# ## How many actions, and in which format
#
# The chart counts blocks that could be an action, in responses that meant to act: none, one or several. A block that only shows an
# action, such as an example or a quotation, doesn't count.

# %%
written = ledger.sql(
    """
    WITH found AS (
        SELECT attempt_id, count(*) AS blocks, first(dialect ORDER BY block_index) AS form
        FROM blocks WHERE status <> 'ignored' GROUP BY attempt_id)
    SELECT turn_id::VARCHAR AS turn, session_id::VARCHAR AS session, source, profile, if(source IN ('mint', 'sessions'), model, source) AS writer,
           capture, outcome, reason, coalesce(blocks, 0) AS blocks, coalesce(form, 'none') AS form, text
    FROM parse_attempts JOIN (SELECT session_id, source FROM sessions) USING (session_id)
    JOIN (SELECT turn_id, text FROM turns) USING (turn_id) LEFT JOIN found USING (attempt_id)
    WHERE capture <> 'calls' AND outcome IN ('clean', 'repaired', 'partial', 'failed')"""
).df()
written["is_whole"] = written.outcome.isin(["clean", "repaired"])
written["is_unmarked"] = written.reason == "no_action_found"
written["number"] = written.blocks.map(lambda count: ["none", "one"][count] if count < 2 else "several")
order = (
    written.groupby("writer")
    .blocks.agg(lambda blocks: (blocks == 0).mean())
    .sort_values(ascending=False)
    .index
)
shown = written[written.groupby("writer").turn.transform("size") >= 10]
alt.Chart(shown.groupby(["writer", "number"]).size().rename("responses").reset_index()).mark_bar().encode(
    x=alt.X("responses:Q", stack="normalize", axis=alt.Axis(format="%"), title="responses that meant to act"),
    y=alt.Y("writer:N", sort=list(order), title=None),
    color=alt.Color(
        "number:N",
        sort=["none", "one", "several"],
        title="blocks",
        scale=alt.Scale(range=["#cf7a30", "#9fbfdf", "#3f6f9f"]),
    ),
    order=alt.Order("number:N"),
).properties(width=420, height=alt.Step(16))

# %% [markdown]
# The next table counts responses by format and parse outcome. A format that the response was not asked for counts if it could be
# parsed.

# %%
written.pivot_table(index=["source", "form"], columns="outcome", values="turn", aggfunc="count", fill_value=0)

# %% [markdown]
# ## Faults, repairs, evidence
#
# The first table lists all repairs by format and kind. The second lists the blocks without a format's own marks, by the evidence for
# or against an action. An empty table is a finding, too. MINT's own format has no repair, because the intended end of an unclosed
# tag is unknown. A response is *clean* if it is fully parsed without repairs. The rate for JSON covers the responses with recorded
# argument strings.

# %%
repairs = ledger.sql(
    """
    SELECT dialect, kind, count(*) AS repairs, count(DISTINCT turn_id) AS responses FROM repairs
    GROUP BY ALL ORDER BY responses DESC, dialect, kind LIMIT 12"""
).df()
evidence = ledger.sql(
    "SELECT evidence, status, count(*) AS blocks FROM blocks WHERE evidence IS NOT NULL GROUP BY ALL ORDER BY blocks DESC"
).df()
not_clean = written[written.outcome != "clean"]
mended = al.statistics.rate(not_clean.outcome == "repaired", by=not_clean.session)
as_json = written[written.capture == "arguments"]
clean_json = al.statistics.rate(as_json.outcome == "clean", by=as_json.session)
print(f"clean, of responses with JSON calls: {clean_json}")
print(f"parsed with repairs, of all responses that are not clean: {mended}")
display(repairs if len(repairs) else "no repairs", evidence if len(evidence) else "no blocks without marks")

# %% [markdown]
# ## Lost responses and the reasons
#
# The cell counts each kind of issue and prints its first example. The example is the text from the issue's span on, or from the start
# of the response if the issue has no span. `repr` writes it as plain text, so it can't contain markup.

# %%
issues = ledger.sql(
    """
    SELECT code, turn_id, session_id, substr(text, coalesce(span_start, 0) + 1, 90) AS excerpt
    FROM issues JOIN (SELECT attempt_id, capture, outcome FROM parse_attempts) USING (attempt_id)
    JOIN (SELECT turn_id, text FROM turns) USING (turn_id)
    WHERE capture <> 'calls' AND outcome IN ('partial', 'failed') ORDER BY session_id, turn_index, span_start"""
).df()
for code, group in issues[issues.excerpt.str.strip() != ""].groupby("code"):
    print(f"{code:<18}", repr(group.excerpt.iloc[0])[:105])
kinds = issues.groupby("code").agg(
    issues=("turn_id", "size"), responses=("turn_id", "nunique"), sessions=("session_id", "nunique")
)
kinds.sort_values("responses", ascending=False)

# %% [markdown]
# The largest kind has no span: nothing in the response is marked as an action. What does such a response contain instead? The next
# table counts by model: code in a fence, the protocol's words without its tags, an answer in words, a thought, tags of another
# protocol, or only prose. A response counts as the first of these that it has.

# %%
SHAPES = {
    "code in a fence": r"```",
    "a word for a tag": r"(?im)^\s*(?:execute|solution)\s*:",
    "an answer in words": r"(?i)\banswer\s*(?:is|:)|\\boxed",
    "a thought": r"(?i)</?thought",
    "other tags": r"</?\w+>",
    "prose": r"\S",
    "nothing": r"",
}


def shape(text: str) -> str:
    """Return the first shape that matches a text."""
    return next(name for name, pattern in SHAPES.items() if re.search(pattern, text))


unmarked = written[written.is_unmarked]
shapes = (
    unmarked.assign(shape=unmarked.text.map(shape)).groupby(["writer", "shape"]).size().unstack(fill_value=0)
)
shapes[[name for name in SHAPES if name in shapes]]

# %% [markdown]
# ## What a more tolerant parser recovers
#
# How many lost responses does another parser fully parse? For MINT it is the benchmark's harness, with fenced code accepted as an
# action. For the samples it is the parser of the document that the project began with. `al.reparse` records the result as a separate
# run. The code that the harness finds is not necessarily right.

# %%
reread = al.reparse(ledger, parser=OTHER, within=al.Filter(profiles=(PROFILE,)))
whole_there = ledger.sql(
    "SELECT turn_id::VARCHAR FROM parse_attempts WHERE run_id = $run::UUID AND outcome IN ('clean', 'repaired')",
    {"run": reread.run_id},
).fetchall()
lost = written[~written.is_whole & (written.profile == PROFILE)]
lost = lost.assign(back=lost.turn.isin([turn for (turn,) in whole_there]))
for reason, group in lost.groupby("reason"):
    print(f"{reason}, fully parsed by {OTHER}: {al.statistics.rate(group.back, by=group.session)}")
of_unmarked = lost[lost.is_unmarked]
pd.DataFrame(
    {"writer": name, "with no mark, and read by it": str(al.statistics.rate(group.back, by=group.session))}
    for name, group in of_unmarked.groupby("writer")
)

# %% [markdown]
# ## From model to model
#
# The table compares the share of responses without any mark of an action: each model against all others on the same tasks. It shows the
# difference with its 95 % interval, and the p of the score test, clustered by session and adjusted for the number of models (Holm).
# All models ran each task. The test doesn't use that, so it is cautious.

# %%
of_source = written[written.source == SOURCE]
sides = {
    name: [
        al.statistics.rate(side.is_unmarked, by=side.session)
        for side in (of_source[others], of_source[~others])
    ]
    for name in sorted(of_source.writer.unique())
    for others in [of_source.writer != name]
}
tests = [al.statistics.score_test(*pair) for pair in sides.values()]
adjusted = al.statistics.holm(tests)
models = pd.DataFrame(
    {
        "model": name,
        "no mark of an action": str(own),
        "beside the others": f"{own.value - others.value:+.1%} [{low:+.1%}, {high:+.1%}]",
        "p": f"{p:.2g}",
    }
    for (name, (others, own)), p in zip(sides.items(), adjusted, strict=True)
    for low, high in [al.statistics.unpaired_difference(others, own)]
)
models

# %% [markdown]
# ## What was not measured
#
# - Whether a parsed action is right, and whether a task was solved.
# - Responses that were recorded as parsed calls only.
# - Formats that a dialect can parse only if it knows the offered tools.
# - Models of today: MINT's models are of 2023 and 2024, and their prompts explained a protocol that hardly any had been trained on.
#
# ## The answer

# %%
whole = al.statistics.rate(written.is_whole, by=written.session)
mended = int((written.outcome == "repaired").sum())
unread = written[~written.is_whole]
share = al.statistics.rate(unread.is_unmarked, by=unread.session)
brought = al.statistics.rate(of_unmarked.back, by=of_unmarked.session)
ranked = sorted(sides.items(), key=lambda pair: pair[1][1].value)
(least, (_, lowest)), (most, (_, highest)) = ranked[0], ranked[-1]
rule = "the harness that accepts fenced code" if is_real else OTHER
sentences = [
    f"{whole} of the raw responses that meant to act are fully parsed,",
    f"{mended} of them by a repair." if mended else "none of them by a repair.",
    f"{clean_json} of those with JSON calls need no repair.",
    f"{share} of the lost responses have no mark of an action at all; {rule} fully parses {brought} of these.",
    f"The share without a mark ranges from {lowest.value:.1%} {lowest.shown_interval} of {least}'s to",
    f"{highest.value:.1%} {highest.shown_interval} of {most}'s responses;",
    f"{sum(p < 0.05 for p in adjusted)} of {len(sides)} models differ from the others (Holm, 5 %).",
]
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
assert written.turn.is_unique, "each response is counted once"
assert shapes.to_numpy().sum() == len(unmarked), "each that has no mark has one shape"
assert al.funnel(ledger).parse_success.count == len(written), "all that can be audited is here"
assert lost.back.sum() == reread.counts["recovered"], "what was brought back had been lost"
ledger.close()
