"""What a person has said, without what the client has put around it or beside it."""

import re

_BESIDE = (
    "system-reminder", "environment_context", "environment_details", "session_context", "user_instructions", "skills_instructions",
    "permissions_instructions", "local-command-caveat", "command-name", "command-message", "command-args", "local-command-stdout",
)  # fmt: skip
"""The tags in which clients tell a model of themselves, in a person's place."""

_OPENING = re.compile(rf"<({'|'.join(_BESIDE)})(?:\s[^<>]{{0,200}})?>")
_AROUND = re.compile(r"^<user_input(?:\s[^<>]{0,200})?>(.*)</user_input>$", re.DOTALL)
_WHOLE = ("# AGENTS.md instructions",)


def words_of(text: str) -> str:
    """Return the words of a person's message; empty where all of it is the client's."""
    if text.startswith(_WHOLE):
        return ""
    left = _without(text).strip()
    around = _AROUND.match(left)
    return around[1].strip() if around else left


def _without(text: str) -> str:
    """Return a text without what stands in the client's tags; one that nothing closes is a person's word."""
    kept, at = [], 0
    open_to_the_end: set[str] = set()
    while (found := _OPENING.search(text, at)) is not None:
        closing = f"</{found[1]}>"
        end = -1 if closing in open_to_the_end else text.find(closing, found.end())
        if end < 0:
            open_to_the_end.add(closing)
            kept.append(text[at : found.end()])
            at = found.end()
        else:
            kept.append(text[at : found.start()])
            at = end + len(closing)
    return "".join((*kept, text[at:]))
