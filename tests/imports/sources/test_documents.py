"""One JSON document as a whole."""

import gzip

import pytest

from actionledger.core.errors import SourceError
from actionledger.imports.sources import json_values
from actionledger.imports.sources.json_values import json_document


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_document_is_read(tmp_path, pack):
    """Over several lines, gzipped, with half a character and a byte order mark."""
    path = tmp_path / "x.json"
    path.write_bytes(pack(b'\xef\xbb\xbf{\n "a": ["\\ud83d", 1]\n}\n'))
    assert json_document(path) == {"a": ["\ud83d", 1]}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"a": ', "is not JSON"),
        (b"PK\x03\x04", "zip"),
        (b'{"a":' * 2000 + b"1" + b"}" * 2000, "nested deeper|is not JSON"),
        (gzip.compress(b"[1, 2]" * 100, mtime=0)[:-9], "breaks off"),
        (b" " * 100, "more than 64"),
    ],
)
def test_what_is_no_document_is_refused(tmp_path, monkeypatch, data, why):
    """With the file and the reason."""
    monkeypatch.setattr(json_values, "MAX_DOCUMENT", 64 if data.startswith(b" ") else 2**20)
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=why):
        json_document(path)
