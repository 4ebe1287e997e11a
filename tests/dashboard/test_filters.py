"""The bar of filters: the link, the chips, what is picked and what is set aside, and the views that are saved of it."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import actionledger_dashboard
from actionledger import RecordedSession, RecordedTurn, import_sessions
from actionledger.core.ids import derived_id
from actionledger.core.recordings import RecordedCall
from actionledger.core.vocabulary import Capture, Origin
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries import Filter, ScoreBound
from actionledger.ledger.queries.addresses import PAGES
from actionledger.ledger.queries.fields import FIELDS
from actionledger.ledger.queries.filters import FILTERS, filter_of_parameters, filter_parameters
from actionledger.ledger.review import review
from actionledger.ledger.saved import Saved

OVERVIEW, SESSIONS, TURNS = (f"views/{name}.py" for name in ("overview", "sessions", "turns"))

Open = Callable[..., AppTest]
Drawn = Callable[[AppTest, str], dict[str, Any]]
Stats = Callable[..., dict[str, tuple[str, list[str]]]]


def chips(drawn: Drawn, test: AppTest) -> list[tuple[str, str]]:
    """Return what is filtered by, each with what the link is without it."""
    return [(f"{chip['label']}: {chip['value']}", chip["without"]) for chip in drawn(test, "chips")["chips"]]


def labels_in(test: AppTest) -> list[dict[str, str]]:
    """Return the links that filter by a label, of a page that has links of other kinds, too."""
    of_component = (
        json.loads(one.proto.json)[0]
        for one in test.get("bidi_component")
        if "anchors" in one.proto.component_name
    )
    return [link for shown in of_component if shown["before"] == "Labels" for link in shown["links"]]


def pick(test: AppTest, label: str, of: str) -> Any:
    """Return the one widget of a kind with that label."""
    [widget] = [each for each in test.get(of) if each.label == label]
    return widget


def whole() -> Filter:
    """Return a filter of which every field says something."""
    return filter_of_parameters(
        {
            "run": [derived_id("run", "live")], "since": ["2026-03-02"], "until": ["2026-03-03"], "model": ["a", "b"],
            "profile": ["coder"], "task": ["t"], "source": ["s"], "project": ["/p"], "branch": ["b"], "agent": ["a"], "capture": ["text"], "label": ["l"],
            "score": ["reward>=0.5", "a=b=1"], "min_cost": ["0.5"], "max_cost": ["2.0"], "min_duration": ["60.0"], "max_duration": ["3600.0"],
            "outcome": ["clean"], "ending": ["unparseable"], "session_outcome": ["failed"], "dialect": ["none"], "failing": ["1"],
            "stage": ["acting"],
            "code": ["timeout"], "action": ["edit"], "execution": ["failed"], "origin": ["recorded"], "verdict": ["wrong"],
            "turn_label": ["odd"],
            "search": ["100%"],
        }
    )  # fmt: skip


def test_a_filter_is_the_same_in_a_link() -> None:
    """Each field stands in its parameter and is read from there again; none is forgotten."""
    within = whole()
    assert all(getattr(within, name) for name in Filter.__slots__)
    there = filter_parameters(within)
    assert set(there) == set(FILTERS) == {field.parameter for field in FIELDS}
    again = filter_of_parameters(
        {name: [value] if isinstance(value, str) else value for name, value in there.items()}
    )
    assert again == within
    assert (within.scores[1], within.origin) == (ScoreBound("a=b", "=", 1), Origin.RECORDED)


def test_the_pages_are_those_that_an_address_can_have() -> None:
    """A word alone is an address where a page is called so."""
    app = Path(actionledger_dashboard.__file__).with_name("app.py").read_text(encoding="utf-8")
    assert tuple(re.findall(r'url_path="(\w+)"', app)) == PAGES


def test_every_filter_in_the_link_is_a_chip(open_page: Open, sample: Path, drawn: Drawn) -> None:
    """Each chip says what it is, and leads to the same page without it, from the list's first page on."""
    test = open_page(
        sample, TURNS, task="demo", outcome=["failed", "no_action"], code="unclosed_tag", search="<"
    )
    test.query_params["page"] = "3"
    test.run()
    assert chips(drawn, test) == [
        ("Task: demo", "outcome=failed&outcome=no_action&code=unclosed_tag&search=%3C"),
        ("Outcome: unparseable", "task=demo&outcome=no_action&code=unclosed_tag&search=%3C"),
        ("Outcome: no tool call", "task=demo&outcome=failed&code=unclosed_tag&search=%3C"),
        ("Reason: unclosed_tag", "task=demo&outcome=failed&outcome=no_action&search=%3C"),
        ("Text: <", "task=demo&outcome=failed&outcome=no_action&code=unclosed_tag"),
    ]


