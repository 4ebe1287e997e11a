"""What a program hands over by mistake is named in a sentence, and what it gets back fits on a screen."""

from pathlib import Path

import numpy as np
import pytest

import actionledger as al
from actionledger.core.errors import UsageError

TOOL = {"name": "list_tasks", "parameters": {"properties": {"status": {"type": "integer"}}}}


@pytest.mark.parametrize("text", [None, b"Well.", 7])
def test_what_is_no_text_is_refused(text):
    """Wherever a response or a JSON text is asked for."""
    stream = al.StreamParser(al.parser("mint"))
    with al.Runtime("mint") as runtime:
        for read in (
            lambda: al.parse(text, profile="mint"),
            lambda: al.decode(text),
            lambda: al.decode_all(text),
            lambda: al.find_value(text),
            lambda: stream.feed(text),
            lambda: runtime.handle(text),
            lambda: al.Case.of(text, profile="mint"),
        ):
            with pytest.raises(
                UsageError, match=f"A text is asked for, not .* of the type {type(text).__name__}; "
            ):
                read()
        assert runtime.handle("Well.").index == 0


def test_what_is_no_profile_or_parser_is_refused():
    """A number, and a parser where a profile is meant; a stream has no parser by name, and none of whole responses."""
    for profile in (7, al.parser("coder")):
        with pytest.raises(UsageError, match="A profile is a name or a Profile, not"):
            al.parse("Well.", profile=profile)
        with pytest.raises(UsageError, match="A profile is a name or a Profile, not"):
            al.Runtime(profile)
    for parser in ("coder", al.parser("go-tags")):
        with pytest.raises(UsageError, match="A stream is read by a parser of dialects"):
            al.StreamParser(parser)
    with pytest.raises(UsageError, match=r"What is explained is what al\.parse or a session gives"):
        al.explain("Well.")


def test_a_path_may_be_a_text(tmp_path):
    path = tmp_path / "well.case.toml"
    path.write_text(al.Case.of("Well.", profile="mint").dumps())
    assert al.load_case(str(path)) == al.load_case(Path(path))


def test_reports_say_what_they_are_on_one_line(tmp_path):
    """Who types their name at a prompt is not shown each of their turns."""
    call = al.render([("list_tasks", {})], "actions")
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        for model in ("a", "b"):
            with al.Runtime("assistant", ledger=ledger, model=model) as runtime:
                for text in (call, call, call, call.replace("{", "(", 1)):
                    runtime.handle(text)
        sides = (al.Filter(models=(model,)) for model in ("a", "b"))
        reports = [
            al.loops(ledger),
            al.recoveries(ledger),
            al.recheck(ledger, tools=[TOOL]),
            al.compare(ledger, *sides),
        ]
    assert [repr(each) for each in reports] == [
        "<LoopReport 2 loops in 2 of 2 sessions; 0 not recorded>",
        "<RecoveryReport 2 turns that failed, then: 0 recovered, 0 repeated, 0 changed, 0 no action, 2 ended, 0 not recorded>",
        "<RecheckReport 6 calls: 6 same, 0 newly refused, 0 newly accepted, 0 not judged; 0 would not have run by themselves>",
        "<Contrast 4 and 4 responses, 4 measures>",
    ]


def test_sessions_and_runs_go_by_what_sql_gives(ledger):
    """``SELECT session_id`` gives UUIDs, and so does ``SELECT run_id``: they name a session and a run as their texts do."""
    with al.Runtime("assistant", ledger=ledger) as runtime:
        runtime.handle(al.render([("list_tasks", {})], "actions"))
    al.reparse(ledger, parser="gembrain-standard")
    [(session,)] = ledger.sql("SELECT session_id FROM sessions").fetchall()
    [(run,)] = ledger.sql("SELECT run_id FROM run_starts WHERE run_kind = 'reparse'").fetchall()
    assert al.review(ledger, session, 0, by="ada", label="odd", run=run).session_id == str(session)
    assert [each.session_id for each in al.reviews(ledger, session=session)] == [str(session)]
    assert al.steps(ledger, session).session_id == str(session)
    assert al.compare(ledger, None, run).counts == al.compare(ledger, "first", str(run)).counts
    assert [group.label for group in al.compare_by(ledger, "first", run, "model")] == [""]
    assert al.failure_changes(ledger, "first", run).paired == 1
    assert al.Filter(run_id=run) == al.Filter(run_id=str(run))


