"""Settings as pydantic values; invalid ones raise the same error as other invalid arguments."""

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from actionledger.core.errors import UsageError


class Settings(BaseModel):
    """Settings that are validated when made, and never change.

    Raises:
        UsageError: a setting is unknown, missing or has an invalid value.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    if not TYPE_CHECKING:  # type checkers see each class's own settings

        def __init__(self, /, **given: Any) -> None:
            try:
                super().__init__(**given)
            except ValidationError as error:
                raise UsageError(_sentence(type(self).__name__, error)) from error

        # Validation of JSON bypasses it, since of several kinds of settings pydantic picks the one that fits.
        __init__.__pydantic_base_init__ = True


def _sentence(kind: str, error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    wrong = "it is missing" if first["type"] == "missing" else f"{first['msg']}, not {first['input']!r:.60}"
    return f"The setting {where!r} of {kind}: {wrong}."