def test_a_link_that_asks_twice_for_what_is_not_there_is_a_sentence(open_page: Open, sample: Path) -> None:
    """The page broke at the second one; one press takes out both."""
    test = open_page(sample, TURNS, model=["gone", "gone"])
    [button] = [each for each in test.button if each.label == "Remove"]
    button.click().run()
    assert not test.exception
    assert "model" not in test.query_params


def test_a_link_that_asks_for_two_of_what_is_one_says_so(open_page: Open, sample: Path, drawn: Drawn) -> None:
    """The first was looked for, and the other passed over in silence."""
    test = open_page(sample, TURNS, search=["to do", "create", "to do"])
    assert any("only one can be searched for" in text.value for text in test.text)
    [button] = [each for each in test.button if each.label == "Remove"]
    button.click().run()
    assert [chip for chip, _ in chips(drawn, test)] == ["Text: to do"]


def test_a_view_of_a_page_that_is_not_there_leads_nowhere(
    open_page: Open, sample: Path, tmp_path: Path
) -> None:
    """Another version has saved it; its link opened the overview, as if it were that."""
    path = Path(shutil.copy(sample, tmp_path))
    Saved(path, "views").put("warm", {"page": "heatmap", "query": "model=small"})
    words = [text.value for text in open_page(path, TURNS).text]
    assert "warm: of the page heatmap, which this version does not have." in words


def test_a_filter_is_added_where_it_is_chosen(open_page: Open, sample: Path, drawn: Drawn) -> None:
    """A field is chosen, then its values; the link follows, and the chip is there."""
    test = open_page(sample, TURNS, task="demo")
    pick(test, "Filter by", "selectbox").set_value("outcome").run()
    pick(test, "Outcome", "multiselect").set_value(["failed"]).run()
    assert not test.exception
    assert test.query_params["outcome"] == "failed"
    assert [chip for chip, _ in chips(drawn, test)] == ["Task: demo", "Outcome: unparseable"]
    pick(test, "Filter by", "selectbox").set_value("since").run()
    assert pick(test, "From (UTC)", "date_input").value is None
    pick(test, "Filter by", "selectbox").set_value("outcome").run()
    assert pick(test, "Outcome", "multiselect").value == ["failed"]
    pick(test, "Outcome", "multiselect").set_value([]).run()
    assert "outcome" not in test.query_params


@pytest.mark.parametrize(("page", "said"), [(TURNS, "1 turn, the latest first"), (SESSIONS, "1 session")])
def test_a_search_is_in_the_link(open_page: Open, sample: Path, drawn: Drawn, page: str, said: str) -> None:
    """The list is the one that the link names, and the field says it."""
    test = open_page(sample, page, search="Nothing to do")
    assert drawn(test, "search") == {"text": "Nothing to do"}
    assert said in [caption.value for caption in test.caption]
    assert [chip for chip, _ in chips(drawn, test)] == ["Text: Nothing to do"]


