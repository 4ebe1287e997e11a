"""Echelon's progressive matching (action parser validation, progressive parsing algorithm)."""

import json
import re
from collections.abc import Iterator
from typing import NoReturn

from actionledger.core.values import Span
from actionledger.core.vocabulary import BlockStatus
from actionledger.reading.dialects.base import Found, Written, named_arguments

_JSON_OPENER = re.compile(r"```json\s*\n?")


def echelon_progressive(text: str) -> Iterator[Found]:
    """Try, from each opener, longer and longer stretches up to each closer until one decodes to an action.

    A block in which none decodes is passed over without a word; its cost is openers times closers.
    """
    position = 0
    while opener := _JSON_OPENER.search(text, position):
        found = _first_that_decodes(text, opener)
        if found is None:
            position = opener.end()
        else:
            yield found
            position = found.span.end


def _first_that_decodes(text: str, opener: re.Match[str]) -> Found | None:
    closer = text.find("```", opener.end())
    while closer >= 0:
        body, span = Span(opener.end(), closer), Span(opener.start(), closer + 3)
        try:
            value = json.loads(body.of(text).strip(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            value = None
        items = value if isinstance(value, list) else [value]
        named = [item for item in items if isinstance(item, dict) and "action" in item]
        if named:
            actions = tuple(Written(*named_arguments(item, "action"), body) for item in named)
            return Found(BlockStatus.STRICT, span, body, actions)
        closer = text.find("```", closer + 3)
    return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
