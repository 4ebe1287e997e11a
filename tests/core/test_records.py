"""Our dataclasses are as the standard library's."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field

import pytest

from actionledger.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Ours:
    one: int
    two: str = "b"
    more: list[int] = field(default_factory=list, compare=False)
    hidden: int = field(default=0, repr=False, kw_only=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    one: int
    two: str = "b"
    more: list[int] = field(default_factory=list, compare=False)
    hidden: int = field(default=0, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Child(Ours):
    three: int = 3

    def __post_init__(self) -> None:
        if self.three < 0:
            raise ValueError(self.three)


@dataclass(slots=True)
class Open:
    one: int


def test_it_is_called_and_shown_as_theirs() -> None:
    assert str(inspect.signature(Ours)) == str(inspect.signature(Theirs))
    assert repr(Ours(1, more=[2])) == repr(Theirs(1, more=[2])).replace("Theirs", "Ours")
    assert Ours.__match_args__ == Theirs.__match_args__


def test_it_refuses_what_theirs_refuses() -> None:
    for wrong in ((), (1, "b", [], 4)):
        with pytest.raises(TypeError, match=r"__init__\(\)"):
            Ours(*wrong)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Ours(1).one = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del Ours(1).one  # type: ignore[misc]


def test_it_is_compared_and_hashed_as_theirs() -> None:
    assert Ours(1, more=[1]) == Ours(1) != Ours(2)
    assert hash(Ours(1)) == hash(Theirs(1))
    assert Ours(1) != Theirs(1)
    with pytest.raises(TypeError):
        hash(Open(1))


def test_each_has_its_own_made_default() -> None:
    assert Ours(1).more is not Ours(1).more


def test_it_is_replaced_copied_and_pickled() -> None:
    made = Ours(1, hidden=5)
    assert dataclasses.replace(made, one=2) == Ours(2, hidden=5)
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made


def test_a_child_has_its_fields_and_what_follows() -> None:
    assert repr(Child(1)) == "Child(one=1, two='b', more=[], three=3)"
    with pytest.raises(ValueError, match="-1"):
        Child(1, three=-1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Child(1).three = 2  # type: ignore[misc]


def test_a_stranger_may_make_a_child_of_it() -> None:
    @dataclasses.dataclass(frozen=True)
    class Stranger(Ours):
        four: int = 4

    assert Stranger(1).four == 4


def test_what_can_be_changed_is() -> None:
    made = Open(1)
    made.one = 2
    assert made == Open(2)
