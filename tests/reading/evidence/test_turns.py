"""Where a model goes on with somebody else's turn."""

import pytest

from actionledger.reading.evidence.places import invented_from


@pytest.mark.parametrize(
    "marker",
    ["User:", "Observation:", "用户：", "### Human", "<|im_start|>user", "<tool_response>", "[INST]"],
)
def test_another_ones_turn_begins_at_its_marker(marker):
    text = f"f()\n{marker} and so on"
    text = text if marker != "### Human" else "f()\n### Human\nand so on"
    found = invented_from(text, 3)
    assert found is not None
    assert marker.startswith(found.of(text).strip().rstrip(":"))


@pytest.mark.parametrize(
    "text", ["f()\n<|im_start|>assistant\n", "The user: Ada.", "f()\nUsers: 3", "<start_of_turn>model\nf()"]
)
def test_the_models_own_turn_and_a_word_in_a_sentence_are_none(text):
    assert invented_from(text, 0) is None


def test_what_stands_before_the_place_is_not_asked():
    assert invented_from("User: hi\nf()", 9) is None
