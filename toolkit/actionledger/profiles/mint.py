"""MINT: code to run and answers, in ``<execute>`` and ``<solution>`` tags, as MINT-bench and CodeAct record them."""

from typing import Literal

from pydantic import Field

from actionledger.actions.catalogue import Action, Catalogue
from actionledger.reading.parsers import parser_named
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.profile import Profile


class Execute(Action):
    """Run Python code and see what it prints."""

    example = {"code": "print(2 + 2)"}
    type: Literal["execute"]
    code: str = Field(min_length=1, description="The Python code.")


class Solution(Action):
    """Give the final answer."""

    example = {"answer": "4"}
    type: Literal["solution"]
    answer: str = Field(min_length=1, description="The answer alone, without its derivation.")


CATALOGUE = Catalogue(name="mint", discriminator="type", actions=(Execute, Solution))


MINT = Profile("mint", parser_named("mint"), CATALOGUE, Policy(()))
"""Reads recorded sessions; nothing in it runs."""
