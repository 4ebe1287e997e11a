"""Nothing wrong, and yet a careless reader may stumble."""

from generator.actions import Action
from generator.draw import NothingThereError, needed
from generator.faults.places import some_text
from generator.faults.silent import shown_example
from generator.reply import Block, Reply, spread


def several_blocks(reply: Reply) -> None:
    actions = reply.actions
    if len(reply.blocks) != 1 or len(actions) < 2:
        raise NothingThereError
    cut = reply.draw.between(1, len(actions) - 1)
    _split(reply, [actions[:cut], actions[cut:]])


def many_blocks(reply: Reply) -> None:
    if reply.more is None:
        raise NothingThereError
    first = needed(reply.blocks)[0]
    actions = reply.actions
    actions += [reply.more() for _ in range(reply.draw.between(6, 8) - len(actions))]
    del reply.parts[reply.parts.index(first) + 1 :]
    _split(reply, [[action] for action in actions])


def escaped_fence(reply: Reply) -> None:
    action, field = some_text(reply)
    if field == "code":
        action[field] = f'"""\n```text\n{reply.voice.one("date")}\n```\n"""\n{action[field]}'
    else:
        language = reply.draw.pick(("python", "bash", "sql", "json"))
        action[field] = f"{action[field]}\n\n{reply.voice.code(language)}"


def crlf(reply: Reply) -> None:
    reply.line_end = "\r\n"


def secret(reply: Reply) -> None:
    action, field = some_text(reply)
    if field in {"code", "query"}:
        raise NothingThereError
    key = "".join(reply.draw.pick("0123456789abcdef") for _ in range(24))
    named = f"{reply.voice.one('secret_place')}: sk-test-notreal-{key}"
    action[field] += f"\n# {named}" if reply.tags else f" ({named})"


def example_beside(reply: Reply) -> None:
    shown = shown_example(reply)
    reply.parts.insert(0 if reply.draw.chance(0.3) else len(reply.parts), shown)


def depends_on(reply: Reply) -> None:
    makers = [action for action in reply.actions if action.get("type") in {"create_task", "create_goal"}]
    if len(reply.blocks) != 1:
        raise NothingThereError
    first = reply.draw.pick(makers)
    kind = first["type"].removeprefix("create_")
    named = {"id": "action_1", **first}
    first.clear()
    first.update(named)
    later: Action = {"id": "action_2", "type": f"update_{kind}", f"{kind}_id_from": f"action_1.{kind}_id"}
    reply.blocks[0].actions.append(later | {"status": "ongoing", "depends_on": ["action_1"]})


def _split(reply: Reply, groups: list[list[Action]]) -> None:
    """Put a block for each group where the response has its one block."""
    block = reply.blocks[0]
    at = reply.parts.index(block)
    blocks = []
    for group in groups:
        bare = group[0] if len(group) == 1 else group
        value = bare if block.label == "json" else {"actions": group}
        blocks.append(Block(block.label, value, block.dumps))
    reply.parts[at : at + 1] = spread(blocks, reply.voice, 0.6, "between_blocks")