def test_what_names_no_session_or_run_is_refused(ledger):
    """A place in a tuple, a number, half of a character as a command line may hold it, and a run that is not there."""
    for name in (("s1", 0), 7, None):
        with pytest.raises(UsageError, match="A session is named by its name or its id, not by"):
            al.view(ledger, name)
        with pytest.raises(UsageError, match="A run is named by its name or its id, not by"):
            al.compare_by(ledger, None, name, "model")
    with pytest.raises(UsageError, match="There is no session"):
        al.view(ledger, "\udce9")
    for ask in (al.failure_changes, lambda *sides: al.compare_by(*sides, "model")):
        with pytest.raises(UsageError, match="There is no run"):
            ask(ledger, "first", "06d694b1-0dda-4d9d-8ce4-4d3f0efed0a0")


def test_a_turn_goes_by_a_data_frames_number(ledger):
    """``frame.turn_index[0]`` is NumPy's; a text is no place."""
    ledger.record_turn("s1", "Well.")
    place = np.int32(0)
    assert al.review(ledger, "s1", place, by="ada", label="odd").turn_index == 0
    assert len(al.reviews(ledger, session="s1", turn=place)) == 1
    assert al.steps(ledger, "s1", turn=place).session_id
    for ask in (al.steps, al.view, al.reviews):
        with pytest.raises(
            UsageError, match="A turn is named by its place, a whole number from 0, not by '0'"
        ):
            ask(ledger, session="s1", turn="0") if ask is al.reviews else ask(ledger, "s1", turn="0")


def test_the_path_of_a_ledger_is_no_ledger():
    """The import command and ``al.record`` open one by its path; nothing else does."""
    for ask in (
        al.loops,
        al.funnel,
        al.agreement,
        al.changes,
        al.reviews,
        al.failures,
        al.charts.funnel,
        lambda path: al.Runtime("assistant", ledger=path),
        lambda path: al.reparse(path, parser="assistant"),
        lambda path: al.recheck(path, policy="strict.toml"),
        lambda path: al.bless(path, "baseline.json"),
        lambda path: al.steps(path, "s1"),
        lambda path: al.compare_by(path, "first", "again", "model"),
    ):
        with pytest.raises(
            UsageError, match=r"'team\.duckdb' is not an open ledger; give what al\.open_ledger"
        ):
            ask("team.duckdb")


def test_what_groups_nothing_is_refused_with_what_does(ledger):
    """By a name that is none, and by none."""
    ledger.record_turn("s1", "Well.")
    [(run,)] = ledger.sql("SELECT run_id FROM run_starts").fetchall()
    for by in ("colour", None):
        with pytest.raises(UsageError, match=r"There is no way to group responses .* Known: model, profile"):
            al.charts.groups(ledger, by=by)
        with pytest.raises(UsageError, match=r"There is no way to group turns .* Known: dialect, model"):
            al.compare_by(ledger, None, run, by)


@pytest.mark.parametrize("value", [float("nan"), 1.2, -0.1])
def test_what_is_no_p_value_is_refused(value):
    """A NaN has no place in their order: it moved the values beside it, and came out as 1."""
    with pytest.raises(UsageError, match=f"{value} is not a p-value"):
        al.statistics.holm([0.04, value, 0.01])


def test_a_parser_and_dialects_of_no_kind_are_refused():
    """A number for a list of names, or for a parser; a list where one name is asked for."""
    with pytest.raises(UsageError, match="dialects is a list of names, not 5"):
        al.parse("Well.", dialects=5)
    with pytest.raises(UsageError, match=r"A parser is a name or what .* gives, not 5"):
        al.parse("Well.", parser=5)
    for name in (None, 5):
        with pytest.raises(UsageError, match=f"There is no parser {name}"):
            al.parser(name)


def test_an_option_of_decoding_that_can_not_be_is_refused():
    """As every other mistake of a program is: who catches the toolkit's errors is told of it."""
    for option in ({"max_depth": "x"}, {"work": 0}, {"repairs": ["nope"]}, {"depth": 3}):
        with pytest.raises(UsageError, match=f"The setting '{next(iter(option))}.*' of DecodeOptions: "):
            al.DecodeOptions(**option)


