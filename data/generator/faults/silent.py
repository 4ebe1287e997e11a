"""Responses without an action that is meant to run."""

from generator.draw import NothingThereError, needed
from generator.reply import Block, Prose, Reply
from generator.words import table


def empty_response(reply: Reply) -> None:
    reply.say(reply.draw.pick(table("faults")["texts"]["blank"]))


def say(reply: Reply, of: str) -> None:
    """Say a line of a section and nothing else."""
    reply.say(reply.voice.line(of))


def empty_actions(reply: Reply) -> None:
    first = needed(reply.blocks)[0]
    block = Block(first.label, table("faults")["nothing"][reply.profile], first.dumps)
    reply.parts = [Prose(reply.voice.line("chat")), block] if reply.draw.chance(0.7) else [block]


def example_only(reply: Reply) -> None:
    shown = shown_example(reply)
    reply.parts = [Prose(reply.voice.line("chat")), shown]


def shown_example(reply: Reply) -> Prose:
    """Return an action as an example that isn't meant to run."""
    if reply.tags:
        example = f"```xml\n{reply.voice.one('shown')}\n```"
        return Prose(f"{reply.voice.line('shown_lead')}\n\n{example}")
    if reply.more is None:
        raise NothingThereError
    first = needed(reply.blocks)[0]
    lead = reply.voice.line("shown_lead")
    inner = Block(first.label, {"actions": [reply.more()]}, first.dumps)
    return Prose(f"{lead}\n\n````markdown\n{inner.render()}\n````")
