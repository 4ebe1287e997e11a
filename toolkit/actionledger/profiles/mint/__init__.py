"""MINT: code to run and answers, in ``<execute>`` and ``<solution>`` tags, as MINT-bench and CodeAct record them."""

from actionledger.profiles.mint.actions import CATALOGUE
from actionledger.reading.parsers import parser_named
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.profile import Profile

MINT = Profile("mint", parser_named("mint"), CATALOGUE, Policy(()))
"""Reads recorded sessions; nothing in it runs."""
