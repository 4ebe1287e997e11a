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
# The project began with a plan for a parser of `actions` blocks. The parser should allow control characters, find a block's end
# despite nested backticks, parse several blocks and check actions against schemas. The plan promised to raise parse success from
# *about 85 %, due to control characters*, to *above 99 %*. How much does each step gain? Is the rate 85 % today, does it reach
# 99 %, and is the diagnosis right?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# The notebook uses the sample sessions in `data`, which **the project made up**. They contain all the faults that the documents name,
# at rates that somebody chose. They show whether the steps do what they promise; only recordings can show how often a model needs them.
#
# ## Which turns
#
# A parser that finds no block reports that the turn meant no action, so its own count shows no failure. The turns are therefore
# chosen once: all turns in which this project's parser finds intent. Each parser must parse all of them; finding nothing is a
# failure (`requires_action`).

# %%
import json
import re
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt
import pandas as pd

import actionledger as al

alt.renderers.enable("png")  # every notebook viewer shows PNG pictures

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
print(f"samples made up by this project: {taken.turns} turns that meant to act, {taken.sessions} sessions")

# %% [markdown]
# ## Is it 85 %, and why?
#
# This is the document's parser as it is: one regular expression, the first block, `json.loads(…, strict=False)`.

# %%
plain = al.parser("gembrain-standard").model_copy(update={"name": "as it is", "requires_action": True})
today = al.reparse(ledger, parser=plain)
print("parse rate of the document's parser:", today.comparison.after)


def kinds(run_id: str) -> pd.DataFrame:
    """Return the number of turns that a run fails to parse, by kind."""
    groups = al.failures(ledger, al.Filter(run_id=run_id)).groups
    found = pd.DataFrame(
        {"kind": str(group.key.code), "turns": group.turns}
        for group in groups
        if group.key.stage == "reading"
    )
    return found.groupby("kind").sum().sort_values("turns", ascending=False)


kinds(today.run_id)

# %% [markdown]
# In Python, `strict=False` means *control characters within strings are allowed*. So the fault that step 1.1 should repair doesn't
# occur. The next cell repeats the plan's code in a few lines and runs it on the same texts:

# %%
BLOCK = re.compile(r"```actions\s*\n(.*?)\n```", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def loaded(body: str, strict: bool = False) -> object:
    """Return the object, or None. The document's parser finds no actions in a bare list."""
    try:
        value = json.loads(body.strip(), strict=strict)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def escaped(body: str) -> str:
    """Escape the control characters in the strings of a JSON text (step 1.1)."""
    return STRING.sub(
        lambda found: re.sub(r"[\x00-\x1f]", lambda sign: json.dumps(sign[0])[1:-1], found[0]), body
    )


def balanced(text: str) -> str:
    """Return the text after the first marker, up to the balancing brace (step 1.2)."""
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
    """Return the body of the first block that the regular expression finds."""
    return found[1] if (found := BLOCK.search(text)) else ""


def every(text: str) -> bool:
    """Return whether all blocks that the expression finds are valid JSON objects (step 2.1)."""
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
# Step 1.1 changes nothing; the plan's number fits a decoder that rejects control characters. Step 1.2 gains turns, but hardly because
# of nested backticks. The plan's example has backticks within a line, where the expression doesn't stop: it stops only at
# backticks after a line break. The next cell shows what this project had to repair in the turns that 1.2 regains:

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
# Most of these blocks have a fence that was never closed. Balanced braces need no fence; the plan doesn't name this case. If this
# project *failed*, its block has text after the object, which step 1.2 drops silently. Turns with a line break and backticks in a
# string are turns with control characters. Step 2.1, as written, uses the regular expression again to find blocks, so it loses
# the gains of 1.2.
#
# ## What each step gains
#
# The same steps are settings of this project's parser, which reports what it skips. The first setting parses one block and
# repairs nothing. Then each step is switched on alone, and then one after another. Differences are paired turn by turn, with 95 %
# intervals over sessions.

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
    """Return this project's parser with these repairs and this block limit."""
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
    """Return a step's gain in parse success, with its interval."""
    low, high = report.difference
    worth = report.comparison.after.value - report.comparison.before.value
    return f"{worth:+.1%} [{low:+.1%}, {high:+.1%}]"


print("parse rate of this project's parser without repairs, one block:", strict.comparison.after)
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
axis = alt.X("success:Q", title="parse rate", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0.7, 1]))
base = alt.Chart(ladder).encode(y=alt.Y("step:N", sort=None, title=None, axis=alt.Axis(labelLimit=260)))
promised = alt.Chart(pd.DataFrame({"success": [0.85, 0.99]})).mark_rule(strokeDash=[4, 3], color="#888")
alt.layer(
    promised.encode(x="success:Q"),
    base.mark_rule().encode(x="low:Q", x2="high:Q"),
    base.mark_point(filled=True, size=70).encode(x=axis),
).properties(width=420, height=alt.Step(24))

# %% [markdown]
# The dashed lines show the plan's numbers, 85 and 99 %. The next cell lists the turns that still fail, because none has a single
# clear reading:

# %%
final = together["commas, quotes, comments, brackets …"]
kinds(final.run_id)

# %% [markdown]
# ## Several blocks and schemas: effects that no parse rate shows
#
# The document's parser reads only the first block and counts the response as fully parsed. Schema checks (1.3) can't make a
# response parseable: they stop actions. The next cell lists the rejected actions by reason; before, the only check was for missing
# fields.

# %%
silent = today.comparison.turns["changed_actions"]
errors = ledger.sql(
    """
    SELECT reason, count(*) AS actions FROM actions
    WHERE run_id = $run::UUID AND status IN ('invalid', 'unknown') GROUP BY reason ORDER BY actions DESC, reason""",
    {"run": final.run_id},
).df()
print(
    f"{len(silent)} responses that the document's parser counts as fully parsed contain more or other actions than it found"
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
    f"of {len(texts)} parses, since strict=False allows them (if they were rejected, it would be {plan.iloc[:, 0].mean():.1%}).",
    f"The plan's own code reaches {plan['1.2 nested backticks'].mean():.1%} (1.2) and, with 2.1 as written, back to",
    f"{plan['2.1 several blocks, as written'].mean():.1%}.",
    f"Above 99 %: {'yes' if reached.interval[0] > 0.99 else 'no'}, with everything switched on {reached}.",
    f"The plan's limit of five blocks would cost {limited.counts['lost']} of these.",
    f"Schemas reject {refused} actions, {unseen} of them for reasons other than a missing field.",
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