@pytest.mark.parametrize("page", [OVERVIEW, "views/compare.py"])
def test_rates_set_aside_what_came_of_responses(
    open_page: Open, sample: Path, drawn: Drawn, stats: Stats, page: str
) -> None:
    """It stays in the link and is crossed out, and is not offered; the numbers are those without it."""
    look = {"show": "funnel"} if page == OVERVIEW else {}
    test = open_page(sample, page, outcome="failed", search="nothing at all", **look)
    shown = drawn(test, "chips")["chips"]
    assert [(chip["label"], chip["isSetAside"]) for chip in shown] == [("Outcome", True), ("Text", True)]
    assert any(caption.value.startswith("Crossed out:") for caption in test.caption)
    assert "outcome" not in pick(test, "Filter by", "selectbox").options
    assert test.query_params["outcome"] == "failed"
    if page == OVERVIEW:
        assert stats(test)["Responses"][0] == "7"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("outcome", "claen", 'Outcome: there is no "claen" here'),
        ("score", "reward", 'Score: there is no "reward" here'),
        ("capture", "all", 'Capture: there is no "all" here'),
        ("stage", "thinking", 'Went wrong in: there is no "thinking" here'),
        ("origin", "them", 'Run by: there is no "them" here'),
        ("code", "because", 'Reason: there is no "because" here'),
    ],
)
def test_a_value_that_is_not_there_is_named(
    open_page: Open, sample: Path, name: str, value: str, said: str
) -> None:
    """No list is shown as if it were the filter's."""
    test = open_page(sample, SESSIONS, **{name: value})
    assert f"{said}; take it out to see what there is." in [text.value for text in test.text]
    assert not [one for one in test.get("bidi_component") if one.proto.component_name == "actionledger.table"]


@pytest.mark.parametrize(
    ("page", "name", "label"),
    [
        (OVERVIEW, "unit", "Unit"),
        ("views/compare.py", "by", "Compare"),
        ("views/live.py", "window", "How far back"),
    ],
)
def test_a_choice_that_is_not_there_is_named(
    open_page: Open, sample: Path, page: str, name: str, label: str
) -> None:
    """The first one was taken in its place, and the link changed, without a word."""
    test = open_page(sample, page, **{name: "foo"})
    assert any(f'{label}: there is no "foo" here' in text.value for text in test.text)
    assert test.query_params[name] == "foo"


def test_a_page_that_a_list_has_not_is_named(open_page: Open, sample: Path) -> None:
    test = open_page(sample, TURNS)
    for asked in ("99", "-1", "two", "9" * 5000):
        test.query_params["page"] = asked
        test.run()
        said = f'There is no page "{asked}"; this is page 1.'
        assert said in [text.value for text in test.text]


def test_a_hit_leads_to_its_characters(open_page: Open, sample: Path, drawn: Drawn, mixed: str) -> None:
    """The list shows what is found where it stands, marked, and the link names the code points of the response."""
    table = drawn(open_page(sample, TURNS, task="demo", search="說明.MD"), "table")
    start = mixed.index("說明.md")
    session = derived_id("session", "steps")
    assert table["hrefs"] == [f"replay?session={session}&turn=0&at={start}-{start + 5}"]
    heads = [column["label"] for column in table["columns"]]
    [row] = table["rows"]
    assert row[heads.index("Found in")] == "the response"
    assert row[heads.index("What is found")]["text"] == "說明.md"


def test_a_turn_says_what_it_did_and_sessions_how_they_ended_where_that_is_known(
    open_page: Open, elsewhere: Path, tmp_path: Path, drawn: Drawn
) -> None:
    """Of a turn whose calls alone were recorded nothing else is seen in the list; a column of unknowns leaves no room for the others."""
    table = drawn(open_page(elsewhere, TURNS), "table")
    heads = [column["label"] for column in table["columns"]]
    shown = {row[heads.index("Actions")] for row in table["rows"]}
    assert any(shown)
    assert shown == {
        ", ".join(f"{name} ×{times}" if times > 1 else name for name, times in Counter(each).items())
        for each in _names_by_turn(elsewhere)
    }
    known = tmp_path / "known.duckdb"
    with open_ledger(known, in_background=False) as ledger:
        solved = RecordedSession("solved", None, "m", "t", (RecordedTurn(0, "Done."),), success=True)
        import_sessions(ledger, [solved], source="s")
    for path, is_known in ((known, True), (elsewhere, False)):
        sessions = drawn(open_page(path, SESSIONS, also="Success"), "table")
        assert ("Success" in [column["label"] for column in sessions["columns"]]) == is_known


