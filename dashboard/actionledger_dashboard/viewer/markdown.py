"""A model's Markdown as a tree of a few known elements, without HTML, images or working links."""

from typing import Any, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from actionledger_dashboard.components.wording import pieces

Node: TypeAlias = dict[str, Any]
"""An element with its ``tag`` and ``children``, or a ``text``."""

LONGEST = 40_000
"""The limit in characters; a longer text is not parsed."""

_TAGS = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "strong": "strong",
    "em": "em",
    "s": "s",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
    "th": "th",
    "td": "td",
    "hr": "hr",
    "hardbreak": "br",
}
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def markdown_tree(text: str) -> list[Node]:
    """Return the elements of Markdown, or of any text; the unparsed text if it is too long."""
    if len(text) > LONGEST:
        return [{"tag": "pre", "children": [_text(text)]}]
    return _nodes(SyntaxTreeNode(_PARSER.parse(text)))


def _nodes(parent: SyntaxTreeNode) -> list[Node]:
    return [node for child in parent.children for node in _node(child)]


def _node(node: SyntaxTreeNode) -> list[Node]:
    match node.type:
        case "text":
            return [_text(node.content)]
        case "softbreak":
            return [_text("\n")]
        case "code_inline":
            return [{"tag": "code", "children": [_text(node.content)]}]
        case "fence" | "code_block":
            return [{"tag": "pre", "children": [_text(node.content.rstrip("\n"))]}]
        case "heading":
            return [{"tag": "h4", "children": _nodes(node)}]
        case "link":
            # The address is shown but is not a link, since a model wrote it.
            address = str(node.attrs.get("href", ""))
            return [*_nodes(node), _text("" if _words(node) == address else f" ({address})")]
        case "image":
            return [_text(f"[image {_words(node) or node.content}: {node.attrs.get('src', '')}]")]
        case known if known in _TAGS:
            return [{"tag": _TAGS[known], "children": _nodes(node)}]
        case _:
            return _nodes(node) if node.children else [_text(node.content)] if node.content else []


def _words(node: SyntaxTreeNode) -> str:
    return "".join(each.content for each in node.walk() if each.type == "text")


def _text(text: str) -> Node:
    return {"text": pieces(text)}
