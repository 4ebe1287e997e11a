"""What a file gives is never nothing, whatever it holds and whichever format it is taken for."""

from pathlib import Path

import pytest
from given_items import left_out

from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.parts import items_of
from actionledger.imports.sources.registry import sources

OTHERS = {
    "lines": '{"session": "s", "text": "hi"}\n' * 2 + '{"a": {"b": [1]}}\n',
    "object": '{\n  "a": {"b": [1, 2]}\n}\n',
    "list": '[1, 2, "x"]\n',
    "values": '"a"\n5\nnull\n',
    "text": "# Hi\n\nHello.\n",
}


@pytest.mark.parametrize("form", sorted(sources()))
def test_a_file_of_another_format_is_not_passed_over_in_silence(tmp_path: Path, form: str):
    """It is refused, left out and counted, or read as what it may be; of an empty one there is nothing to say."""
    for name, content in (OTHERS | {"empty": ""}).items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(content)
        given = list(items_of(path, form, sources()[form].read, lambda _count: None))
        assert given or not content
        assert content or (LeftOutReason.EMPTY, "file") not in left_out(given)
