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
# A rule may limit commands, reads or rates, forbid pushing, or allow only some commands. Before you introduce such a rule, you can test
# it on the calls that agents have made. Which calls would it have stopped, how many of these had succeeded, and does any rule stop
# failing calls rather than working ones?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# The recordings in `corpora/agents-more` are whole sessions of Claude Code and Codex. They are in a folder next to the project and are
# not part of it. If they are missing, the notebook uses the three small recordings of `data/agents`, which **the project made up**.
# These show the method; their numbers say nothing about agents.

# %% tags=["parameters"]
RECORDINGS = ""  # your own folder; empty for the corpus next to the project, or the samples if there is none

# %%
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
work = Path(mkdtemp())
ledger = al.open_ledger(work / "agents.duckdb")
taken = al.import_path(folder, ledger)
names = [row["name"] for row in ledger.sql("SELECT DISTINCT name FROM actions ORDER BY name")]
print({CORPUS: "real sessions", SAMPLES: "samples made up by this project"}.get(folder, "your own sessions"))
print(f"{taken.sessions} sessions, {taken.turns} turns, {taken.calls} calls of {len(names)} tools")

# %% [markdown]
# ## The rules
#
# A schema restricts a call's arguments, and a policy restricts which calls may run. Tools that a rule doesn't name are unaffected. A
# policy's rule checks all programs that a command starts. If these are unknown, a person has to approve the call, so it counts as
# stopped, too.

# %%
COMMANDS = {
    "Bash": "command",
    "exec_command": "cmd",
}  # the shell tools of Claude Code and Codex, with the field of the command
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
    """Return a definition of each recorded tool, with stricter properties and required fields for some."""
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
    """Return a rule for a policy file."""
    conditions = f"when = {{ {', '.join(f'{field} = {words}' for field, words in when.items())} }}"
    return "\n".join(
        ["[[rule]]", f'action = "{action}"', f'verdict = "{verdict}"', conditions if when else ""]
    )


def policy(name: str, verdict: str, commands: list[str], otherwise: str) -> Path:
    """Write a policy with one verdict for these commands and another for the rest; it approves all other tools."""
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
    """Return the schema of a string with at most so many characters."""
    return {"type": "string", "maxLength": most}


RULES = {
    "commands of at most 500 characters": {
        "tools": tools(**{tool: {field: short(500)} for tool, field in COMMANDS.items()})
    },
    "reads of at most 500 lines": {
        "tools": tools(("limit",), Read={"limit": {"type": "integer", "maximum": 500}})
    },
    "changes of at most 2,000 characters": {
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
# ## What each rule would have stopped
#
# `al.recheck` checks every recorded call and runs nothing.
#
# - *Stopped* is a share of all calls, with a 95 % interval over sessions.
# - *Had succeeded* counts the stopped calls with a recorded success: the cost of the rule. The share of failures of a useful rule is
#   higher among the stopped calls than among all calls.
# - *Not judged* counts calls that a schema would reject but that may contain a masked secret. The mask and the secret have different
#   lengths.
# - *Asked, not told* counts stopped calls that a person has to approve.

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
overall = (ended[ended.rule == "no rm"]["came to"] == "failed").mean()  # each rule has the same calls
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
print(f"{overall:.1%} of all calls with a recorded result failed")
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
    f"Over all {len(RULES)} rules, {failed} of the {stopped:,} stopped calls with a recorded result had failed ({failed / max(1, stopped):.1%});",
    f"of all calls, {overall:.1%} failed.",
]
if len(most):
    sentences.append(f"The rule {most.idxmax()!r} has the highest share of failures, {most.max():.1%}.")
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
