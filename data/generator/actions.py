"""Which actions a profile knows, and what a strict system says against one that isn't as it should be."""

from typing import Any

from generator.words import table

Action = dict[str, Any]

_TABLE = table("actions")
_SAYS: dict[str, dict[str, str]] = _TABLE["says"]
SCRIPT_ERRORS: dict[str, str] = _TABLE["script_errors"]
STATUSES: list[str] = _TABLE["fields"]["status"]
NUMBERS: list[str] = _TABLE["fields"]["number"]
NAMES: dict[str, dict[str, str]] = {verb: row["on"] for verb, row in _TABLE["assistant"].items()}
"""What the assistant's actions are called: by what they do, then by what they do it to."""

DOES = {name: (verb, kind) for verb, row in NAMES.items() for kind, name in row.items()}
"""What each of them does, and to what."""

_NEEDS: dict[str, dict[str, list[str]]] = _TABLE["others"] | {
    "assistant": {
        name: [need.replace("KIND", kind) for need in _TABLE["assistant"][verb]["needs"]]
        for name, (verb, kind) in DOES.items()
    }
}
_TYPES = {
    "number": (int, "must be a number"),
    "list": (list, "must be a list"),
    "text": (str, "must be a text"),
}


def family(profile: str) -> str:
    """Return the profile whose actions this one has."""
    return profile.removesuffix("-iterative")


def known(profile: str) -> dict[str, list[str]]:
    """Return the profile's actions by name, with the fields that each must have."""
    return _NEEDS[family(profile)]


def discriminator(profile: str) -> str:
    """Return the field that says which action it is."""
    return "type" if family(profile) == "assistant" else "action"


def required(profile: str, action: Action) -> list[str]:
    """Return the fields that an action must have; none where nobody knows it."""
    return known(profile).get(str(action.get(discriminator(profile))), [])


def problem(profile: str, action: Action) -> str:
    """Return what a system would have said against the action; empty where it is in order."""
    key = discriminator(profile)
    says = _SAYS["tags" if profile == "coder" else "json"]
    if key not in action:
        return f"Missing '{key}' field in action"
    name = action[key]
    if name not in known(profile):
        return says["unknown"].format(name=name)
    for field in required(profile, action):
        if action.get(field) in ("", []):
            return says["empty"].format(name=name, field=field)
        if field not in action and f"{field}_from" not in action:
            return says["missing"].format(name=name, field=field)
    wrong = next((said for field, value in action.items() if (said := _wrong(field, value))), "")
    return f"{name}: {wrong}" if wrong else _wrong_issue(name, action)


def _wrong(field: str, value: object) -> str:
    for kind, (allowed, demand) in _TYPES.items():
        if field in _TABLE["fields"][kind] and not isinstance(value, allowed):
            return f"'{field}' {demand}, got {value!r}"
    if field in NUMBERS and isinstance(value, int) and value < 1:
        return f"'{field}' must be greater than 0, got {value}"
    if field == "status" and value not in STATUSES:
        return f"'{value}' is not a valid status ({', '.join(STATUSES)})"
    return ""


def _wrong_issue(name: str, action: Action) -> str:
    for issue in action.get("issues", ()):
        if "title" not in issue or not isinstance(issue.get("labels", []), list):
            return f"{name}: an issue needs a title, and its labels must be a list"
    return ""
