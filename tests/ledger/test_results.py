"""What a statement gave, on every supported DuckDB."""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from decimal import Decimal
from importlib.util import find_spec

import duckdb
import pytest

from actionledger.core.errors import LedgerError, MissingPackageError, UsageError
from actionledger.ledger import open_ledger
from actionledger.ledger.results import distinct

polars = pytest.mark.skipif(find_spec("polars") is None, reason="polars is not installed")
MIXED = (
    "SELECT 1 AS a, 'x' AS a, [1, NULL] AS list, {'k': {'n': 1}} AS struct, 'b\\x00\\xFF'::BLOB AS blob, NULL AS nothing, "
    "DATE '2026-01-02' AS day, 1.50::DECIMAL(5, 2) AS price, 'nan'::DOUBLE AS nan"
)


def test_rows_are_found_by_place_and_by_name(ledger):
    """A row is a tuple, and a mapping where its columns have names of their own."""
    [row] = ledger.sql("SELECT 1 AS n, 2 AS count, 3 AS n")
    assert row == (1, 2, 3)
    assert (row[0], row[-1], row[:2], row["count"]) == (1, 3, (1, 2), 2)
    with pytest.raises(KeyError, match="2 columns are called 'n'"):
        row["n"]
    with pytest.raises(KeyError, match="no column 'm'; there are n, count, n"):
        row["m"]
    [row] = ledger.sql("SELECT 1 AS n, 2 AS count")
    assert dict(row) == {"n": 1, "count": 2}
    assert pickle.loads(pickle.dumps(row)) == (1, 2)


def test_all_rows_as_often_as_they_are_asked_for(ledger):
    """Whatever was read before, of a small result and of one that isn't kept."""
    for count in (3, 1_000, 1_001, 25_000):
        result = ledger.sql("SELECT range AS n FROM range(?)", [count])
        first = result.fetchone()
        for _ in range(2):
            assert (first, len(result), sum(1 for _ in result)) == ((0,), count, count)
            assert len(result.df()) == result.arrow().num_rows == count
            assert repr(result).splitlines()[2].strip() == "0"
        assert len(result.fetchmany(1)) + len(result.fetchall()) == count - 1
        assert (result.fetchone(), result.fetchmany(5), result.fetchall()) == (None, [], [])


def test_what_is_looked_at_twice_looks_the_same(ledger):
    """A small result is run once for all that is read of it as rows."""
    result = ledger.sql("SELECT uuid() AS id")
    once, again = repr(result), repr(result)
    assert once == again
    assert [row["id"] for row in result] == [row["id"] for row in result]


def test_a_display_fetches_only_what_it_shows(ledger):
    """A thousand million rows are not counted for a look at them."""
    result = ledger.sql("SELECT range AS n, 'x' || range AS label FROM range(1_000_000_000)")
    assert repr(result).endswith("19  x19\n(the first 20 rows; there are more)")
    assert "the first 20 rows; there are more" in result._repr_html_()
    assert bool(result)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT 1 AS n WHERE false", "n\n-\n(0 rows)"),
        ("", "(no columns)"),
        ("-- nothing", "(no columns)"),
        ("SELECT 1; SELECT 'b' AS b -- last", "b\n-\nb\n(1 row)"),
        (
            "SELECT '漢字' AS a, NULL AS b UNION ALL SELECT 'x\ny', 2",
            "a       b\n------  ----\n漢字  NULL\nx⟨LF⟩y     2\n(2 rows)",
        ),
    ],
)
def test_a_result_as_text(ledger, query, text):
    """No rows, no columns, wide characters, NULL and a line break."""
    shown = [line.rstrip() for line in repr(ledger.sql(query)).splitlines()]
    assert [line.split() for line in shown] == [line.split() for line in text.splitlines()]


def test_values_of_every_kind_can_be_shown(ledger):
    """Nested ones, bytes, NULL, columns of the same name, in text and HTML and as frames."""
    result = ledger.sql(MIXED)
    assert result.columns[:2] == ("a", "a")
    assert result.types[:2] == ("INTEGER", "VARCHAR")
    [row] = result
    assert row[2:8] == ([1, None], {"k": {"n": 1}}, b"b\0\xff", None, date(2026, 1, 2), Decimal("1.50"))
    assert "b\\x00\\xff" in repr(result)
    assert "b\\x00\\xff" in result._repr_html_()
    assert list(result.df().columns[:2]) == ["a", "a_1"]
    assert result.arrow().column_names[:2] == ["a", "a"]