def test_a_turn_whose_calls_were_split_off_begins_with_its_text_or_its_first_call(
    open_page: Open, tmp_path: Path, drawn: Drawn
) -> None:
    """It showed the last words of the text, behind which the calls are put; and nothing of one without a text."""
    path = tmp_path / "split.duckdb"
    said = "First I look at all that is there already."
    turns = [
        RecordedTurn(
            index, text, capture=Capture.CALLS, calls=(RecordedCall(f"c{index}", "read", {"path": "a"}),)
        )
        for index, text in enumerate((said, ""))
    ]
    with open_ledger(path, in_background=False) as ledger:
        import_sessions(ledger, [RecordedSession("split", None, "m", "", tuple(turns))], source="s")
    table = drawn(open_page(path, TURNS), "table")
    place = [column["label"] for column in table["columns"]].index("How it begins")
    assert [row[place] for row in table["rows"]] == [said, '{"path":"a"}']


def _names_by_turn(path: Path) -> list[list[str]]:
    with open_ledger(path, read_only=True) as ledger:
        found = ledger.sql(
            "SELECT (SELECT list(name ORDER BY action_index) FROM actions a WHERE a.turn_id = t.turn_id AND status <> 'illustration') FROM turns t"
        ).fetchall()
    return [names or [] for (names,) in found]


def test_a_hit_in_a_result_marks_its_action(open_page: Open, sample: Path, drawn: Drawn) -> None:
    """A result stands in no response; what it is the result of does."""
    table = drawn(open_page(sample, TURNS, search="bytes", task="demo"), "table")
    [row] = table["rows"]
    assert "at=" in table["hrefs"][0]
    assert row[[column["label"] for column in table["columns"]].index("Found in")] == "a result"


def test_cells_lead_to_their_own_lists(open_page: Open, elsewhere: Path, drawn: Drawn) -> None:
    """A model adds itself to the filters; a child names its parent's transcript, if the ledger has it."""
    table = drawn(open_page(elsewhere, SESSIONS, source="chatlog"), "table")
    columns = {column["label"]: column for column in table["columns"]}
    assert set(columns["Model"]["hrefs"]) == {"sessions?model=big&source=chatlog"}
    with open_ledger(elsewhere, read_only=True) as ledger:
        rows = queries.sessions(ledger)
    known = {row.session_id for row in rows}
    parents = [
        f"transcript?session={row.parent_session_id}" if row.parent_session_id in known else ""
        for row in rows
    ]
    assert columns["Relation"]["hrefs"] == parents
    assert any(parents)
    assert sum(bool(row.parent_session_id) for row in rows) == 2


