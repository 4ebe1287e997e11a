"""What a profile's model is told before it starts, and how its actions are written for it. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from actionledger.actions.guidance import Render, instructions
from actionledger.core.errors import UsageError
from actionledger.reading.dialects import Dialect, dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.parsers import BaselineParser, DialectParser
from actionledger.runtime.execution.profile import Profile


def prompt_of(profile: Profile, dialect: str | None = None, *, short: bool = False) -> str:
    """Return the instructions for the model of a profile: how actions are written, and which there are.

    Args:
        profile: what the model works under.
        dialect: how it writes actions; the profile's first dialect if not given.
        short: whether each action gets only a line, and one example stands for all.

    Raises:
        UnknownNameError: there is no such dialect.
        UsageError: the profile is read by a baseline parser, and no dialect is given.
        RenderError: the dialect can't write one of the actions.
    """
    chosen = dialect_of(profile, dialect)
    rules = (*chosen.rules, *_demands(profile.parser))
    return instructions(profile.catalogue, writer(chosen), rules, short=short)


def dialect_of(profile: Profile, name: str | None = None) -> Dialect:
    """Return a dialect as a profile has it: by name, or the first one if no name is given.

    Raises:
        UnknownNameError: there is no such dialect.
        UsageError: the profile is read by a baseline parser, and no name is given.
    """
    own = profile.parser.dialects if isinstance(profile.parser, DialectParser) else ()
    if name is None and not own:
        raise UsageError(
            f"The profile {profile.name!r} is read by {profile.parser.name!r}, which has no dialect to write; name one."
        )
    if name is None:
        return own[0]
    return next((dialect for dialect in own if dialect.name == name), None) or dialect_named(name)


def writer(dialect: Dialect) -> Render:
    """Return what writes one action in a dialect, given its name and its arguments."""

    def write(name: str, arguments: Mapping[str, Any]) -> str:
        return dialect.render([PlainCall(name, dict(arguments))])

    return write


def _demands(parser: DialectParser | BaselineParser) -> Iterator[str]:
    """Yield what the parser asks of a response beyond its form."""
    if parser.requires_action:
        yield "Every response has to hold an action."
    if isinstance(parser, DialectParser) and parser.max_blocks is not None:
        yield f"At most {parser.max_blocks} blocks with actions are read in one response."