@pytest.mark.parametrize("name", [["x"], {}, None, 5])
def test_what_is_no_name_goes_by_nothing(name, ledger):
    """A list among names can't be looked up in a dict."""
    for kind, ask in {
        "parser": lambda: al.parser(name),
        "profile": lambda: al.profile(name),
        "dialect": lambda: al.prompt("assistant", name or 5),
    }.items():
        with pytest.raises(UsageError, match=f"There is no {kind} .* Known: "):
            ask()
    ledger.record_turn("s1", "Well.")
    for ask in (
        lambda: al.reparse(ledger, parser=name),
        lambda: al.rerun(ledger, "s1", parser=name or 5),
    ):
        with pytest.raises(UsageError, match=r"A parser is a name or what al\.parser\(name\) gives, not"):
            ask()


@pytest.mark.parametrize(
    "ask",
    [
        lambda dialects: al.parse("Well.", dialects=dialects),
        lambda dialects: al.shrink("Well.", dialects=dialects),
        lambda dialects: al.Case.of("Well.", dialects=dialects),
        lambda dialects: al.import_path("log.jsonl", "team.duckdb", dialects=dialects),
        lambda dialects: al.custom_profile("mine", actions=al.profile("mint").catalogue, dialects=dialects),
    ],
)
def test_one_dialect_is_no_list_of_dialects(ask):
    """Wherever the formats to look for are named, and neither is a number."""
    with pytest.raises(UsageError, match=r"dialects is a list of names; write \['hermes'\]"):
        ask("hermes")
    with pytest.raises(UsageError, match="dialects is a list of names, not 5 of the type int"):
        ask(5)
    with pytest.raises(UsageError, match="a name is a text, not 5 of the type int"):
        ask([5])


def test_every_dialect_is_one_word_where_it_can_be(tmp_path):
    """As al.parse takes it; where only a list is taken, what does the same is named."""
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        ledger.record_turn("s1", '<tool_call>{"name": "add", "arguments": {}}</tool_call>', dialects="auto")
        assert ledger.sql("SELECT parser_name, dialect FROM parse_attempts").fetchall() == [
            ("auto", "hermes")
        ]
    for ask in (al.shrink, al.Case.of):
        with pytest.raises(UsageError, match="every one of them is looked for by parser='auto'"):
            ask("Well.", dialects="auto")
        assert ask("Well.", parser="auto") is not None


def test_what_is_no_filter_is_refused(tmp_path, ledger):
    """A dict of its fields, as JSON would have it, and a page's address where only a filter is taken."""
    ledger.record_turn("s1", "Well.")
    for within in ({"models": ["small"]}, None, 5):
        for ask in (
            al.funnel,
            al.loops,
            al.failures,
            al.reviews,
            al.agreement,
            al.changes,
            al.turns,
            al.sessions,
            al.recoveries,
            al.reviewer_agreement,
            al.charts.funnel,
            lambda *given: al.charts.groups(given[0], within=given[1]),
            lambda *given: al.recheck(given[0], profile="assistant", within=given[1]),
            lambda *given: al.bless(given[0], tmp_path / "baseline.json", within=given[1]),
        ):
            with pytest.raises(
                UsageError, match=r"given as a Filter, as in al\.Filter.*, not .* of the type"
            ):
                ask(ledger, within)
    with pytest.raises(UsageError, match=r"given as a Filter, .* not 'model=small'"):
        al.funnel(ledger, "model=small")


def test_what_is_no_policy_model_path_or_dialect_is_refused(tmp_path):
    """Each with what is asked for."""
    for ask in (
        lambda: al.Runtime("assistant", policy=5),
        lambda: al.Runtime("assistant", policy={"rule": []}),
    ):
        with pytest.raises(
            UsageError, match=r"A policy is the path of a file or a Policy, not .* of the type"
        ):
            ask()
    with pytest.raises(
        UsageError, match=r"A model is named by a text, one of .*ollama:.*, not 5 of the type int"
    ):
        al.model_from(5)
    for path in (5, None, b"team.duckdb"):
        with pytest.raises(UsageError, match="A ledger is opened by the path of its file, not"):
            al.open_ledger(path)
    with pytest.raises(UsageError, match=r"A dialect is a name, one of .*, or a Dialect, not 5"):
        al.render([("add", {})], 5)
    with pytest.raises(UsageError, match="The calls to write are a list, not 5"):
        al.render(5, "hermes")


