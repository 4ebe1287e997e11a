"""The assistant's store as the made-up system kept it: ids count from 1 for each kind."""

from collections import Counter

from generator.actions import DOES, SCRIPT_ERRORS, Action

_KINDS = ("task", "memory", "goal", "item")


class Store:
    """Tasks, memories, goals and items, by kind and id."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[int, Action]] = {kind: {} for kind in _KINDS}
        self._last = Counter[str]()

    def ids(self, kind: str) -> list[int]:
        """Return the ids that exist, oldest first."""
        return list(self._rows[kind])

    def run(self, action: Action) -> str:
        """Carry the action out and return what the system said about it."""
        name = action["type"]
        verb, kind = DOES[name]
        if verb == "run":
            return _ran(action["code"])
        if verb == "create":
            self._last[kind] += 1
            self._rows[kind][self._last[kind]] = dict(action)
            return f"{name}: ok, {kind}_id={self._last[kind]}"
        if verb in {"list", "search"}:
            return f"{name}: {len(self._matching(kind, action))} found"
        number = action.get(f"{kind}_id", self._last[kind])
        if number not in self._rows[kind]:
            return f"error: {name}: {kind} {number} not found"
        return f"{name}: {self._touch(verb, kind, number, action)}"

    def _matching(self, kind: str, action: Action) -> list[Action]:
        word, status = str(action.get("query", "")).lower(), action.get("status")
        return [
            row
            for row in self._rows[kind].values()
            if word in str(row.get("content")).lower() and status in {None, row.get("status", "pending")}
        ]

    def _touch(self, verb: str, kind: str, number: int, action: Action) -> str:
        if verb == "delete":
            del self._rows[kind][number]
            return f"ok, {kind} {number} deleted"
        row = self._rows[kind][number]
        if verb == "get":
            return f"{str(row['content'])[:60]!r}"
        row.update({field: action[field] for field in ("content", "notes", "status") if field in action})
        return f"ok, {kind}_id={number}"


def _ran(code: str) -> str:
    error = next((message for mark, message in SCRIPT_ERRORS.items() if mark in code), "")
    if error:
        return f"execute_code: success=false, error={error!r}"
    return (
        f"execute_code: success=true, {len(code.splitlines())} lines run, {code.count('print(')} print calls"
    )
