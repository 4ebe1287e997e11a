"""Where a text occurs in a session."""

from pathlib import Path

import pytest

from actionledger import Runtime, open_ledger
from actionledger.ledger import queries


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[int, tuple[str, ...]]]]:
    """What is found of some texts in a session of three turns."""
    folder: Path = tmp_path_factory.mktemp("mentions")
    with (
        open_ledger(folder / "l.duckdb") as ledger,
        Runtime("coder", ledger=ledger, workspace=folder / "w", auto=True) as runtime,
    ):
        runtime.handle('<create_file><path>Needle.txt</path><content>😀 100% "so"</content></create_file>')
        runtime.handle("No NEEDLE here, and nothing to do.")
        runtime.handle("<read_file><path>Needle.txt</path></read_file>")
        return {
            text: [(each.index, each.places) for each in queries.mentions(ledger, runtime.session_id, text)]
            for text in ("needle", "😀", "100%", "%", "nowhere", "", '"so"', "'; DROP TABLE turns; --")
        }


def test_a_text_is_found_in_responses_arguments_and_results(found: dict[str, list[object]]) -> None:
    """Whatever its case, each turn once."""
    assert [index for index, _ in found["needle"]] == [0, 1, 2]  # type: ignore[misc]
    places = dict(found["needle"])  # type: ignore[call-overload]
    assert places[1] == ("response",)
    assert {"arguments", "response"} <= set(places[0])
    assert "result" in dict(found["😀"])[2]  # type: ignore[call-overload]


def test_a_quote_is_found_where_json_writes_it_otherwise(found: dict[str, list[object]]) -> None:
    """As the lists find it, so that what leads from them to a turn is found there too."""
    places = dict(found['"so"'])  # type: ignore[call-overload]
    assert "arguments" in places[0]
    assert "result" in places[2]


def test_a_text_is_no_pattern(found: dict[str, list[object]]) -> None:
    """A percent sign is one, an empty text is nowhere, and SQL is a text."""
    assert found["100%"]
    assert [index for index, _ in found["%"]] == [index for index, _ in found["100%"]]  # type: ignore[misc]
    assert found["nowhere"] == found[""] == found["'; DROP TABLE turns; --"] == []
