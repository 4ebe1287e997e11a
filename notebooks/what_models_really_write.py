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
# A tolerant parser is built for broken JSON. Is that what is lost? By model and format: how many responses hold no action, one or several; in which format
# they stand; which faults they have and which repairs those took; what is lost and why; and how much of it tolerance brings back.

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # filled in by the last cell but one

# %% [markdown]
# The recordings lie beside the project and are not part of it: MINT-bench's responses of twelve models, whole; Aider's chats; sessions of today's agents
# in some twenty formats. Of MINT a fixed sample is read, the same tasks for each model, evenly spread; `MINT_SESSIONS=all` in the environment reads
# all 7,032 sessions. Where the recordings are not there, the sample sessions of `data` stand in, which **the project made up**.

# %% tags=["parameters"]
SESSIONS = 12  # of each model and task set; the environment's MINT_SESSIONS goes before it

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

alt.renderers.enable("png")  # pictures, which every viewer of notebooks shows

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
CORPORA, SAMPLES = HERE / "../../shared/corpora", HERE / "../data"
is_real = (CORPORA / "mint").is_dir()
SOURCE, PROFILE, OTHER = (
    ("mint", "mint", "mint-harness-fences") if is_real else ("sessions", "assistant", "gembrain-standard")
)
asked = os.environ.get("MINT_SESSIONS", str(SESSIONS))


def spread(lines: list[bytes], count: int) -> list[bytes]:
    """Return so many lines, evenly spread over all."""
    return [lines[number * len(lines) // count] for number in range(min(count, len(lines)))]


def sampled(corpus: Path, count: int) -> Path:
    """Write some sessions of each file into a folder of the same form."""
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
print("real recordings" if is_real else "samples that the project made up")
ledger.sql(
    """
    SELECT source, count(DISTINCT session_id) AS sessions, count(*) AS responses, count(*) FILTER (capture = 'text') AS "kept as text",
           count(*) FILTER (capture = 'arguments') AS "as argument strings", count(*) FILTER (capture = 'calls') AS "as parsed calls"
    FROM turns JOIN (SELECT session_id, source FROM sessions) USING (session_id) GROUP BY source ORDER BY responses DESC"""
).df()

# %% [markdown]
# Where a recording has kept the parsed calls alone, nobody can say any more how they were written: those responses are in no count below.
#
# ## How much, and where it stands
#
# A response that meant to act holds no block that could be an action, one, or several. What only shows an action (an example, a quotation) is none.

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
# In which format they stand, and what came of reading them. A format that the response was not asked for counts where it could be read.

# %%
written.pivot_table(index=["source", "form"], columns="outcome", values="turn", aggfunc="count", fill_value=0)

# %% [markdown]
# ## Faults, repairs, evidence
#
# Every repair that reading took, by format and kind; and every block that no format's own marks announce, by the evidence for which it was taken for an
# action, or not. An empty table is a finding. MINT's own format has no repair: where a tag that is never closed was to end, nobody can know. JSON is written by those of
# whom argument strings were kept.

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
print(f"of the responses whose calls are JSON, clean: {clean_json}")
print(f"of what is not clean, read whole by a repair: {mended}")
display(repairs if len(repairs) else "no repair", evidence if len(evidence) else "no block without marks")

# %% [markdown]
# ## What is lost, and why
#
# Each kind of issue, how often, and the first example of it: the characters of its span and what follows, or the response's beginning where it is about
# no place. `repr` writes them as plain text, so nothing in them is markup.

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
# The largest kind has no place: nothing in the response is marked as an action. What stands there instead, model by model? Code in a fence, the protocol's
# words without its tags, an answer in words, a thought, tags that are not the protocol's, or prose alone; a response counts as the first that it has.

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
    """Return the first of the shapes that a text has."""
    return next(name for name, pattern in SHAPES.items() if re.search(pattern, text))


unmarked = written[written.is_unmarked]
shapes = (
    unmarked.assign(shape=unmarked.text.map(shape)).groupby(["writer", "shape"]).size().unstack(fill_value=0)
)
shapes[[name for name in SHAPES if name in shapes]]

# %% [markdown]
# ## What tolerance brings back
#
# Of what is not clean, this project's repairs and another reader's rules: of MINT's responses those of its harness where code in a fence counts, too; of the
# samples those of the document that the project began with. `al.reparse` records that as a run of its own. What it takes for code need not be right.

# %%
reread = al.reparse(ledger, parser=OTHER, within=al.Filter(profiles=(PROFILE,)))
whole_there = ledger.sql(
    "SELECT turn_id::VARCHAR FROM parse_attempts WHERE run_id = $run::UUID AND outcome IN ('clean', 'repaired')",
    {"run": reread.run_id},
).fetchall()
lost = written[~written.is_whole & (written.profile == PROFILE)]
lost = lost.assign(back=lost.turn.isin([turn for (turn,) in whole_there]))
for reason, group in lost.groupby("reason"):
    print(f"of {reason}, read whole by {OTHER}: {al.statistics.rate(group.back, by=group.session)}")
of_unmarked = lost[lost.is_unmarked]
pd.DataFrame(
    {"writer": name, "with no mark, and read by it": str(al.statistics.rate(group.back, by=group.session))}
    for name, group in of_unmarked.groupby("writer")
)

# %% [markdown]
# ## From model to model
#
# The share of responses with no mark of an action at all, each model beside all others on the same tasks: the difference with its 95 % interval, and the p of
# the score test, sessions taken into account, adjusted for the number of models (Holm). A task is run by all models, which this doesn't use: it is cautious.

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
# Whether what was read is right, and whether a task was solved. Responses of which only parsed calls were kept. Formats that no dialect reads unless it is told
# which tools were offered. MINT's models are of 2023 and 2024, and were told of a protocol that hardly any had been trained on.
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
rule = "taking code in a fence for one" if is_real else OTHER
sentences = [
    f"Of the responses that meant to act and were kept as they were written {whole} are read whole,",
    f"{mended} of them by a repair." if mended else "none of them by a repair.",
    f"Of those whose calls are JSON {clean_json} are clean.",
    f"Of what is lost, {share} holds no mark of an action at all; {rule} reads {brought} of that whole.",
    f"Without a mark are {lowest.value:.1%} {lowest.shown_interval} of {least}'s to",
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
