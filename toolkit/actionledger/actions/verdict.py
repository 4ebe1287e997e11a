"""What a check says of one action."""

from typing import Any, NamedTuple

from actionledger.actions.catalogue import Action
from actionledger.core.values import Conversion, FieldError, Reference
from actionledger.core.vocabulary import ActionStatus, Reason


class Verdict(NamedTuple):
    """What came of checking one action.

    Args:
        status: what came of it.
        action: the validated model; None where there is none.
        errors: what is refused.
        reason: the first error's code, or why it is an illustration; None where it is valid.
        arguments: the arguments as the schema types them; None for as written.
        references: what of the arguments is taken from other actions' results.
        conversions: what was written in another type.
        left_out: the unknown fields that were left out.
    """

    status: ActionStatus
    action: Action | None = None
    errors: tuple[FieldError, ...] = ()
    reason: Reason | None = None
    arguments: dict[str, Any] | None = None
    references: tuple[Reference, ...] = ()
    conversions: tuple[Conversion, ...] = ()
    left_out: tuple[FieldError, ...] = ()


def refused(status: ActionStatus, *errors: FieldError, arguments: dict[str, Any] | None = None) -> Verdict:
    """Return the verdict on an action that is refused; the first error is the reason."""
    return Verdict(status, errors=errors, reason=errors[0].code, arguments=arguments)
