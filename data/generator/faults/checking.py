"""Actions that can be read but aren't what the profile defines."""

from collections.abc import Callable, Sequence

from generator.actions import NUMBERS, discriminator, family, known, required
from generator.draw import needed
from generator.faults.places import Place, fields, texts
from generator.reply import Reply
from generator.words import table

_TABLE = table("faults")
_TAKES_STATUS = ("create_task", "create_goal", "update_task", "update_goal", "list_tasks", "list_goals")


def missing_field(reply: Reply) -> None:
    action, field = reply.draw.pick(_required(reply))
    del action[field]


def wrong_type(reply: Reply) -> None:
    issues = [issue for action in reply.actions for issue in action.get("issues", ())]
    places = fields(reply, {*NUMBERS, "label", "labels"})
    places += [(issue, "labels") for issue in issues if "labels" in issue]
    places += [place for place in fields(reply, ("issues",)) if reply.draw.chance(0.2)]
    places += [(action, key) for action in reply.actions for key in ("content", "context") if key in action]
    action, key = reply.draw.pick(places)
    value = action[key]
    if isinstance(value, int):
        action[key] = str(value)
    elif isinstance(value, list):
        action[key] = str(value[0]) if key == "labels" else "see above"
    else:
        action[key] = 123 if key == "label" else [value]


def unknown_action(reply: Reply) -> None:
    _rename(reply, lambda _: _TABLE["unknown"][family(reply.profile)])


def near_miss_name(reply: Reply) -> None:
    _rename(reply, _near)


def unknown_status(reply: Reply) -> None:
    actions = needed([action for action in reply.actions if action.get("type") in _TAKES_STATUS])
    status = reply.draw.pick(_TABLE["texts"]["status"])
    reply.draw.pick(actions)["status"] = status


def wrong_discriminator(reply: Reply) -> None:
    actions = needed(reply.actions)
    key = discriminator(reply.profile)
    other = reply.draw.pick(("action", "name", "tool") if key == "type" else ("type", "name", "action_type"))
    for action in actions:
        renamed = {other if field == key else field: value for field, value in action.items()}
        action.clear()
        action.update(renamed)


def extra_field(reply: Reply) -> None:
    actions = needed(reply.actions)
    field, value = reply.draw.pick(tuple(_TABLE["extra"].items()))
    reply.draw.pick(actions)[field] = value


def out_of_range(reply: Reply) -> None:
    lists = [action for action in reply.actions if str(action.get("type")).startswith("list_")]
    action, field = reply.draw.pick([*fields(reply, NUMBERS), *((action, "limit") for action in lists)])
    action[field] = reply.draw.pick((0, -1, -20))


def empty_value(reply: Reply) -> None:
    required = _required(reply)
    places = [
        (action, field) for action, field in required if (action, field) in texts(action) or field == "path"
    ]
    action, field = reply.draw.pick(places)
    action[field] = ""


def _required(reply: Reply) -> list[Place]:
    return [
        (action, field)
        for action in reply.actions
        for field in required(reply.profile, action)
        if field in action
    ]


def _rename(reply: Reply, others: Callable[[str], Sequence[str]]) -> None:
    key = discriminator(reply.profile)
    action = reply.draw.pick([action for action in reply.actions if action.get(key) in known(reply.profile)])
    action[key] = reply.draw.pick(others(action[key]))


def _near(name: str) -> list[str]:
    """Return names that somebody might take for this one: a plural, another spelling, a synonym."""
    first, *rest = name.split("_")
    number = name.removesuffix("s") if name.endswith("s") else f"{name}s"
    camel = first + "".join(part.capitalize() for part in rest)
    spellings = (number, "-".join([first, *rest]), camel, name.upper(), *_TABLE["synonyms"].get(name, ()))
    return [spelling for spelling in spellings if spelling != name]
