"""Blocks and tags that aren't where, or aren't what, the profile asks for."""

import html

from generator.draw import NothingThereError, needed
from generator.reply import LONG, Prose, Reply, Tag
from generator.words import table


def missing_closing_fence(reply: Reply) -> None:
    last = needed(reply.blocks)[-1]
    last.closer = ""
    if reply.draw.chance(0.65):
        del reply.parts[reply.parts.index(last) + 1 :]


def label_action(reply: Reply) -> None:
    for block in needed(reply.blocks):
        block.label = "action"


def wrong_label(reply: Reply) -> None:
    for block in needed(reply.blocks):
        block.label = reply.draw.pick(table("faults")["labels"][block.label])


def bare_json(reply: Reply) -> None:
    for block in needed(reply.blocks):
        block.opener = block.label = block.closer = ""


def truncated(reply: Reply) -> None:
    last = needed([part for part in reply.parts if not isinstance(part, Prose)])[-1]
    text = last.render()
    del reply.parts[reply.parts.index(last) + 1 :]
    kept = text[: reply.draw.between(len(text) * 2 // 5, len(text) - 12)].rstrip()
    reply.say(reply.plain().removesuffix(text) + kept)


def unclosed_tag(reply: Reply) -> None:
    tag = reply.draw.pick(reply.tags)
    ends = [f"\n</{tag.name}>", *(f"</{field}>" for field in tag.fields if field != "description")]
    tag.written = "".join(tag.render().rsplit(reply.draw.pick(ends), 1))


def attribute_tags(reply: Reply) -> None:
    for tag in reply.tags:
        if len(reply.tags) == 1 or reply.draw.chance(0.7):
            tag.written = _with_attributes(tag)
    if not any(tag.written for tag in reply.tags):
        raise NothingThereError


def fenced_tags(reply: Reply) -> None:
    tags = needed(reply.tags)
    inner = "\n\n".join(tag.render() for tag in tags)
    fence = "````" if "```" in inner else "```"
    wrapped = Prose(f"{fence}{reply.draw.pick(('xml', 'xml', 'html', ''))}\n{inner}\n{fence}")
    reply.parts[reply.parts.index(tags[0])] = wrapped
    reply.parts = [part for part in reply.parts if not isinstance(part, Tag)]


def escaped_tags(reply: Reply) -> None:
    for tag in needed(reply.tags):
        tag.written = html.escape(tag.render(), quote=False)


def _with_attributes(tag: Tag) -> str:
    long = {name: text for name, text in tag.fields.items() if name in LONG}
    attributes = "".join(
        f' {name}="{html.escape(text)}"' for name, text in tag.fields.items() if name not in LONG
    )
    if not long:
        return f"<{tag.name}{attributes} />"
    inside = Tag({"action": tag.name, **long}).render()
    return inside.replace(f"<{tag.name}>", f"<{tag.name}{attributes}>", 1)
