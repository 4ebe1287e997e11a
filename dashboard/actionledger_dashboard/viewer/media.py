"""Names for images, sounds and files in a result; their bytes are neither drawn nor loaded."""

from collections.abc import Mapping
from typing import Any

_KINDS = {
    "image", "image_url", "input_image", "audio", "input_audio", "video", "document", "file", "input_file",
}  # fmt: skip
_TEXTS = ("text", "input_text", "output_text")
_SAID_OF_MEDIA = {"media_type", "mimeType", "mime_type", "data", "file_data", "file_id", "url", "uri"}
_DEPTH = 32
"""The number of levels of a value that are searched for parts."""


def named_media(value: Any, depth: int = _DEPTH) -> Any:
    """Return a JSON value with a name in place of each image, sound or file.

    Args:
        value: a result, with parts as in Anthropic's, OpenAI's and Gemini's interfaces and MCP.
        depth: the number of levels to search.
    """
    if isinstance(value, dict):
        return _name(value) or {
            key: named_media(each, depth - 1) if depth else each for key, each in value.items()
        }
    if isinstance(value, list) and depth:
        return [named_media(each, depth - 1) for each in value]
    return value


def text_of_parts(value: Any) -> str | None:
    """Return the text of a list of texts and named parts, each on its own lines; None if it is not such a list."""
    if not isinstance(value, list) or not value:
        return None
    named = named_media(value, depth=1)
    lines = [each["text"] if isinstance(each, dict) and _is_text(each) else each for each in named]
    return "\n".join(lines) if all(isinstance(line, str) for line in lines) else None


def _is_text(part: Mapping[str, Any]) -> bool:
    """Return whether a part is a text, not a tool's own object with a text among its fields."""
    return part.get("type") in _TEXTS and "text" in part


def _name(part: Mapping[str, Any]) -> str:
    """Return a part's name; empty if it is not media, such as a folder entry of type ``file``."""
    inline = part.get("inlineData") or part.get("inline_data")
    if isinstance(inline, dict):
        return _named("file", inline)
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        return ""
    held = next((part[key] for key in ("source", kind, "image_url", "file") if key in part), None)
    if held is None and {"data", "mimeType"} <= part.keys():
        held = part
    if isinstance(held, str) and held.startswith(("data:", "http://", "https://")):
        held = {"url": held}
    if not isinstance(held, dict) or _SAID_OF_MEDIA.isdisjoint(held):
        return ""
    return _named(kind.removeprefix("input_").removesuffix("_url"), held)


def _named(kind: str, held: Mapping[str, Any]) -> str:
    mime = next((held[key] for key in ("media_type", "mimeType", "mime_type") if key in held), "")
    data = next(
        (held[key] for key in ("data", "url", "file_data", "uri") if isinstance(held.get(key), str)), ""
    )
    if data.startswith("data:"):
        head, _, data = data.partition(",")
        mime = mime or head[5:].partition(";")[0]
    elif "://" in data[:16]:
        return f"[{kind}: {data}]"
    size = f"{len(data) * 3 // 4:,} bytes" if data else ""
    return f"[{', '.join(filter(None, (f'{kind}: {mime}' if mime else kind, size)))}]"
