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
# # Repetition, recovery and success
#
# A turn has failed. Does the next turn repeat the call, try something else, or recover? How many turns fail in a row, does it help to
# change the call, and is a session that recovers soon more likely to solve its task?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # the second-to-last cell fills this in

# %% [markdown]
# The recordings are in a folder next to the project and are not part of it. In InterCode's episodes, three models query databases and
# use a shell; MINT-bench has sessions of twelve models. Both gave every model the same tasks and record whether it solved them. The
# notebook imports a fixed part of the tasks, the same for each model; set `TASKS=all` in the environment to import all. If the
# recordings are missing, it uses the sample sessions of `data`, which **the project made up**.

# %% tags=["parameters"]
TASKS = 12  # of each MINT task set, and every third of InterCode's databases; TASKS in the environment overrides it
SOON = 2  # a session has recovered soon if it took at most so many turns

# %%
import gzip
import json
import os
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import altair as alt
import pandas as pd

import actionledger as al

alt.renderers.enable("png")  # every notebook viewer shows PNG pictures

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
CORPORA, SAMPLES = HERE / "../../shared/corpora", HERE / "../data/sessions.jsonl"
is_real = (CORPORA / "mint").is_dir() and (CORPORA / "intercode").is_dir()
asked = os.environ.get("TASKS", str(TASKS))
EPISODES = ("bash/*/ic_bash_multiturn_*.json.gz", "sql/*/ic_sql_multiturn_*_10_turns.json.gz")


