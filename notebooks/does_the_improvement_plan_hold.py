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
# # Does the improvement plan hold?
#
# The project began with a plan for a parser of `actions` blocks: let control characters through, find a block's end behind nested backticks, read several
# blocks, check against schemas. It was to lift parse success from *about 85 %, due to control characters*, to *above 99 %*. What is each step worth, is
# it 85 %, does it come to 99 %, and is the diagnosis right?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # filled in by the last cell but one

# %% [markdown]
# Asked of the sample sessions in `data`, which **the project made up**: all the faults that the documents name are in them, at rates that somebody
# chose. Whether the steps do what they promise can be seen there; how often a model needs them, only recordings can say.
#
# ## Which turns
#
# A parser that finds no block says that nothing was meant, and is not wrong by its own count. So the turns are chosen once: all that
# this project's reader takes for intent. Each parser has to read all of them; finding nothing is failing (`requires_action`).

# %%
import json
import re
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt
import pandas as pd

import actionledger as al

alt.renderers.enable("png")  # pictures, which every viewer of notebooks shows

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
SAMPLES = HERE / "../data/sessions.jsonl"
lines = [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]
meant = [
    line
    for line in lines
    if line["profile"] == "assistant" and al.parse(line["text"], profile="assistant").outcome.has_intent
]
folder = Path(mkdtemp())
(folder / "meant.jsonl").write_text("".join(json.dumps(line) + "\n" for line in meant), encoding="utf-8")
ledger = al.open_ledger(folder / "meant.duckdb")
taken = al.import_path(folder / "meant.jsonl", ledger)
print(f"samples that the project made up: {taken.turns} turns that meant to act, {taken.sessions} sessions")

# %% [markdown]
# ## Is it 85 %, and why?
#
# The document's parser as it stands: one regular expression, the first block, `json.loads(…, strict=False)`.

# %%
plain = al.parser("gembrain-standard").model_copy(update={"name": "as it is", "requires_action": True})
today = al.reparse(ledger, parser=plain)
print("read whole by the document's parser:", today.comparison.after)


def kinds(run_id: str) -> pd.DataFrame:
    """Return how many turns a reading fails in, by kind."""
    groups = al.failures(ledger, al.Filter(run_id=run_id)).groups
    found = pd.DataFrame(
        {"kind": str(group.key.code), "turns": group.turns}
        for group in groups
        if group.key.stage == "reading"
    )
    return found.groupby("kind").sum().sort_values("turns", ascending=False)


kinds(today.run_id)

# %% [markdown]
# `strict=False` is Python's word for *control characters within strings are allowed*: what step 1.1 is to mend doesn't occur. The plan's code, said once more in
# a few lines, over the same texts:

# %%
BLOCK = re.compile(r"```actions\s*\n(.*?)\n```", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def loaded(body: str, strict: bool = False) -> object:
    """Return the object, or None: a list alone has no actions for the document's parser."""
    try:
        value = json.loads(body.strip(), strict=strict)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def escaped(body: str) -> str:
    """Return JSON with the control characters of its strings escaped: step 1.1."""
    return STRING.sub(
        lambda found: re.sub(r"[\x00-\x1f]", lambda sign: json.dumps(sign[0])[1:-1], found[0]), body
    )


def balanced(text: str) -> str:
    """Return what stands behind the first marker, up to where its braces balance: step 1.2."""
    at = text.find("```actions")
    start, depth = text.find("\n", at) + 1, 0
    if at < 0:
        return ""
    for token in re.compile(r'"(?:[^"\\]|\\.)*"|[{}]', re.DOTALL).finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if token[0] == "}" and depth == 0:
            return text[start : token.end()]
    return ""


def first(text: str) -> str:
    """Return the body of the first block as the regular expression finds it."""
    return found[1] if (found := BLOCK.search(text)) else ""


def every(text: str) -> bool:
    """Return whether all blocks that the expression finds can be loaded: step 2.1."""
    bodies = BLOCK.findall(text)
    return bool(bodies) and all(loaded(escaped(body)) is not None for body in bodies)


texts = [line["text"] for line in meant]
steps = {
    "if control characters were refused": [loaded(first(text), strict=True) is not None for text in texts],
    "as it is": [loaded(first(text)) is not None for text in texts],
    "1.1 control characters": [loaded(escaped(first(text))) is not None for text in texts],
    "1.2 nested backticks": [loaded(escaped(balanced(text))) is not None for text in texts],
    "2.1 several blocks, as written": [every(text) for text in texts],
}
plan = pd.DataFrame(steps)
pd.DataFrame(
    {
        "decoded": plan.sum(),
        "share": plan.mean().map("{:.1%}".format),
        "gained": {name: int((plan[name] & ~plan["as it is"]).sum()) for name in plan},
        "lost": {name: int((plan["as it is"] & ~plan[name]).sum()) for name in plan},
    }
)

# %% [markdown]
# Step 1.1 changes nothing; the plan's number is that of a decoder that refuses control characters. Step 1.2 gains, but hardly by nested backticks: the
# expression doesn't stop at backticks within a line, as the plan's example has them; it takes a line break before them. What this project had to repair in the
# turns that 1.2 regains:

# %%
gained = [
    text
    for text, before, after in zip(texts, plan["as it is"], plan["1.2 nested backticks"], strict=True)
    if after and not before
]
pd.Series(
    [
        ", ".join(sorted({str(repair.kind) for repair in result.repairs})) or str(result.outcome)
        for result in (al.parse(text, profile="assistant") for text in gained)
    ]
).value_counts().rename("regained turns").to_frame()

# %% [markdown]
# Mostly fences that were never closed: braces need none, which the plan doesn't name there. Where this project *failed*, text stands behind the object in
# its block, and step 1.2 drops it without a word. A line break and backticks within a string are those with control characters. And step 2.1, as it is written, finds blocks by
# the regular expression again: it takes back what 1.2 has gained.
#
# ## What each step is worth
#
# The same steps as settings of this project's parser, which says what it leaves out: the first block alone, nothing repaired; then with one thing switched on,
# and then one after another. Differences are paired turn by turn, with 95 % intervals over sessions.

# %%
full = al.parser("assistant")
FENCES = frozenset(
    {"unclosed_fence", "mislabelled_fence", "missing_fence", "fence_in_line", "missing_wrapper"}
)
CONTROL = frozenset({"control_character"})
OTHERS = full.decoding.repairs - FENCES - CONTROL
STEPS = {
    "control characters (1.1)": (CONTROL, 1),
    "five blocks (2.1 with its limit)": (frozenset(), 5),
    "any number of blocks": (frozenset(), None),
    "fences and wrappers": (FENCES, 1),
    "commas, quotes, comments, brackets …": (OTHERS, 1),
}


def setting(name: str, repairs: frozenset[str], blocks: int | None) -> object:
    """Return this project's parser with some repairs and so many blocks."""
    decoding = al.DecodeOptions(repairs=repairs)
    changed = {"name": name, "decoding": decoding, "max_blocks": blocks, "requires_action": True}
    return full.model_copy(update=changed)


strict = al.reparse(ledger, parser=setting("nothing", frozenset(), 1))
alone = {
    name: al.reparse(ledger, parser=setting(name, repairs, blocks), run=strict.run_id)
    for name, (repairs, blocks) in STEPS.items()
}
together, repairs, most, before = {}, frozenset(), 1, strict
for name, (more, blocks) in STEPS.items():
    repairs, most = repairs | more, most if blocks == 1 else blocks
    before = together[name] = al.reparse(
        ledger, parser=setting(f"up to {name}", repairs, most), run=before.run_id
    )


def change(report: object) -> str:
    """Return what a step is worth, in points of parse success, with its interval."""
    low, high = report.difference
    worth = report.comparison.after.value - report.comparison.before.value
    return f"{worth:+.1%} [{low:+.1%}, {high:+.1%}]"


print("this project's parser, nothing repaired, one block:", strict.comparison.after)
pd.DataFrame(
    {
        "alone": {name: change(report) for name, report in alone.items()},
        "turns": {name: report.counts["recovered"] for name, report in alone.items()},
        "after those above": {name: change(report) for name, report in together.items()},
        "and so far": {name: str(report.comparison.after) for name, report in together.items()},
    }
)

# %%
readings = [("as it is", today), ("nothing repaired", strict), *together.items()]
ladder = pd.DataFrame(
    {
        "step": name,
        "success": report.comparison.after.value,
        "low": report.comparison.after.interval[0],
        "high": report.comparison.after.interval[1],
    }
    for name, report in readings
)
axis = alt.X("success:Q", title="read whole", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0.7, 1]))
base = alt.Chart(ladder).encode(y=alt.Y("step:N", sort=None, title=None, axis=alt.Axis(labelLimit=260)))
promised = alt.Chart(pd.DataFrame({"success": [0.85, 0.99]})).mark_rule(strokeDash=[4, 3], color="#888")
alt.layer(
    promised.encode(x="success:Q"),
    base.mark_rule().encode(x="low:Q", x2="high:Q"),
    base.mark_point(filled=True, size=70).encode(x=axis),
).properties(width=420, height=alt.Step(24))