@pytest.fixture(scope="module")
def labelled(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample, of which three turns are labelled and one is judged; a label would be Markdown."""
    path = Path(shutil.copy(sample, tmp_path_factory.mktemp("labels") / "mine.duckdb"))
    with open_ledger(path, in_background=False) as opened:
        for turn, label in ((0, "**odd** [x](y)"), (0, "flaky"), (1, "flaky"), (2, "flaky")):
            review(opened, "steps", turn, by="ann", label=label)
        review(opened, "steps", 1, by="ann", verdict="wrong")
    return path


class TestLabels:
    @pytest.mark.parametrize("page", [SESSIONS, TURNS])
    def test_labels_are_offered_with_their_counts(
        self, open_page: Open, labelled: Path, drawn: Drawn, page: str
    ) -> None:
        """The one that most turns have first, each a link to the same page of what goes by it; one that is picked is a chip."""
        test = open_page(labelled, page, task="demo")
        links = labels_in(test)
        assert ("flaky · 3 turns", "task=demo&turn_label=flaky") in [
            (link["text"], link["href"].removeprefix("?")) for link in links
        ]
        test.query_params["turn_label"] = "flaky"
        test.run()
        assert not test.exception
        assert ("Turn label: flaky", "task=demo") in chips(drawn, test)

    def test_a_label_narrows_lists_to_the_same_turns_and_no_rate(
        self, open_page: Open, labelled: Path, drawn: Drawn, stats: Stats
    ) -> None:
        """The list of turns and the sessions' turns are as many; the overview sets it aside, since people labelled after a look."""
        turns = drawn(open_page(labelled, TURNS, turn_label="flaky"), "table")
        heads = [column["label"] for column in turns["columns"]]
        assert [row[heads.index("Turn")] for row in turns["rows"]] == [0, 1, 2]
        assert [row[heads.index("Labels")] for row in turns["rows"]] == [
            "**odd** [x](y), flaky",
            "flaky",
            "flaky",
        ]
        assert turns["columns"][heads.index("Labels")]["hrefs"] == [
            "",
            "turns?turn_label=flaky",
            "turns?turn_label=flaky",
        ]
        sessions = drawn(open_page(labelled, SESSIONS, turn_label="flaky"), "table")
        heads = [column["label"] for column in sessions["columns"]]
        assert [(row[0], row[heads.index("Match")]) for row in sessions["rows"]] == [("steps", 3)]
        overview = open_page(labelled, OVERVIEW, show="funnel", turn_label="flaky")
        assert any("Crossed out" in caption.value for caption in overview.caption)
        assert (
            stats(overview)["Responses"] == stats(open_page(labelled, OVERVIEW, show="funnel"))["Responses"]
        )
        assert not labels_in(overview)

    def test_a_verdict_and_a_label_are_chosen_with_their_counts(
        self, open_page: Open, labelled: Path
    ) -> None:
        """Their lists say how much goes by each."""
        test = open_page(labelled, TURNS)
        pick(test, "Filter by", "selectbox").set_value("turn_label").run()
        assert "flaky · 3 turns" in pick(test, "Turn label", "multiselect").options
        pick(test, "Filter by", "selectbox").set_value("verdict").run()
        pick(test, "Verdict", "multiselect").set_value(["wrong"]).run()
        assert "wrong · 1 reading" in pick(test, "Verdict", "multiselect").options
        assert "1 turn, the latest first" in [caption.value for caption in test.caption]


class TestViews:
    @pytest.fixture
    def ledger(self, sample: Path, tmp_path: Path) -> Path:
        """A copy of the sample, in whose folder views can be kept."""
        return Path(shutil.copy(sample, tmp_path / "mine.duckdb"))

    def test_a_view_is_saved_and_opened(self, open_page: Open, ledger: Path, drawn: Drawn) -> None:
        """It is a link to the page as it was, for who comes next as well."""
        test = open_page(ledger, TURNS, task="demo", outcome="failed")
        pick(test, "Name", "text_input").set_value("what failed").run()
        _press(test, "Save this view")
        links = drawn(open_page(ledger, SESSIONS), "anchors")["links"]
        assert links == [{"text": "what failed", "href": "turns?task=demo&outcome=failed"}]

    def test_a_view_is_renamed_and_deleted(self, open_page: Open, ledger: Path, drawn: Drawn) -> None:
        """By whoever opens the ledger; what can't be done is said and changes nothing."""
        test = open_page(ledger, TURNS, task="demo")
        for name in ("one", "two"):
            pick(test, "Name", "text_input").set_value(name).run()
            _press(test, "Save this view")
        pick(test, "Change a view", "selectbox").set_value("one").run()
        pick(test, "New name", "text_input").set_value("two").run()
        _press(test, "Rename")
        assert "Something is called 'two' already; choose another name." in [text.value for text in test.text]
        pick(test, "New name", "text_input").set_value("three").run()
        _press(test, "Rename")
        assert [link["text"] for link in drawn(test, "anchors")["links"]] == ["three", "two"]
        pick(test, "Change a view", "selectbox").set_value("two").run()
        _press(test, "Delete")
        assert [link["text"] for link in drawn(test, "anchors")["links"]] == ["three"]

    def test_a_file_that_cannot_be_read_is_a_sentence(self, open_page: Open, ledger: Path) -> None:
        """The page is there as ever; nothing can be saved, so that nothing is written over."""
        folder = Path(f"{ledger}.d")
        folder.mkdir(exist_ok=True)
        (folder / "saved-views.json").write_text("{")
        test = open_page(ledger, SESSIONS)
        assert any("saved-views.json are no JSON" in text.value for text in test.text)
        assert "3 sessions" in [caption.value for caption in test.caption]
        pick(test, "Name", "text_input").set_value("x").run()
        _press(test, "Save this view")
        assert (folder / "saved-views.json").read_text() == "{"


def _press(test: AppTest, label: str) -> None:
    [button] = [each for each in test.button if each.label == label]
    button.click().run()
    assert not test.exception
