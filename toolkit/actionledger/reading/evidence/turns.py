"""Turns that a model invents behind its answer: what follows the marker of another's turn is not the answer."""

import re

from actionledger.core.values import Span

_MARKERS = re.compile(
    r"<\|im_start\|>[ \t]*+(?!assistant)\w|<\|start_header_id\|>[ \t]*+(?!assistant)\w|<start_of_turn>[ \t]*+(?!model)\w"
    r"|<\|start\|>(?!assistant)\w|<\|(?:user|observation|tool|ipython|tool_response|end_of_turn_user)\|>|<｜(?:User|tool▁outputs▁begin|tool▁output▁begin)｜>"
    r"|<\|turn>[ \t]*+(?!model)\w|<\|START_OF_TURN_TOKEN\|><\|USER_TOKEN\|>"
    r"|<tool_responses?>|<function_results?>|<function_response>|<\|tool▁outputs|\[TOOL_RESULTS\]|\[INST\]"
    r"|^[ \t]*+(?:#{1,4}[ \t]*+)?(?:\*\*)?(?:Observation|Human|User|Utilisateur|Benutzer|Usuario|用户)(?:\*\*)?[ \t]*+[:：]"
    r"|^#{1,4}[ \t]*+(?:Human|User|Observation)[ \t]*+$",
    re.MULTILINE,
)
"""What another's turn begins with."""


def invented_from(text: str, start: int) -> Span | None:
    """Return the first marker of another's turn from ``start`` on; None where there is none."""
    found = _MARKERS.search(text, start)
    return Span(*found.span()) if found else None
