"""Every text of every recording: what the documents' own parsers read there is read, reported, or shown with its reason."""

import gzip
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus_files import CORPORA
from effort import soaked

from actionledger.core.recordings import RecordedSession
from actionledger.imports.formats import mint as mint_format

pytestmark = pytest.mark.corpus

DATA = Path(__file__).parents[2] / "data"
MARKS = ("```json", "```actions", "```iteration", "</read_file>", "</create_", "</modify_file>", "</execute")
"""One of these is in every text that a baseline reads an action of; MINT's mark ``<solution>`` is asked for apart."""


def contents(path: Path) -> Iterator[bytes]:
    """Yield what is in a file, or in each file of an archive."""
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield archive.read(name)
    else:
        yield gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, and those of JSON in them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def texts(path: Path) -> Iterator[str]:
    """Yield every text field of a file; one that is no JSON is a text itself, and its parts between headings are."""
    for content in contents(path):
        text = content.decode("utf-8", errors="replace")
        try:
            yield from strings(json.loads(text))
            continue
        except ValueError:
            pass
        try:
            for line in text.splitlines():
                yield from strings(json.loads(line))
        except ValueError:
            yield text
            yield from text.split("\n#### ")


def folders() -> list[str]:
    return sorted(path.name for path in CORPORA.iterdir() if path.is_dir()) if CORPORA.is_dir() else []


def losses(found: set[str], names: tuple[str, ...], lost_actions: Any) -> list[tuple[str, str]]:
    return [(name, text) for text in found for name in names if lost_actions(name, text)]


@pytest.mark.parametrize("folder", [name for name in folders() if name != "mint"] or ["nothing"])
def test_no_profile_loses_an_action_of_a_recording(folder, lost_actions):
    """Each profile's parser beside its own system's, over every text field there is."""
    if not (CORPORA / folder).is_dir():
        pytest.skip("The recordings are not here: expected in shared/corpora beside the checkout.")
    paths = [path for path in sorted((CORPORA / folder).rglob("*")) if path.is_file()]
    found = {text for path in paths for text in texts(path)}
    marked = {text for text in found if any(mark in text for mark in MARKS) or "<solution>" in text}
    names = ("assistant", "assistant-iterative", "orchestrator", "coder", "mint")
    assert found
    assert losses(marked, names, lost_actions) == []


MODELS = sorted(path.name for path in CORPORA.glob("mint/*/")) or ["nothing"]


@pytest.mark.parametrize("model", soaked(MODELS, MODELS[:2]))
def test_no_profile_loses_an_action_of_mints_models(mint, model, lost_actions):
    """Every turn of every session of one model."""
    sessions = (
        item for file in sorted((mint / model).rglob("results.jsonl*")) for item in mint_format.read(file)
    )
    found = {
        turn.text
        for item in sessions
        if isinstance(item, RecordedSession)
        for turn in item.turns
        if turn.text
    }
    assert found
    assert losses(found, ("mint", "coder", "orchestrator", "assistant"), lost_actions) == []


def test_no_profile_loses_an_action_of_the_sample_sessions(lost_actions):
    """The sessions that the project made itself."""
    found = set(texts(DATA / "sessions.jsonl"))
    names = ("assistant", "assistant-iterative", "orchestrator", "coder", "mint")
    assert losses(found, names, lost_actions) == []
