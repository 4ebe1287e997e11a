"""What a model that keeps lists does about one request: a method for each kind of request makes a list of actions."""

from generator.actions import NAMES, Action
from generator.draw import Draw
from generator.session import Session
from generator.store import Store
from generator.voice import Voice
from generator.words import bank, names

FOREIGN = 0.2
"""The share of sessions in another language than English."""

_KINDS = ("task", "memory", "goal")


class ListKeeper(Session):
    """A user and a model that keeps lists for them, about a subject in some language.

    Args:
        draw: the session's stream of chance.
        length: how many turns are planned.
        lists: the word lists that go before the subject's.
    """

    def __init__(self, draw: Draw, length: int, *lists: str) -> None:
        subject = bank(f"domains/{draw.pick(names('lists/domains', '.txt'))}")
        banks = [*map(bank, lists), subject, bank("phrases"), bank("asks")]
        self.task = subject["name"][0]
        self.is_foreign = draw.chance(FOREIGN)
        if self.is_foreign:
            language = draw.pick(names("lists/languages", ".txt"))
            banks.insert(len(lists), bank(f"languages/{language}"))
            self.task = f"everyday-{language}"
        super().__init__(draw, Voice(draw, *banks), length)
        self._store = Store()

    def carry_out(self, action: Action) -> str:
        return self._store.run(action)

    def actions(self, request: str) -> list[Action]:
        """Return what is done about a request of this kind."""
        made: list[Action] = getattr(self, f"about_{request}")()
        return made

    def create(self, kind: str, times: int = 1) -> list[Action]:
        """Return actions that create tasks, memories or goals."""
        return [{"type": f"create_{kind}", **self.voice.written(f"create_{kind}")} for _ in range(times)]

    def about_capture(self) -> list[Action]:
        """A few tasks, sometimes with something to remember."""
        tasks = self.create("task", self.draw.weighted({1: 4, 2: 4, 3: 3, 4: 1}))
        return tasks + self.create("memory", self.draw.chance(0.25))

    def about_update(self) -> list[Action]:
        """Change what is there; look first where nothing is."""
        ids = self._store.ids("task")
        if not ids:
            return self.about_query()
        return [self._change("task", number) for number in self.draw.some(ids, self.draw.between(1, 2))]

    def about_query(self) -> list[Action]:
        """Look something up."""
        kind = self.draw.pick(_KINDS)
        ids = self._store.ids(kind)
        if ids and self.draw.chance(0.3):
            return [_on("get", kind, self.draw.pick(ids))]
        if self.draw.chance(0.5):
            return [self._search(kind)]
        return [{"type": NAMES["list"][kind], **self.voice.written(f"list_{kind}")}]

    def about_store(self) -> list[Action]:
        """Put a document into the vault."""
        name, text = self.voice.document("documents")
        title, _, filetype = name.partition(".")
        action: Action = {"type": "datavault_store", "content": text}
        if filetype != "text" or self.draw.chance(0.3):
            action["filetype"] = filetype
        if self.draw.chance(0.7):
            action["notes"] = f"{title}: {self.voice.line('note')}"
        return [action, *self.create("task", self.draw.chance(0.25))]

    def about_revise(self) -> list[Action]:
        """Look at the vault or change what it holds."""
        ids = self._store.ids("item")
        if not ids:
            verb = self.draw.pick(("list", "search"))
            return [self._search("item") if verb == "search" else {"type": NAMES[verb]["item"]}]
        number = self.draw.pick(ids)
        verb = self.draw.weighted({"get": 4, "update": 4, "delete": 1})
        action = _on(verb, "item", number)
        if verb == "update" and self.draw.pick(("notes", "content")) == "notes":
            action["notes"] = self.voice.line("note")
        elif verb == "update":
            action["content"] = self.voice.document("documents")[1]
        return [action]

    def about_code(self) -> list[Action]:
        """Run a script over everything."""
        return [{"type": "execute_code", "code": self.voice.document("scripts")[1]}]

    def about_cleanup(self) -> list[Action]:
        """Delete something, if there is anything."""
        kinds = [kind for kind in _KINDS if self._store.ids(kind)]
        if not kinds:
            return self.about_query()
        kind = self.draw.pick(kinds)
        return [_on("delete", kind, self.draw.pick(self._store.ids(kind)))]

    def about_remember(self) -> list[Action]:
        """Keep a fact, or correct one."""
        ids = self._store.ids("memory")
        if ids and self.draw.chance(0.4):
            return [self._change("memory", self.draw.pick(ids))]
        return self.create("memory", self.draw.between(1, 2))

    def about_goal(self) -> list[Action]:
        """Set a goal, or change one."""
        ids = self._store.ids("goal")
        if ids and self.draw.chance(0.5):
            return [self._change("goal", self.draw.pick(ids))]
        return self.create("goal") + self.create("task", self.draw.chance(0.5))

    def about_plan(self) -> list[Action]:
        """A goal, several steps, and what to keep in mind."""
        steps = self.create("task", self.draw.between(3, 6))
        return [*self.create("goal"), *steps, *self.create("memory")]

    def _change(self, kind: str, number: int) -> Action:
        field = "notes" if kind == "memory" else self.draw.weighted({"status": 5, "notes": 2, "content": 1})
        if field == "content":
            return _on("update", kind, number) | {"content": self.voice.line(kind)}
        return _on("update", kind, number) | self.voice.written(f"change_{field}")

    def _search(self, kind: str) -> Action:
        thing = self.voice.one("thing")
        words = [word for word in thing.split() if len(word) > 3]
        fields = {"query": words[-1] if words else thing, **self.voice.written("search")}
        return {"type": NAMES["search"][kind], **fields}


def _on(verb: str, kind: str, number: int) -> Action:
    return {"type": NAMES[verb][kind], f"{kind}_id": number}
