"""``orchestrator issues`` and ``export``: what is to be done, listed and written to files."""

import json
from typing import Any

import pytest

FENCE = "`" * 3


@pytest.fixture
def filed(run: Any) -> None:
    """Two issues of two labels in the folder ``work``, by a session that is no orchestration's."""
    text = json.dumps(
        {
            "action": "create_issues",
            "issues": [
                {"title": "=1+1", "body": "First.", "labels": ["search"]},
                {"title": "Page", "body": "", "labels": ["page"]},
            ],
        }
    )
    response = f"{FENCE}json\n{text}\n{FENCE}"
    assert run("run", "orchestrator", "--response", "-", "-w", "work", "--auto", stdin=response).code == 0


def test_issues_are_listed_by_label_and_state(run, filed):
    """Open ones unless all are asked for; those of a session without layers, too."""
    assert run("orchestrator", "close", "work", "2", "2").out == "Closed: 2.\n"
    assert [issue["number"] for issue in run("orchestrator", "issues", "work", "--json").value] == [1]
    listed = run("orchestrator", "issues", "work", "--all").out
    assert ("=1+1" in listed, "closed" in listed) == (True, True)
    labelled = run("orchestrator", "issues", "work", "--all", "--label", "page", "--json").value
    assert [issue["title"] for issue in labelled] == ["Page"]
    assert "no such issue" in run("orchestrator", "issues", "work", "--label", "none").out


@pytest.mark.parametrize(
    ("name", "words"),
    [("issues.md", r"## 1. \=1\+1"), ("issues.json", '"title": "=1+1"'), ("ISSUES.CSV", "1,'=1+1,First.")],
)
def test_issues_are_written_to_a_file(run, filed, tmp_path, name, words):
    """The name says in which format."""
    done = run("orchestrator", "export", "work", name)
    assert (done.code, done.out) == (0, f"Issues written to {name}: 2.\n")
    assert words in (tmp_path / name).read_text()
    run("orchestrator", "export", "work", name, "--label", "page", "--force")
    assert words not in (tmp_path / name).read_text()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("issues.txt", "end it in .md, .json, .csv"),
        ("there.md", "--force replaces it"),
        ("nowhere/issues.md", "can't be written"),
    ],
)
def test_a_file_that_can_not_be_written_is_one_sentence(sentence, filed, tmp_path, name, words):
    (tmp_path / "there.md").write_text("mine")
    assert words in sentence("orchestrator", "export", "work", name)
    assert (tmp_path / "there.md").read_text() == "mine"
