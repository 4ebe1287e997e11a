"""What an assistant does about one request: a method for each kind of request that makes a list of actions."""

from generator.actions import NAMES, Action
from generator.store import Store
from generator.voice import Voice

_KINDS = ("task", "memory", "goal")


class Requests:
    """A model that keeps lists.

    Args:
        voice: how it talks.
        store: what is there already.
    """

    def __init__(self, voice: Voice, store: Store) -> None:
        self._voice = voice
        self._draw = voice.draw
        self._kept = store

    def actions(self, request: str) -> list[Action]:
        """Return what is done about a request of this kind."""
        made: list[Action] = getattr(self, f"_{request}")()
        return made

    def create(self, kind: str, times: int = 1) -> list[Action]:
        """Return actions that create tasks, memories or goals."""
        return [{"type": f"create_{kind}", **self._voice.written(f"create_{kind}")} for _ in range(times)]

    def _capture(self) -> list[Action]:
        """A few tasks, sometimes with something to remember."""
        tasks = self.create("task", self._draw.weighted({1: 4, 2: 4, 3: 3, 4: 1}))
        return tasks + self.create("memory", self._draw.chance(0.25))

    def _update(self) -> list[Action]:
        """Change what is there; look first where nothing is."""
        ids = self._kept.ids("task")
        if not ids:
            return self._query()
        return [self._change("task", number) for number in self._draw.some(ids, self._draw.between(1, 2))]

    def _query(self) -> list[Action]:
        """Look something up."""
        kind = self._draw.pick(_KINDS)
        ids = self._kept.ids(kind)
        if ids and self._draw.chance(0.3):
            return [_on("get", kind, self._draw.pick(ids))]
        if self._draw.chance(0.5):
            return [self._search(kind)]
        return [{"type": NAMES["list"][kind], **self._voice.written(f"list_{kind}")}]

    def _store(self) -> list[Action]:
        """Put a document into the vault."""
        name, text = self._voice.document("documents")
        title, _, filetype = name.partition(".")
        action: Action = {"type": "datavault_store", "content": text}
        if filetype != "text" or self._draw.chance(0.3):
            action["filetype"] = filetype
        if self._draw.chance(0.7):
            action["notes"] = f"{title}: {self._voice.line('note')}"
        return [action, *self.create("task", self._draw.chance(0.25))]

    def _revise(self) -> list[Action]:
        """Look at the vault or change what it holds."""
        ids = self._kept.ids("item")
        if not ids:
            verb = self._draw.pick(("list", "search"))
            return [self._search("item") if verb == "search" else {"type": NAMES[verb]["item"]}]
        number = self._draw.pick(ids)
        verb = self._draw.weighted({"get": 4, "update": 4, "delete": 1})
        action = _on(verb, "item", number)
        if verb == "update" and self._draw.pick(("notes", "content")) == "notes":
            action["notes"] = self._voice.line("note")
        elif verb == "update":
            action["content"] = self._voice.document("documents")[1]
        return [action]

    def _code(self) -> list[Action]:
        """Run a script over everything."""
        return [{"type": "execute_code", "code": self._voice.document("scripts")[1]}]

    def _cleanup(self) -> list[Action]:
        """Delete something, if there is anything."""
        kinds = [kind for kind in _KINDS if self._kept.ids(kind)]
        if not kinds:
            return self._query()
        kind = self._draw.pick(kinds)
        return [_on("delete", kind, self._draw.pick(self._kept.ids(kind)))]

    def _remember(self) -> list[Action]:
        """Keep a fact, or correct one."""
        ids = self._kept.ids("memory")
        if ids and self._draw.chance(0.4):
            return [self._change("memory", self._draw.pick(ids))]
        return self.create("memory", self._draw.between(1, 2))

    def _goal(self) -> list[Action]:
        """Set a goal, or change one."""
        ids = self._kept.ids("goal")
        if ids and self._draw.chance(0.5):
            return [self._change("goal", self._draw.pick(ids))]
        return self.create("goal") + self.create("task", self._draw.chance(0.5))

    def _plan(self) -> list[Action]:
        """A goal, several steps, and what to keep in mind."""
        steps = self.create("task", self._draw.between(3, 6))
        return [*self.create("goal"), *steps, *self.create("memory")]

    def _change(self, kind: str, number: int) -> Action:
        field = "notes" if kind == "memory" else self._draw.weighted({"status": 5, "notes": 2, "content": 1})
        if field == "content":
            return _on("update", kind, number) | {"content": self._voice.line(kind)}
        return _on("update", kind, number) | self._voice.written(f"change_{field}")

    def _search(self, kind: str) -> Action:
        thing = self._voice.one("thing")
        words = [word for word in thing.split() if len(word) > 3]
        fields = {"query": words[-1] if words else thing, **self._voice.written("search")}
        return {"type": NAMES["search"][kind], **fields}


def _on(verb: str, kind: str, number: int) -> Action:
    return {"type": NAMES[verb][kind], f"{kind}_id": number}
