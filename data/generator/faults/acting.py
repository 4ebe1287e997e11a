"""Valid actions that can't or mustn't be carried out."""

from generator.draw import NothingThereError, needed
from generator.faults.places import fields
from generator.reply import Reply, Tag


def missing_reference(reply: Reply) -> None:
    actions = needed(reply.blocks)[0].actions
    places = fields(reply, ("task_id", "memory_id", "goal_id", "item_id"))
    if places:
        action, field = reply.draw.pick(places)
    else:
        kind = reply.draw.pick(("task", "memory", "goal"))
        action, field = {"type": f"get_{kind}"}, f"{kind}_id"
        actions.append(action)
    action[field] = reply.draw.between(70, 140)


def path_escape(reply: Reply) -> None:
    places = needed(fields(reply, ("path",)))
    outside = reply.voice.one("outside")
    action, field = reply.draw.pick(places)
    action[field] = outside


def search_missing(reply: Reply) -> None:
    action, field = reply.draw.pick(fields(reply, ("search",)))
    action[field] = reply.voice.one("missing_text") if reply.draw.chance(0.5) else f"{action[field]} // v1"


def shell_operators(reply: Reply) -> None:
    places = fields(reply, ("command",))
    action = reply.draw.pick(places)[0] if places else {"action": "execute_command"}
    action["command"] = reply.voice.one("shell")
    if not places:
        reply.parts.append(Tag(action))


def script(reply: Reply, of: str) -> None:
    """Run a script of a folder of templates, instead of one that is there or besides all that is."""
    actions = needed(reply.blocks)[0].actions
    if not fields(reply, ("code",)):
        actions.append({"type": "execute_code", "code": ""})
    action, field = fields(reply, ("code",))[0]
    action[field] = reply.voice.document(of)[1]


def dependency_unknown(reply: Reply) -> None:
    reply.draw.pick(reply.actions)["depends_on"] = ["action_9"]


def dependency_cycle(reply: Reply) -> None:
    if len(reply.actions) < 2:
        raise NothingThereError
    first, second = reply.actions[:2]
    first |= {"id": "action_1", "depends_on": ["action_2"]}
    second |= {"id": "action_2", "depends_on": ["action_1"]}