def test_a_profile_is_made_and_registered_of_what_makes_one():
    """A path has a name, too: it was registered, and ended whatever asked for all profiles."""
    for profile in (5, "assistant", Path("assistent")):
        with pytest.raises(UsageError, match=r"What is registered is a Profile, as .* gives it, not"):
            al.register_profile(profile)
    for actions in (["send"], [5], None):
        with pytest.raises(
            UsageError, match=r"The actions of a profile are an ActionSet or a Catalogue, not"
        ):
            al.custom_profile("mail", actions=actions, dialects=["hermes"])
    with pytest.raises(UsageError, match="A profile's name is a text, not None"):
        al.custom_profile(None, actions=al.profile("mint").catalogue, dialects=["mint"])


def test_what_a_filter_names_is_several_texts():
    """One value, numbers, and scores by their name alone."""
    for name in ("models", "outcomes", "scores"):
        with pytest.raises(UsageError, match=f"{name} takes several, as in {name}=.*, not 5 of the type int"):
            al.Filter(**{name: 5})
    for wrong in ({"models": (5,)}, {"action": 5}, {"text": 5}):
        with pytest.raises(UsageError, match="What a filter names is a text, not 5 of the type int"):
            al.Filter(**wrong)
    with pytest.raises(UsageError, match=r"A score is bound by a ScoreBound, as in .*, not 'reward'"):
        al.Filter(scores=("reward",))


@pytest.mark.parametrize(
    "made",
    [
        lambda: al.Limits(actions_per_turn="5"),
        lambda: al.Limits(failures_per_turn=0),
        lambda: al.Limits(feedback=None),
        lambda: al.Limits(rates="send_*"),
        lambda: al.RateLimit("5", 60),
        lambda: al.ConversationLimits(turns="20"),
        lambda: al.ConversationLimits(seconds=float("nan")),
        lambda: al.ActionSettings(timeout="30"),
        lambda: al.ActionSettings(retries=None),
        lambda: al.ManifestSettings(days="7"),
    ],
)
def test_a_limit_that_is_no_number_is_refused_as_it_is_made(made):
    """Not in the middle of a session, and not passed over in silence."""
    with pytest.raises(
        UsageError, match=r"is a number, not|must be|is a list of pairs, of a glob and a RateLimit, not"
    ):
        made()