def test_a_wide_table_fits_on_a_screen(ledger):
    """Columns without room are counted and named."""
    names = ", ".join(f"'{'v' * 30}' AS column_{number}" for number in range(60))
    result = ledger.sql(f"SELECT {names}")
    lines = repr(result).splitlines()
    assert max(map(len, lines)) <= 130
    assert lines[-1].startswith("(1 row; 57 more columns: column_3, column_4")
    assert "20 more columns" in result._repr_html_()


@polars
def test_a_frame_of_polars(ledger):
    """The same rows; names that are there twice get a number that is free."""
    assert ledger.sql("SELECT 1 AS a, 2 AS a, 3 AS a_1").pl().columns == ["a", "a_2", "a_1"]
    assert ledger.sql("SELECT range AS n FROM range(5)").pl()["n"].sum() == 10


def test_names_become_distinct():
    """Every name stays in its place; a number that is another column's is not given."""
    assert distinct(["a", "a", "a_1", "b", "a"]) == ["a", "a_2", "a_1", "b", "a_3"]
    assert distinct([]) == []


@pytest.mark.parametrize(
    ("package", "method"), [("pandas", "df"), ("polars", "pl"), ("pyarrow", "pl"), ("pyarrow", "arrow")]
)
def test_a_package_that_is_missing_is_named_with_its_extra(ledger, monkeypatch, package, method):
    """And what needs no package still works."""
    for name in (package, "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    result = ledger.sql("SELECT 1 AS n")
    with pytest.raises(MissingPackageError, match=rf"{package}.*pip install 'actionledger\[notebook\]'"):
        getattr(result, method)()
    assert (list(result), result.fetchall()) == ([(1,)], [(1,)])


@pytest.mark.parametrize("method", ["df", "arrow"])
def test_a_statement_without_rows_makes_no_frame(ledger, method):
    with pytest.raises(UsageError, match="write a SELECT"):
        getattr(ledger.sql(""), method)()


def test_a_wrong_statement_is_refused_at_once(ledger):
    """With DuckDB's words; and one that goes wrong on its way is shown, not raised, where it is looked at."""
    with pytest.raises(duckdb.Error, match="nothere"):
        ledger.sql("FROM nothere")
    for size in (500, 500_000):
        query = (
            f"SELECT CASE WHEN range = {size} THEN error('<b>boom') ELSE range END AS n FROM range(1_000_000)"
        )
        try:
            result = ledger.sql(query)
        except duckdb.Error:
            continue
        with pytest.raises(duckdb.Error, match="boom"):
            result.fetchall()
        assert repr(result)
        assert "<b>boom" not in result._repr_html_()


def test_a_result_outlives_its_ledger(path, make):
    """What was asked can be read to its end after closing; asking anew can't."""
    with open_ledger(path) as ledger:
        ledger.record(make.note())
        result = ledger.sql("SELECT message FROM events, range(3)")
        first = result.fetchone()
    assert result.fetchall() == [first, first]
    assert len(result) == len(result.df()) == 3
    with pytest.raises(LedgerError, match="is closed"):
        ledger.sql("SELECT 1")


def test_a_result_keeps_what_it_saw(ledger, make):
    """What is recorded later changes nothing of it."""
    ledger.record(make.note())
    result = ledger.sql("SELECT * FROM events")
    result.fetchone()
    ledger.record(make.note())
    ledger.ingest()
    assert len(ledger.sql("FROM events")) == 2
    assert len(result) == len(result.df()) == 1


def test_threads_get_their_own_rows(ledger):
    """Of one result, and of one result each."""
    shared = ledger.sql("SELECT range AS n FROM range(20_000)")

    def work(number: int) -> bool:
        own = ledger.sql("SELECT ?::BIGINT AS n FROM range(5_000)", [number])
        return (
            set(own.fetchall()) == {(number,)}
            and {row["n"] for row in own} == {number}
            and sum(row["n"] for row in shared) == shared.df()["n"].sum()
            and shared.arrow().num_rows == len(shared)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(12)))
    walked = ledger.sql("SELECT range FROM range(50_000)")
    with ThreadPoolExecutor(4) as pool:
        taken = [row for rows in pool.map(lambda _: walked.fetchmany(12_500), range(4)) for row in rows]
    assert sorted(taken) == [(number,) for number in range(50_000)]


def test_show_prints_the_first_rows(ledger, capsys):
    """As many as are asked for, more than a display shows, too."""
    result = ledger.sql("SELECT range AS n FROM range(3_000)")
    result.show(1)
    assert capsys.readouterr().out == "n\n-\n0\n(the first 1 row; there are more)\n"
    result.show(2_000)
    assert len(capsys.readouterr().out.splitlines()) == 2_003
