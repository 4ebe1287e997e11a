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
# A turn has failed. Does the next one make the same call again, try something else, or get through? How long does that go on, does it help to do something
# else, and is a session that gets through soon more likely to solve its task?

# %%
from IPython.display import display

answer = display({"text/plain": "…"}, raw=True, display_id=True)  # filled in by the last cell but one

# %% [markdown]
# The recordings lie beside the project and are not part of it: InterCode's episodes, in which three models query databases and use a shell, and MINT-bench's
# sessions of twelve models. Both gave every model the same tasks and say whether it solved them. A fixed part of the tasks is read, the same for each model;
# `TASKS=all` in the environment reads all. Where the recordings are not there, the sample sessions of `data` stand in, which **the project made up**.

# %% tags=["parameters"]
TASKS = 12  # of each of MINT's task sets, and every third of InterCode's databases; the environment's TASKS goes before it
SOON = 2  # within how many turns a session has recovered soon

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

alt.renderers.enable("png")  # pictures, which every viewer of notebooks shows

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
CORPORA, SAMPLES = HERE / "../../shared/corpora", HERE / "../data/sessions.jsonl"
is_real = (CORPORA / "mint").is_dir() and (CORPORA / "intercode").is_dir()
asked = os.environ.get("TASKS", str(TASKS))
EPISODES = ("bash/*/ic_bash_multiturn_*.json.gz", "sql/*/ic_sql_multiturn_*_10_turns.json.gz")


def of_mint(corpus: Path, folder: Path) -> None:
    """Write some sessions of each file into a folder of the same form, evenly spread."""
    for file in sorted(corpus.rglob("results.jsonl.gz")):
        with gzip.open(file) as opened:
            lines = opened.readlines()
        count = len(lines) if asked == "all" else min(int(asked), len(lines))
        target = folder / file.relative_to(corpus).with_suffix("")
        target.parent.mkdir(parents=True)
        target.write_bytes(b"".join(lines[number * len(lines) // count] for number in range(count)))


def of_intercode(corpus: Path, folder: Path) -> None:
    """Write the episodes in which a model had ten turns; of the databases those of every third task."""
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
print("real recordings" if is_real else "samples that the project made up")
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
# ## What follows a turn that failed
#
# A turn failed where something of it did and nothing got through. In InterCode a turn gets through where its command or query ran without an error; of MINT it is not recorded
# what came of the code, and a turn gets through that was read whole. *Repeated* makes a call of the failed turn again and fails again; *changed* fails otherwise.

# %%
report = al.recoveries(ledger)
failed = report.df().drop(columns=["model", "task"]).merge(sessions, on="session_id")
FOLLOWS = ["recovered", "changed", "repeated", "no_action", "ended"]
counts = failed.groupby(["set", "model", "next"]).size().rename("turns").reset_index()
counts["who"] = counts.set + " " + counts.model
alt.Chart(counts).mark_bar().encode(
    x=alt.X("turns:Q", stack="normalize", axis=alt.Axis(format="%"), title="turns that failed"),
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
# ## How long it goes on
#
# From the first of a row of failed turns: how many sessions' rows have got through within so many turns. A session that ends first has not. And what the guard of live sessions would call
# a loop, where it is recorded what came of calls: how many it is told of, how many it stops, and how many calls the longest holds.

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
print(f"loops: told {circles.told}, stopped {circles.rate}, not recorded {circles.not_recorded}")
print("the longest holds", max((loop.count for loop in circles.loops), default=0), "calls")
soon.pivot(index="set", columns="within", values="got through")

# %% [markdown]
# ## The same again, or something else
#
# Of turns that failed behind one that had failed: does the next get through more often where the session had done something else than where it had done the same? Set by set,
# with the 95 % interval of the difference and the p of the score test, sessions taken into account and adjusted for the number of sets (Holm).

# %%
failed = failed.sort_values(["session_id", "turn_index"])
failed["by_way_of"] = failed.groupby("session_id").next.shift().where(failed.streak > 1)
again = failed[failed.by_way_of.isin(["repeated", "changed"])]


def compared(groups: dict[str, tuple[al.Rate, al.Rate]]) -> pd.DataFrame:
    """Return pairs of rates with their differences and adjusted tests; a difference that has no interval has no test."""
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
    """Return of each group the rate of a hit where something doesn't hold, and where it does; groups that have one side alone are left out."""
    found = {}
    for name, group in frame.groupby(by):
        sides = [group[having[group.index] == side] for side in (False, True)]
        if all(len(side) for side in sides):
            found[name] = tuple(al.statistics.rate(hit[side.index], by=side.session_id) for side in sides)
    return found


changing = two_rates(again, "set", again.by_way_of == "changed", again.next == "recovered")
compared(changing).rename(columns={"without": "through after the same", "with": "through after another"})

# %% [markdown]
# ## And success
#
# Of the sessions with a failed turn: was the task solved, where the first failure was got over within two turns, and where it was not? Model by model within a set of tasks. This is no effect of
# recovering: who gets through soon may be the better model, may have the easier task, and has more turns left. And a session in which nothing ever gets through can't be solved at all.

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
# The model and the task are in that. Within the **same task**: where some models got over their first failure soon and others did not, the share of the first that solved it minus that of
# the others, and its mean over such tasks, by the sign-flip test and a bootstrap over tasks. There the models still differ: of two, that is the better one less the worse one. So beside it the
# same of what each session has solved **beyond its model's own share**. What a model solved because it recovers is in that share, too: it takes away too much rather than too little.


# %%
def within_tasks(frame: pd.DataFrame, measure: str) -> list[float]:
    """Return of each task that has both kinds of sessions the difference in their means."""
    means = frame.groupby(["task", "is_soon"])[measure].mean().unstack()
    return (means[True] - means[False]).dropna().tolist() if {True, False} <= set(means) else []


def paired(measure: str) -> pd.DataFrame:
    """Return the mean difference within the tasks of each set, with its interval and its test, adjusted for the number of sets."""
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
# What a session would have come to if it had done otherwise: nobody was made to repeat or to change anything. Whether a repeated call was the right one since something else had
# changed. MINT's code, whose errors are in its prompts and not recorded as results. Responses in which InterCode's own reader found no query: they are turns without an
# action here. Models of today: these are of 2023 and 2024.
#
# ## The answer

# %%
repeated, recovered = report.rate("repeated"), report.rate("recovered")
held = int((beyond.p < 0.05).sum())
sentences = [
    f"The turn behind one that failed makes the same call again and fails again in {repeated}, and gets through in {recovered};",
    f"within {SOON} turns {report.within(SOON)} of the rows of failed turns are over.",
    *(
        f"{name}: behind the same again {same.value:.1%} {same.shown_interval} get through, behind another try {other.value:.1%} {other.shown_interval}."
        for name, (same, other) in changing.items()
    ),
    f"Sessions that are over their first failure within {SOON} turns have solved more of the same tasks:",
    "; ".join(
        f"{row.Index} {row.difference}, beyond their models' own shares {beyond.difference[row.Index]}"
        for row in of_tasks.itertuples()
    )
    + f". Of the latter {held} of {len(beyond)} hold (Holm, 5 %).",
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