def of_mint(corpus: Path, folder: Path) -> None:
    """Copy an evenly spread sample of each file's sessions into a folder with the same layout."""
    for file in sorted(corpus.rglob("results.jsonl.gz")):
        with gzip.open(file) as opened:
            lines = opened.readlines()
        count = len(lines) if asked == "all" else min(int(asked), len(lines))
        target = folder / file.relative_to(corpus).with_suffix("")
        target.parent.mkdir(parents=True)
        target.write_bytes(b"".join(lines[number * len(lines) // count] for number in range(count)))


def of_intercode(corpus: Path, folder: Path) -> None:
    """Copy the episodes in which a model had ten turns; for the databases, only every third task."""
    for file in sorted(path for pattern in EPISODES for path in corpus.glob(pattern)):
        episodes = json.loads(gzip.decompress(file.read_bytes()))
        step = 3 if "sql" in file.parts and asked != "all" else 1
        kept = {key: episode for key, episode in episodes.items() if episode["task_id"] % step == 0}
        target = folder / file.relative_to(corpus).with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(kept))


ledger = al.open_ledger(Path(mkdtemp()) / "recoveries.duckdb")
if is_real:
    for name, write in {"mint": of_mint, "intercode": of_intercode}.items():
        folder = Path(mkdtemp())
        write(CORPORA / name, folder)
        al.import_path(folder, ledger)
else:
    al.import_path(SAMPLES, ledger)
print("real recordings" if is_real else "samples made up by this project")
sessions = ledger.sql(
    """
    SELECT session_id::VARCHAR AS session_id, source, if(profile = 'mint', 'mint', metadata ->> 'environment') AS set, model, success,
           if(profile = 'mint', substr(external_id, length(model) + 2), task) AS task, turns
    FROM sessions JOIN (SELECT session_id, count(*) AS turns FROM turns GROUP BY session_id) USING (session_id)"""
).df()
sessions["set"] = sessions.set.fillna(sessions.source)
sessions.groupby("set").agg(
    sessions=("turns", "size"),
    models=("model", "nunique"),
    tasks=("task", "nunique"),
    turns=("turns", "sum"),
    solved=("success", "sum"),
)

# %% [markdown]
# ## What follows a failed turn
#
# A turn failed if something in it failed and no action succeeded. In InterCode, a turn succeeds if its command or query ran without
# an error. MINT doesn't record the results of the code, so a turn succeeds if it was fully parsed. In the chart, *recovered* is a turn
# that succeeds, *repeated* makes a call of the failed turn again and fails again, and *changed* fails in another way.

# %%
report = al.recoveries(ledger)
failed = report.df().drop(columns=["model", "task"]).merge(sessions, on="session_id")
FOLLOWS = ["recovered", "changed", "repeated", "no_action", "ended"]
counts = failed.groupby(["set", "model", "next"]).size().rename("turns").reset_index()
counts["who"] = counts.set + " " + counts.model
alt.Chart(counts).mark_bar().encode(
    x=alt.X("turns:Q", stack="normalize", axis=alt.Axis(format="%"), title="failed turns"),
    y=alt.Y("who:N", title=None, axis=alt.Axis(labelLimit=260)),
    color=alt.Color(
        "next:N",
        sort=FOLLOWS,
        title="the next turn",
        scale=alt.Scale(domain=FOLLOWS, range=["#3f6f9f", "#9fbfdf", "#cf7a30", "#b0b0b0", "#e0e0e0"]),
    ),
    order=alt.Order("place:Q"),
).transform_calculate(place=f"indexof({json.dumps(FOLLOWS)}, datum.next)").properties(
    width=380, height=alt.Step(16)
)

# %%
pd.DataFrame(
    {"set": name}
    | {
        word: str(al.statistics.rate(group.next == word, by=group.session_id))
        for word in ("recovered", "repeated")
    }
    for name, group in failed.groupby("set")
)

# %% [markdown]
# ## How long a series of failures lasts
#
# A series is several failed turns in a row. The table shows how many series have recovered within so many turns of their first turn.
# A series has not recovered if its session ends first. The cell also counts loops as the guard of live sessions defines them, in
# sessions with recorded tool results: sessions with a loop, sessions that the guard would stop, and the calls in the longest loop.

# %%
firsts = failed[failed.streak == 1]
soon = pd.DataFrame(
    {
        "set": name,
        "within": turns,
        "got through": str(
            al.statistics.rate(group.recovered_after.fillna(99) <= turns, by=group.session_id)
        ),
    }
    for name, group in firsts.groupby("set")
    for turns in (1, 2, 3, 5)
)
circles = al.loops(ledger, al.Filter(sources=("intercode" if is_real else "sessions",)))
print(
    f"sessions with a loop: {circles.told}, stopped: {circles.rate}, without recorded results: {circles.not_recorded}"
)
print("longest loop:", max((loop.count for loop in circles.loops), default=0), "calls")
soon.pivot(index="set", columns="within", values="got through")

# %% [markdown]
# ## Repeat the call or change it
#
# Two turns in a row have failed. Does the third succeed more often if the second changed the call than if it repeated it? The table
# compares both cases in each set. It shows the 95 % interval of the difference and the p of the score test, clustered by session and
# adjusted for the number of sets (Holm).

# %%
failed = failed.sort_values(["session_id", "turn_index"])
failed["by_way_of"] = failed.groupby("session_id").next.shift().where(failed.streak > 1)
again = failed[failed.by_way_of.isin(["repeated", "changed"])]


def compared(groups: dict[str, tuple[al.Rate, al.Rate]]) -> pd.DataFrame:
    """Return pairs of rates with their differences and adjusted tests; without an interval there is no test."""
    tests = {name: al.statistics.score_test(*pair) for name, pair in groups.items()}
    known = [name for name, p in tests.items() if p is not None]
    adjusted = dict(zip(known, al.statistics.holm([tests[name] for name in known]), strict=True))
    rows = []
    for name, (before, after) in groups.items():
        ends = al.statistics.unpaired_difference(before, after)
        difference = (
            f"{after.value - before.value:+.1%} [{ends[0]:+.1%}, {ends[1]:+.1%}]"
            if ends
            else "too few sessions"
        )
        rows.append(
            (name, str(before), str(after), difference, f"{adjusted[name]:.2g}" if name in adjusted else "")
        )
    return pd.DataFrame(rows, columns=["of", "without", "with", "difference", "p"])


def two_rates(
    frame: pd.DataFrame, by: str, having: pd.Series, hit: pd.Series
) -> dict[str, tuple[al.Rate, al.Rate]]:
    """Return each group's rate of hits without and with a condition; skip groups that lack one side."""
    found = {}
    for name, group in frame.groupby(by):
        sides = [group[having[group.index] == side] for side in (False, True)]
        if all(len(side) for side in sides):
            found[name] = tuple(al.statistics.rate(hit[side.index], by=side.session_id) for side in sides)
    return found


changing = two_rates(again, "set", again.by_way_of == "changed", again.next == "recovered")
compared(changing).rename(columns={"without": "through after the same", "with": "through after another"})

# %% [markdown]
# ## Recovery and success
#
# The table covers the sessions with a failed turn, by model within a set of tasks. It compares how many sessions solved their task:
# those that recovered from their first failure within two turns, and the others. The difference is no effect of recovery. A session
# that recovers soon may have the better model or the easier task, and it has more turns left. A session in which no turn ever
# succeeds can't solve its task at all.

# %%
met = sessions.merge(
    firsts.groupby("session_id").first()[["recovered_after", "turn_index"]],
    left_on="session_id",
    right_index=True,
)
met = met[met.success.notna()].reset_index(drop=True)
met["who"] = met.set + " " + met.model
met["is_soon"] = met.recovered_after.fillna(99) <= SOON
met["solved"] = met.success.astype(bool)
by_model = two_rates(met, "who", met.is_soon, met.solved)
compared(by_model).rename(columns={"without": "solved, not soon", "with": "solved, soon"})

# %% [markdown]
# That difference also depends on the model and the task. The next table therefore compares sessions within the **same task**, if some
# models recovered soon from their first failure and others did not. A task's difference is the share of solved sessions of the first
# kind minus that of the second. The table shows its mean over these tasks, with a bootstrap interval over tasks and the sign-flip test.
#
# Within a task the models still differ: with two models, the difference is the better one minus the worse one. So the table repeats
# the comparison for what each session solved **beyond its model's own share**. That share includes tasks that a model solved because
# it recovers, so this correction removes too much rather than too little.


# %%
def within_tasks(frame: pd.DataFrame, measure: str) -> list[float]:
    """Return the difference in means of each task that has both kinds of sessions."""
    means = frame.groupby(["task", "is_soon"])[measure].mean().unstack()
    return (means[True] - means[False]).dropna().tolist() if {True, False} <= set(means) else []


def paired(measure: str) -> pd.DataFrame:
    """Return each set's mean difference within tasks, with its interval and its adjusted test."""
    differences = {name: within_tasks(frame, measure) for name, frame in met.groupby("set")}
    differences = {name: values for name, values in differences.items() if values}
    adjusted = al.statistics.holm([al.statistics.task_test(values) for values in differences.values()])
    rows = []
    for (name, values), p in zip(differences.items(), adjusted, strict=True):
        ends = al.statistics.task_difference(values)
        shown = f"[{ends[0]:+.1%}, {ends[1]:+.1%}]" if ends else "too few tasks"
        rows.append((name, len(values), f"{sum(values) / len(values):+.1%} {shown}", p))
    return pd.DataFrame(rows, columns=["set", "tasks", "difference", "p"]).set_index("set")


met["beyond"] = met.solved - met.groupby("who").solved.transform("mean")
of_tasks, beyond = paired("solved"), paired("beyond")
of_tasks.join(beyond.drop(columns="tasks").add_suffix(" beyond the model's share"))

# %% [markdown]
# ## What was not measured
#
# - The result of a session if it had acted differently: no model was made to repeat or to change a call.
# - Whether a repeated call was right because something else had changed.
# - The results of MINT's code: its errors are in the prompts and not recorded as results.
# - Responses in which InterCode's own parser found no query: they are turns without an action here.
# - Models of today: these are of 2023 and 2024.
#
# ## The answer

# %%
repeated, recovered = report.rate("repeated"), report.rate("recovered")
held = int((beyond.p < 0.05).sum())
sentences = [
    f"After a failed turn, the next one repeats the call and fails again in {repeated}, and succeeds in {recovered};",
    f"{report.within(SOON)} of the series of failed turns are over within {SOON} turns.",
    *(
        f"{name}: {same.value:.1%} {same.shown_interval} succeed after a repeated call, {other.value:.1%} {other.shown_interval} after a changed one."
        for name, (same, other) in changing.items()
    ),
    f"Sessions that recover from their first failure within {SOON} turns solve more of the same tasks:",
    "; ".join(
        f"{row.Index} {row.difference}, beyond their models' own shares {beyond.difference[row.Index]}"
        for row in of_tasks.itertuples()
    )
    + f". Beyond these shares, {held} of {len(beyond)} differences hold (Holm, 5 %).",
]
if answer is None:  # run as a script
    print(fill(" ".join(sentences), 110))
else:
    answer.update({"text/plain": fill(" ".join(sentences), 110)}, raw=True)

# %%
assert sum(report.counts.values()) == len(report.turns) == len(failed), (
    "every failed turn has one that follows, or is the last"
)
assert (failed.next == "ended").sum() == (failed.turns_left == 0).sum(), (
    "a session has ended where nothing is left"
)
assert report.within(SOON).successes == (firsts.recovered_after <= SOON).sum(), (
    "what is said of all is the sum of what is said of each"
)
assert set(failed.next) <= set(FOLLOWS), "what came of each next turn is recorded"
ledger.close()
