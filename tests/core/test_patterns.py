"""What stands for a pattern is one from its first use on."""

import copy
import pickle
import re

import pytest

from actionledger.core import patterns
from actionledger.core.patterns import regex


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    monkeypatch.setattr(patterns.re, "compile", lambda *given: compiled.append(given) or re.Pattern)
    regex("a+", re.IGNORECASE)
    assert not compiled


@pytest.mark.parametrize("method", patterns._METHODS)
def test_it_does_what_a_pattern_does(method: str) -> None:
    given = ("-", "xAAy") if method.startswith("sub") else ("xAAy",)
    ours, theirs = (getattr(make("a+", re.IGNORECASE), method)(*given) for make in (regex, re.compile))
    if method == "finditer":
        ours, theirs = [found[0] for found in ours], [found[0] for found in theirs]
    assert ours == theirs or (ours and ours[0] == theirs[0])


def test_it_has_what_else_a_pattern_has() -> None:
    made = regex(rb"(?P<one>a)")
    assert (made.pattern, made.groups, dict(made.groupindex)) == (rb"(?P<one>a)", 1, {"one": 1})
    assert regex("a").flags == re.compile("a").flags


def test_it_is_copied_and_pickled() -> None:
    made = regex("a+", re.IGNORECASE)
    made.search("A")
    for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert again.fullmatch("AA")
