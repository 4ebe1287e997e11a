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
# # What would a stricter rule have stopped?
#
# Shorter commands, bounded reads, no pushing, a list of allowed commands, a rate: before anybody has to live with such a rule, the calls that agents have made
# can be asked. What would have been stopped, how much of that had succeeded, and does any rule stop what fails rather than what works?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # filled in by the last cell but one

# %% [markdown]
# The recordings are whole sessions of Claude Code and Codex, `corpora/agents-more`, which lie beside the project and are not part of it. Where they are not
# there, the three small recordings of `data/agents` are asked, which **the project made up**: they show how one asks, and their numbers say nothing
# about agents.

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
work = Path(mkdtemp())
ledger = al.open_ledger(work / "agents.duckdb")
taken = al.import_path(folder, ledger)
names = [row["name"] for row in ledger.sql("SELECT DISTINCT name FROM actions ORDER BY name")]
print({CORPUS: "real sessions", SAMPLES: "samples that the project made up"}.get(folder, "your own sessions"))
print(f"{taken.sessions} sessions, {taken.turns} turns, {taken.calls} calls of {len(names)} tools")

# %% [markdown]
# ## The rules
#
# A schema says what a call may look like, and a policy what may run. Every tool that a rule doesn't name stays as it is. A policy's rule asks a command for all that it
# starts, and where that can't be told, a person has to be asked: such calls are stopped as well.

# %%
COMMANDS = {
    "Bash": "command",
    "exec_command": "cmd",
}  # what Claude Code and Codex call a shell, and its field
LOOKING = [
    "ls",
    "cat",
    "rg",
    "grep",
    "head",
    "tail",
    "wc",
    "find",
    "git status",
    "git diff",
    "git log",
    "git show",
]


def tools(required: tuple[str, ...] = (), **stricter: dict) -> list[dict]:
    """Return a definition of each recorded tool: as it is, but for those that are stricter, and what these require."""
    return [
        {
            "name": name,
            "parameters": {
                "type": "object",
                "additionalProperties": True,
                "properties": stricter.get(name, {}),
                "required": list(required) if name in stricter else [],
            },
        }
        for name in names
    ]


def rule(action: str, verdict: str, **when: list[str]) -> str:
    """Return a rule of a policy's file."""
    conditions = f"when = {{ {', '.join(f'{field} = {words}' for field, words in when.items())} }}"
    return "\n".join(
        ["[[rule]]", f'action = "{action}"', f'verdict = "{verdict}"', conditions if when else ""]
    )


def policy(name: str, verdict: str, commands: list[str], otherwise: str) -> Path:
    """Write a policy that says something of some commands, something else of the others, and approves all other tools."""
    rules = [
        rule(tool, verdict, **{field: words.split()})
        for tool, field in COMMANDS.items()
        if tool in names
        for words in commands
    ]
    others = [rule(tool, otherwise) for tool in COMMANDS if tool in names]
    file = work / f"{name}.toml"
    file.write_text("\n".join([*rules, *others, rule("*", "approve")]), encoding="utf-8")
    return file


def short(most: int) -> dict:
    """Return the schema of a text that is no longer."""
    return {"type": "string", "maxLength": most}


RULES = {
    "commands of at most 500 signs": {
        "tools": tools(**{tool: {field: short(500)} for tool, field in COMMANDS.items()})
    },
    "reads of at most 500 lines": {
        "tools": tools(("limit",), Read={"limit": {"type": "integer", "maximum": 500}})
    },
    "changes of at most 2,000 signs": {
        "tools": tools(
            Edit={"old_string": short(2000), "new_string": short(2000)},
            Write={"content": short(2000)},
            apply_patch={"input": short(2000)},
        )
    },
    "no git push": {"policy": policy("push", "reject", ["git push"], "approve")},
    "no git commit": {"policy": policy("commit", "reject", ["git commit"], "approve")},
    "no rm": {"policy": policy("rm", "reject", ["rm"], "approve")},
    "commands that only look": {"policy": policy("looking", "approve", LOOKING, "escalate")},
    "ten commands a minute": {"limits": al.Limits(rates=[(tool, al.RateLimit(10, 60)) for tool in COMMANDS])},
}

