"""The documents' own parsers, faithful to their rules and their faults: what experiments compare with.

None of them repairs, explains or refuses the way the dialects do: that is the point of having them.
"""

from collections.abc import Callable, Iterator
from typing import Literal

from actionledger.reading.baselines.echelon import echelon_progressive
from actionledger.reading.baselines.gembrain import gembrain_iterative, gembrain_standard
from actionledger.reading.baselines.go_tags import go_tags
from actionledger.reading.baselines.mint_harness import mint_harness, mint_harness_fences
from actionledger.reading.dialects import dialect_named
from actionledger.reading.dialects.base import Dialect, Found

BaselineRules = Literal[
    "gembrain-standard",
    "gembrain-iterative",
    "echelon-progressive",
    "go-tags",
    "mint-harness",
    "mint-harness-fences",
]

_RULES: dict[BaselineRules, tuple[str, Callable[[str], Iterator[Found]]]] = {
    "gembrain-standard": ("actions", gembrain_standard),
    "gembrain-iterative": ("iteration", gembrain_iterative),
    "echelon-progressive": ("json_action", echelon_progressive),
    "go-tags": ("xml_tags", go_tags),
    "mint-harness": ("mint", mint_harness),
    "mint-harness-fences": ("mint", mint_harness_fences),
}


def baseline_blocks(rules: BaselineRules, text: str) -> list[tuple[Dialect, Found]]:
    """Return the blocks that a baseline finds in a response, in its order, each with the dialect it belongs to."""
    dialect, find = _RULES[rules]
    return [(dialect_named(dialect), found) for found in find(text)]


def baseline_dialect(rules: BaselineRules) -> str:
    """Return the name of the dialect that a baseline's blocks belong to."""
    return _RULES[rules][0]
