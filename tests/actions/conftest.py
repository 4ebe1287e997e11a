"""A small catalogue with one field of every kind that the checks tell apart, and raw actions to check against it."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from actionledger.actions.catalogue import Action, Arguments, Catalogue
from actionledger.core.values import RawAction, Span


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    title: str
    labels: list[str]


class Circle(BaseModel):
    shape: Literal["circle"]
    radius: float


class Square(BaseModel):
    shape: Literal["square"]
    side: float


class Note(Action):
    """Write a note."""

    example: ClassVar[Arguments] = {"text": "hello", "number": 1}
    type: Literal["note"]
    text: str = Field(min_length=1, max_length=5, description="What it says.")
    number: int = Field(gt=0, description="Which note.")
    limit: int = Field(default=10, ge=1, le=100)
    share: float | None = None
    urgent: bool = False
    colour: Literal["red", "green", "blue"] = "red"
    code: str = Field(default="A1", pattern=r"^[A-Z]\d$")
    parts: list[Part] = Field(default=[], max_length=3)
    either: int | list[str] = 0
    figure: Annotated[Circle | Square | None, Field(discriminator="shape")] = None


class Drop(Action):
    """Drop a note."""

    example: ClassVar[Arguments] = {"from": "inbox"}
    type: Literal["drop"]
    source: str = Field(alias="from", description="Where it lies.")


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue(name="notes", actions=(Note, Drop))


@pytest.fixture
def raw() -> Callable[..., RawAction]:
    """Makes a raw action from a name, arguments and whatever else is to differ."""

    def make(name: str, arguments: dict[str, Any] | None = None, **changes: Any) -> RawAction:
        given: dict[str, Any] = {"span": Span(0, 10), "dialect": "actions", "block": 0} | changes
        return RawAction(name=name, arguments=arguments or {}, **given)

    return make