# %% [markdown]
# Dashed: what the plan says, 85 and 99 %. What is still not read, in which no one plain reading is left:

# %%
final = together["commas, quotes, comments, brackets …"]
kinds(final.run_id)

# %% [markdown]
# ## Several blocks, schemas: what no parse rate shows
#
# The document's parser calls a response whole of which it has read the first block. And checking against schemas (1.3) can't make a response readable:
# it stops actions. What it refuses, by reason; *a field is missing* is all that was checked before.

# %%
silent = today.comparison.turns["changed_actions"]
errors = ledger.sql(
    """
    SELECT reason, count(*) AS actions FROM actions
    WHERE run_id = $run::UUID AND status IN ('invalid', 'unknown') GROUP BY reason ORDER BY actions DESC, reason""",
    {"run": final.run_id},
).df()
print(
    f"{len(silent)} responses called whole by the document's parser hold other or more actions than it has read"
)
errors

# %% [markdown]
# ## The answer

# %%
low, high = today.comparison.after.interval
refused = int(errors.actions.sum())
unseen = int(errors.loc[errors.reason != "missing_field", "actions"].sum())
holds = low <= 0.85 <= high
reached = final.comparison.after
limited = al.reparse(
    ledger, parser=setting("all repairs, five blocks", full.decoding.repairs, 5), run=final.run_id
)
changed = sum(loaded(first(text)) != loaded(escaped(first(text))) for text in texts)
sentences = (
    f"About 85 %: {'yes' if holds else 'no'}, {today.comparison.after}.",
    f"Due to control characters: no, the fix changes {changed}",
    f"of {len(texts)} readings, since strict=False lets them through (refused, it would be {plan.iloc[:, 0].mean():.1%}).",
    f"The plan's own code comes to {plan['1.2 nested backticks'].mean():.1%} (1.2) and, with 2.1 as written, back to",
    f"{plan['2.1 several blocks, as written'].mean():.1%}.",
    f"Above 99 %: {'yes' if reached.interval[0] > 0.99 else 'no'}, with everything switched on {reached}.",
    f"The plan's limit of five blocks would cost {limited.counts['lost']} of these.",
    f"Schemas refuse {refused} actions, {unseen} of them for more than a missing field.",
)
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
assert plan["as it is"].sum() == today.comparison.after.successes, "both ways count the same"
assert taken.turns == len(meant) == today.turns, "each turn that meant to act is read by all"
assert all(report.comparison.intent == len(meant) for _, report in readings), "no parser chooses its turns"
assert all(not report.counts["lost"] for report in alone.values()), "no repair alone loses a turn"
ledger.close()
