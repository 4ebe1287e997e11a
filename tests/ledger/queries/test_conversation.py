"""A session's responses with what stood before and after them."""

from actionledger.core.ids import derived_id
from actionledger.ledger import queries

ONE = derived_id("session", "one")
THREE = derived_id("session", "three")


def test_it_has_every_response_in_order(world: queries.Queryable) -> None:
    """Texts, prompts and feedback as they were recorded; also of a turn that nothing has read."""
    found = queries.conversation(world, ONE)
    assert [(said.index, said.prompt) for said in found] == [(0, "Look."), (1, None), (2, None), (3, None)]
    assert found[1].text == "漢字 <create_file>b"
    assert [(said.text, said.feedback) for said in queries.conversation(world, THREE)] == [
        ("```actions\n[]\n```", "Go on."),
        ("100% sure", None),
        ("never read", None),
    ]


def test_of_an_unknown_session_there_is_none(world: queries.Queryable) -> None:
    """A mistyped link finds nothing."""
    assert queries.conversation(world, "x") == queries.conversation(world, derived_id("nobody")) == []