# %% [markdown]
# ## What each would have stopped
#
# `al.recheck` asks every recorded call; nothing runs. *Stopped* is of all calls, with a 95 % interval over sessions. *Had succeeded* is of the stopped
# ones of which it is recorded what came of them: what the rule would have cost. A rule that finds trouble would have a higher share of failures among the
# stopped than there is among all. *Not judged* are calls that a schema would refuse and that may hold a masked secret, which has another length than
# what it stands for.

# %%
asked = []
reports = {}
for name, question in RULES.items():
    reports[name] = al.recheck(
        ledger,
        **question,
        each=lambda call, name=name: asked.append(
            (name, call.name, call.is_stopped, str(call.verdict or ""), str(call.execution or "not recorded"))
        ),
    )
calls = pd.DataFrame(asked, columns=["rule", "tool", "stopped", "verdict", "execution"])
calls["came to"] = calls.execution.where(
    calls.execution.isin(["succeeded", "skipped", "not recorded"]), "failed"
)
ended = calls[calls["came to"].isin(["succeeded", "failed"])]
overall = (ended[ended.rule == "no rm"]["came to"] == "failed").mean()  # the same calls for each rule
table = pd.DataFrame(
    {
        "stopped": {name: str(report.stopped) for name, report in reports.items()},
        "had succeeded": {name: report.done for name, report in reports.items()},
        "had failed": {
            name: int((found.stopped & (found["came to"] == "failed")).sum())
            for name, found in ended.groupby("rule")
        },
        "not judged": {name: report.changes["not_judged"] for name, report in reports.items()},
        "asked, not told": {
            name: int((found.stopped & (found.verdict == "escalate")).sum())
            for name, found in calls.groupby("rule")
        },
    }
)
table["failed, of stopped"] = (table["had failed"] / (table["had failed"] + table["had succeeded"])).map(
    "{:.1%}".format, na_action="ignore"
)
print(f"of all calls whose end is recorded, {overall:.1%} failed")
table

# %%
alt.Chart(
    calls[calls.stopped].groupby(["rule", "came to"]).size().rename("calls").reset_index()
).mark_bar().encode(
    x=alt.X("calls:Q", title="calls that would have been stopped"),
    y=alt.Y("rule:N", sort="-x", title=None, axis=alt.Axis(labelLimit=220)),
    color=alt.Color("came to:N", title=None),
).properties(width=420)

# %% [markdown]
# ## By tool

# %%
by_tool = calls[calls.stopped].groupby(["rule", "tool"]).size().unstack(fill_value=0)
by_tool.loc[:, by_tool.sum().sort_values(ascending=False).index]

# %% [markdown]
# ## The answer

# %%
share = pd.Series({name: report.stopped.value for name, report in reports.items()})
hardest = share.idxmax()
ends = table["had failed"] + table["had succeeded"]
stopped, failed = int(ends.sum()), int(table["had failed"].sum())
most = (table["had failed"] / ends).where(ends >= 30).dropna()
sentences = [
    f"Of {reports[hardest].calls:,} calls the rule {hardest!r} would have stopped the most: {reports[hardest].stopped},",
    f"and {reports[hardest].done} of these had succeeded.",
    f"Over all {len(RULES)} rules {failed} of the {stopped:,} stopped calls whose end is recorded had failed ({failed / max(1, stopped):.1%});",
    f"of all calls it is {overall:.1%}.",
]
if len(most):
    sentences.append(f"The highest share of failures is that of {most.idxmax()!r}, {most.max():.1%}.")
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
counts = calls.groupby("rule").stopped.sum()
assert all(counts[name] == report.stopped.successes for name, report in reports.items()), (
    "both count the same"
)
assert calls.groupby("rule").size().eq(reports[hardest].calls).all(), "every rule is asked of every call"
assert (by_tool.sum(axis=1) == counts[by_tool.index]).all(), "the tools' calls are all"
ledger.close()
