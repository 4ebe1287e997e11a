"""``%load_ext actionledger``: a cell is read as a response, and a ledger is asked by guarded SQL."""

import pytest
from IPython.core.error import UsageError as ShownError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import actionledger as al


@pytest.fixture(scope="module")
def shell():
    """One that has loaded the extension, and keeps no history of it."""
    config = Config()
    config.HistoryManager.enabled = False
    made = InteractiveShell(config=config)
    made.run_line_magic("load_ext", "actionledger")
    return made


@pytest.fixture(scope="module")
def there(shell):
    """The names that a session begins with."""
    return frozenset(shell.user_ns)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A ledger with two turns."""
    file = tmp_path_factory.mktemp("asked") / "team.duckdb"
    with al.open_ledger(file) as ledger:
        for text in ("<execute>1 + 1</execute>", "<img src=x onerror=alert(1)>"):
            ledger.record_turn("s1", text, profile="mint")
    return file


@pytest.fixture(autouse=True)
def nothing_is_kept(shell, there):
    """Each test begins without a variable and without a ledger that was asked before."""
    for name in shell.user_ns.keys() - there:  # to reset the shell collects rubbish in all of the process
        del shell.user_ns[name]
    shell.magics_manager.registry["LedgerMagics"]._asked = None


@pytest.mark.parametrize(
    ("line", "cell", "names"),
    [
        ("-p mint", "Hm 😀\r\n<execute>1 + 1</execute>", ["execute"]),
        ("--parser mint-harness", "<execute>1 + 1</execute>", ["execute"]),
        ("-d hermes -d react", '<tool_call>{"name": "add", "arguments": {}}</tool_call>', ["add"]),
        ("", '<tool_call>{"name": "add", "arguments": {}}</tool_call>', ["add"]),
        ("-p mint", "", []),
    ],
)
def test_a_cell_is_read_as_it_stands(shell, line, cell, names):
    """Character by character, without the line break that IPython puts behind it; by whatever is named, or by all."""
    result = shell.run_cell_magic("action", f"found {line}", f"{cell}\n")
    assert result.text == cell
    assert [call.name for call in result.actions] == names
    assert shell.user_ns["found"] is result


def test_a_cell_is_checked_against_a_variable_s_tools(shell):
    """As ``parse(tools=…)`` takes them."""
    shell.push(
        {
            "mine": [
                {"name": "add", "parameters": {"type": "object", "required": ["a"], "properties": {"a": {}}}}
            ]
        }
    )
    call = '<tool_call>{"name": "add", "arguments": {}}</tool_call>'
    assert [str(call.status) for call in shell.run_cell_magic("action", "-t mine", call).actions] == [
        "invalid"
    ]


@pytest.mark.parametrize(
    ("magic", "line", "cell", "said"),
    [
        ("action", "-p nobody", "x", "no profile 'nobody'"),
        ("action", "-t none", "x", "no variable 'none'"),
        ("action", "-t number", "x", "Tools are a list, one mapping a tool; '3' is of the type int"),
        ("action", "-t text", "x", "Tools are a list, one mapping a tool; 'add' is of the type str"),
        ("action", "-d hermes --parser auto", "x", "either dialects or a parser"),
        ("action", "not-a-name", "x", "can't be the name"),
        ("sql", "", "SELECT 1", "no variable has an open ledger"),
        ("sql", "-l nowhere.duckdb", "SELECT 1", "neither a variable"),
        ("action", '"', "text", "can't be read: no closing quotation"),
        ("sql", "--seconds nan", "SELECT 1", "--seconds takes more than 0 and at most 86,400; nan is not"),
        ("sql", "--seconds inf", "SELECT 1", "--seconds takes more than 0"),
        ("sql", "--seconds -1", "SELECT 1", "--seconds takes more than 0"),
    ],
)
def test_what_can_t_be_done_is_said_in_a_sentence(shell, magic, line, cell, said):
    """Without a traceback: IPython shows such an error by its words alone."""
    shell.push({"number": 3, "text": "add"})
    with pytest.raises(ShownError, match=said):
        shell.run_cell_magic(magic, line, cell)


@pytest.mark.parametrize(
    ("kind", "columns"), [("pandas", "columns"), ("polars", "columns"), ("arrow", "column_names")]
)
def test_an_answer_is_a_data_frame_with_a_name(shell, path, kind, columns):
    """Of the kind that is asked for; columns of the same name get a number, times are UTC without a zone."""
    if kind != "pandas":
        pytest.importorskip("polars")
    statement = "SELECT turn_index, text, now() AS at, 1 AS x, 2 AS x FROM turns ORDER BY turn_index"
    frame = shell.run_cell_magic("sql", f"mine --ledger {path} --as {kind}", statement)
    assert list(getattr(frame, columns)) == ["turn_index", "text", "at", "x", "x_1"]
    assert len(frame) == 2
    assert shell.user_ns["mine"] is frame


def test_what_polars_has_no_type_for_is_said_with_its_column(shell, path):
    """An interval, and a union; pandas and Arrow take the first."""
    pytest.importorskip("polars")
    statement = "SELECT 1 AS one, INTERVAL 3 MONTH AS lasted"
    with pytest.raises(
        ShownError, match=r"no type for the column 'lasted' .*give it another, such as lasted::VARCHAR"
    ):
        shell.run_cell_magic("sql", f"-l {path} --as polars", statement)
    assert len(shell.run_cell_magic("sql", f"-l {path} --as arrow", statement)) == 1


def test_a_closed_ledger_is_not_asked(shell, path):
    """Neither is it one of those that are open, nor the one of before."""
    with al.open_ledger(path, read_only=True) as closed:
        shell.push({"closed": closed})
        assert len(shell.run_cell_magic("sql", "-l closed", "FROM turns")) == 2
    with pytest.raises(ShownError, match="no variable has an open ledger"):
        shell.run_cell_magic("sql", "", "FROM turns")
    with al.open_ledger(path, read_only=True) as opened:
        shell.push({"opened": opened})
        assert len(shell.run_cell_magic("sql", "", "FROM turns")) == 2


def test_a_model_s_text_is_no_markup_in_the_frame(shell, path):
    """The data frame's own display shows it as text."""
    frame = shell.run_cell_magic("sql", f"-l {path}", "SELECT text FROM turns")
    assert "<img" not in frame._repr_html_()
    assert "&lt;img" in frame._repr_html_()


def test_the_ledger_is_named_once(shell, path):
    """By a path or a variable, or not at all where only one is open; a line asks the one of before."""
    shell.run_cell_magic("sql", f"-l {path}", "SELECT 1")
    assert shell.run_line_magic("sql", "SELECT count(*) AS n FROM turns")["n"].tolist() == [2]
    with al.open_ledger(path, read_only=True) as ledger:
        shell.push({"opened": ledger, "again": ledger})
        shell.magics_manager.registry["LedgerMagics"]._asked = None
        assert len(shell.run_cell_magic("sql", "", "FROM turns")) == 2
        assert len(shell.run_cell_magic("sql", "-l opened", "FROM turns")) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "DROP VIEW turns",
        "SELECT 1; SELECT 2",
        "COPY turns TO 'x.csv'",
        "FROM read_text('/etc/hosts')",
        "SET threads = 1",
    ],
)
def test_a_cell_can_t_reach_beyond_reading(shell, path, statement):
    """It is the same guard as the command's."""
    with pytest.raises(ShownError):
        shell.run_cell_magic("sql", f"-l {path}", statement)
    assert len(shell.run_line_magic("sql", "FROM turns")) == 2
