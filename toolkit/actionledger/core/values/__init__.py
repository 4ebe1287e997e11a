"""The values that all packages share: frozen, comparable, without behaviour of their own.

Spans count Unicode code points of the raw response: ``raw[span.start:span.end]`` is exactly the span's text.
"""

from typing import TYPE_CHECKING

from actionledger.core.frozen import row_maker, rows_of
from actionledger.core.hooks import by_name, lazy_getattr

if TYPE_CHECKING:
    from actionledger.core.values.calls import (
        ActionCall as ActionCall,
        Conversion as Conversion,
        FieldError as FieldError,
        ParseResult as ParseResult,
        Reference as Reference,
    )
    from actionledger.core.values.reading import (
        Block as Block,
        Issue as Issue,
        RawAction as RawAction,
        Reading as Reading,
        Repair as Repair,
        Span as Span,
    )
    from actionledger.core.values.turns import Approval as Approval, Observation as Observation, Turn as Turn

_MODULES = by_name(
    {
        "calls": "ActionCall Conversion FieldError ParseResult Reference",
        "reading": "Block Issue RawAction Reading Repair Span",
        "turns": "Approval Observation Turn",
    }
)
"""The module of each name, for import on first use; a call has a pydantic model, but reading a ledger needs none."""

__all__ = ["row_maker", "rows_of", *_MODULES]  # noqa: PLE0604 - the table has them


if not TYPE_CHECKING:  # else type checkers would accept unknown names as Any
    __getattr__ = lazy_getattr(__name__, _MODULES)
