"""Frozen dataclasses made quickly: what their own ``__init__`` does, and no more."""

import dataclasses
import pickle
from contextlib import suppress
from dataclasses import FrozenInstanceError, field, fields, replace
from inspect import signature

import pytest

from actionledger.core.events import ResponseParsed, ResponseReceived
from actionledger.core.frozen import dataclass
from actionledger.core.recordings import RecordedSession, RecordedTurn


@dataclasses.dataclass(frozen=True, slots=True)
class Slowly:
    first: int
    second: str = "two"
    third: list[int] = field(default_factory=list)
    last: bool = field(kw_only=True, default=False)


@dataclass(frozen=True, slots=True)
class Quickly:
    first: int
    second: str = "two"
    third: list[int] = field(default_factory=list)
    last: bool = field(kw_only=True, default=False)


@pytest.mark.parametrize(
    ("args", "named"), [((1,), {}), ((1, "x", [3]), {"last": True}), ((), {"first": 0, "third": None})]
)
def test_it_holds_what_its_own_init_sets(args: tuple[object, ...], named: dict[str, object]) -> None:
    slow, quick = Slowly(*args, **named), Quickly(*args, **named)  # type: ignore[arg-type]
    assert [getattr(quick, each.name) for each in fields(quick)] == [
        getattr(slow, each.name) for each in fields(slow)
    ]
    assert type(quick) is Quickly
    assert str(signature(Quickly)) == str(signature(Slowly))
    assert repr(quick) == repr(slow).replace("Slowly", "Quickly")
    assert dataclasses.asdict(quick) == dataclasses.asdict(slow)
    assert quick != slow
    assert quick == Quickly(*args, **named)  # type: ignore[arg-type]


@pytest.mark.parametrize("args", [(), (1, 2, 3, 4), (1, 2, [], True)])
def test_it_refuses_what_its_own_init_refuses(args: tuple[object, ...]) -> None:
    for kind in (Slowly, Quickly):
        with pytest.raises(TypeError):
            kind(*args)  # type: ignore[arg-type]


def test_it_is_frozen_hashed_copied_and_kept_as_before() -> None:
    made = Quickly(1, third=())  # type: ignore[arg-type]
    with pytest.raises(FrozenInstanceError):
        made.first = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.first
    assert hash(made) == hash(Quickly(1, third=()))  # type: ignore[arg-type]
    assert replace(made, first=2) == Quickly(2, third=())  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(made)) == made


def test_two_do_not_share_what_is_made_for_each() -> None:
    assert Quickly(1).third is not Quickly(1).third


def test_a_subclass_stays_one_whatever_it_has_beside() -> None:
    class Named(Quickly):
        def __init__(self, first: int, name: str) -> None:
            super().__init__(first)
            object.__setattr__(self, "name", name)

    made = Named(1, "one")
    assert (type(made), made.first, made.second, made.third, vars(made)) == (
        Named,
        1,
        "two",
        [],
        {"name": "one"},
    )


def test_a_class_that_does_more_is_refused() -> None:
    with pytest.raises(TypeError, match="Checked does more"):

        @dataclass(frozen=True, slots=True)
        class Checked:
            first: int

            def __post_init__(self) -> None:
                raise ValueError


def test_what_a_class_defines_itself_stays() -> None:
    @dataclass(frozen=True, slots=True, repr=False)
    class Own:
        first: int

        def __eq__(self, other: object) -> bool:
            return other == self.first

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "own"

    assert (Own(1) == 1, hash(Own(1)), repr(Own(1))) == (True, 7, "own")


def test_a_class_compared_by_identity_is_no_other() -> None:
    @dataclass(frozen=True, slots=True, eq=False)
    class Row:
        first: int

    assert Row(1) != Row(1)
    assert len({Row(1), Row(1)}) == 2


@pytest.mark.parametrize("kind", [ResponseReceived, ResponseParsed, RecordedTurn, RecordedSession])
def test_what_an_import_makes_by_the_thousand_is_made_so(kind: type) -> None:
    with suppress(TypeError):
        kind()  # the first value, or a try at one, makes it
    assert "_unfrozen" in kind.__init__.__globals__  # type: ignore[misc]