def test_what_is_no_statement_is_refused(ledger):
    """A list, and a path of a query's file."""
    for query in (["SELECT 1"], Path("query.sql")):
        with pytest.raises(UsageError, match="A query is one statement of SQL, as a text, not"):
            ledger.sql(query)


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda ledger: al.charts.trend(None), "None is not an open ledger"),
        (lambda ledger: al.charts.groups(5), "5 is not an open ledger"),
        (lambda ledger: al.reviewer_agreement("team.duckdb"), "'team.duckdb' is not an open ledger"),
        (lambda ledger: al.shrink_group(None, None), "None is not an open ledger"),
        (lambda ledger: al.import_path("log.jsonl", 5), "5 is not an open ledger"),
        (lambda ledger: al.charts.groups(ledger, by={}), "There is no way to group responses {}"),
        (
            lambda ledger: al.charts.trend(ledger, unit="year"),
            "'year' is not a period; choose one of day, week",
        ),
        (lambda ledger: al.charts.groups(ledger, most="x"), "most is a number, not 'x'"),
        (lambda ledger: al.charts.compared(None), r"What is drawn is what al\.compare gives, not None"),
        (lambda ledger: al.changes(ledger, unit=5), "5 is not a period"),
        (lambda ledger: al.agreement(ledger, limit=-1), "limit is -1; it must be 0 or more"),
        (lambda ledger: al.view(ledger, "s1", near="x"), "near is a number, not 'x'"),
        (lambda ledger: al.compare(ledger, 5, "first"), "A side is a run by its id or name, .* not 5"),
        (lambda ledger: al.loops(ledger, limits=5), "is said by RepetitionLimits, not 5"),
        (
            lambda ledger: al.fork(ledger, "s1", turn="0", response="Well."),
            "A turn is named by its place, a whole number",
        ),
        (lambda ledger: al.reparse(ledger, parser="mint", workers="x"), "workers is a number, not 'x'"),
        (lambda ledger: al.reparse(ledger, parser="mint", against=5), "Another version is a wheel, .* not 5"),
    ],
)
def test_what_a_ledger_is_asked_wrongly_is_refused(ask, why, tmp_path):
    """Ledgers that are none, and numbers, periods and sides that are none."""
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        ledger.record_turn("s1", "Well.")
        with pytest.raises(UsageError, match=why):
            ask(ledger)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"max_lost": "x"}, "The most turns of lost is a number, not 'x'"),
        ({"max_lost": None}, "The most turns of lost is a number, not None"),
        ({"max_changed": "x"}, "The most turns of changed is a number"),
        ({"min_rate": "0.5"}, "min_rate is a number, not '0.5'"),
        ({"most": ["lost"]}, "most is how many turns a bucket may have, by its name, not"),
        ({"baseline": 5}, "A baseline is a run by its id or name, a file's path, or a Baseline, not 5"),
        ({"candidate": 5}, r"A parser is a name or what al\.parser\(name\) gives, not 5"),
    ],
)
def test_a_gate_that_is_asked_wrongly_says_so(wrong, why, ledger):
    ledger.record_turn("s1", "Well.")
    with pytest.raises(UsageError, match=why):
        al.gate(ledger, **({"baseline": "first", "candidate": "mint"} | wrong))


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: al.load_case(5), "A case is a path, as a text or a Path, not 5"),
        (lambda: al.Runtime("mint", workspace=5), "A workspace is a path, as a text or a Path, not 5"),
        (lambda: al.Runtime("mint", metadata="x"), "Metadata is JSON values by name, not 'x'"),
        (lambda: al.Runtime("coder", undo_days="7"), "The limit undo_days is a number, not '7'"),
        (lambda: al.Prices.of(5), "A file of prices is a path, as a text or a Path, not 5"),
        (
            lambda: al.import_path([5], "team.duckdb"),
            "What is imported is a path, as a text or a Path, not 5",
        ),
        (lambda: list(al.frame_sessions([], columns=5)), "columns says which column holds a field"),
        (lambda: al.record(len, ledger=5), "A ledger that is not open yet is a path"),
        (lambda: al.ScoreBound("reward", ">=", "x"), "What bounds a score is a number, not 'x'"),
        (lambda: al.ActionSettings(outside="network"), r"outside is a list of names; write \['network'\]"),
        (lambda: al.Catalogue("mine", actions=(5,)), r"is a class derived from al\.Action, not 5"),
        (lambda: al.decode("1", options=5), "options are DecodeOptions, not 5"),
        (lambda: al.decode_all("1", options=None), "options are DecodeOptions, not None"),
        (lambda: al.find_value("1", options=5), "options are DecodeOptions, not 5"),
        (lambda: al.shrink(5, len), "A text is asked for, not 5"),
        (lambda: al.shrink("one", len, tries="x"), "tries is a number, not 'x'"),
        (lambda: al.statistics.rate(5), "hits is a list of True and False, not 5"),
        (lambda: al.statistics.holm(["x"]), "A p-value is a number, not 'x'"),
        (lambda: al.statistics.score_test(5, 5), "What is compared are two rates"),
        (lambda: al.statistics.unpaired_difference(5, 5), "What is compared are two rates"),
    ],
)
def test_what_is_no_path_no_number_and_no_options_is_refused(ask, why, tmp_path, monkeypatch):
    """By its name, with what is asked for."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=why):
        ask()


def test_what_is_no_review_is_refused(ledger):
    """Names, places and kinds that are none; an id as ``SELECT review_id`` gives it is one."""
    ledger.record_turn("s1", "Well.")
    for wrong, why in (
        ({"by": 5, "label": "odd"}, "A text says who reviews, not 5"),
        ({"by": "ada", "label": 5}, "A text says what it is, not 5"),
        ({"by": "ada", "comment": 5}, "A comment is a text, not 5"),
        ({"by": "ada", "label": "odd", "span": 5}, "A stretch is a pair of whole numbers, .* not 5"),
    ):
        with pytest.raises(UsageError, match=why):
            al.review(ledger, "s1", 0, **wrong)
    for wrong in ({"aspects": "label"}, {"aspects": 5}, {"by": 5}, {"since": "today"}):
        with pytest.raises(UsageError, match=r"list of names|by a text, not 5|since is a datetime, not"):
            al.reviews(ledger, **wrong)
    al.review(ledger, "s1", 0, by="ada", label="odd")
    [(review_id,)] = ledger.sql("SELECT review_id FROM reviews").fetchall()
    for by in (5, None):
        with pytest.raises(UsageError, match="A text says who reviews, not"):
            al.withdraw(ledger, review_id, by=by)
    with pytest.raises(UsageError, match="Nothing was said under '5'"):
        al.withdraw(ledger, 5, by="ada")
    assert not al.withdraw(ledger, review_id, by="ada").stands
