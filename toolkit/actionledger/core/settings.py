"""Settings as values of pydantic, whose wrong ones are refused as all else that a program hands over."""

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from actionledger.core.errors import UsageError


class Settings(BaseModel):
    """Settings that are checked as they are made, and never change.

    Raises:
        UsageError: there is no such setting, one is missing, or has a value that it can't have.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    if not TYPE_CHECKING:  # whoever checks types is told of each class's own settings

        def __init__(self, /, **given: Any) -> None:
            try:
                super().__init__(**given)
            except ValidationError as error:
                raise UsageError(_sentence(type(self).__name__, error)) from error

        # What is read of JSON goes past it: of several kinds of settings, the one that fits is looked for.
        __init__.__pydantic_base_init__ = True


def _sentence(kind: str, error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    wrong = "it is missing" if first["type"] == "missing" else f"{first['msg']}, not {first['input']!r:.60}"
    return f"The setting {where!r} of {kind}: {wrong}."
