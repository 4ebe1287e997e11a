"""Sessions of the coder: a small project grows by files, edits and commands."""

from generator.actions import Action
from generator.draw import Draw
from generator.reply import Part, Prose, Tag, spread
from generator.session import Session
from generator.voice import Voice
from generator.words import bank, table
from generator.workspace import Workspace

_PROJECTS = table("projects")
_CONFIG: dict[str, str] = _PROJECTS["config"]
_FOLDERS: dict[str, str] = _CONFIG | _PROJECTS["elsewhere"]


class Coder(Session):
    """A project in one language."""

    profile = "coder"

    def __init__(self, draw: Draw, length: int) -> None:
        self._language = draw.pick(("go", "python", "typescript"))
        self._project = _PROJECTS[self._language]
        lists = bank("coder")
        scene = _scene(draw.pick(lists["words"]), draw.pick(lists["field"]), self._project["name"])
        super().__init__(draw, Voice(draw, lists, bank("commands"), fixed=scene), length)
        self.task = f"new-{self._language}-project"
        self.voice.fix("port")
        self._space = Workspace()
        self._move = "run"
        self._left = [*self._project["later"], *draw.some(tuple(_CONFIG), 3)]

    def compose(self) -> list[Part]:
        move = self._move if self._space.files else "start"
        tags: list[Tag] = getattr(self, f"_{move}")()
        acting = [*self.prose(f"opener_{move}?0.92"), *spread(tags, self.voice, 0.25)]
        return [*acting, *self.draw.maybe(0.22, self._explained), *self.prose("closer?0.5")]

    def follow_up(self) -> str:
        weights = {"grow": 5.0 if self._left else 0.0, "edit": 4.0, "look": 2.0, "run": 2.0}
        wish = self._move = self.draw.weighted(weights)
        if wish == "grow":
            self._left = self.draw.some(self._left, len(self._left))
            wish = "test" if "test" in self._left[-1] else "config" if self._left[-1] in _CONFIG else "grow"
        return f"User: {self.voice.line(f'ask_{wish}')}"

    def answer(self, action: Action) -> str:
        result = "good" if self.draw.chance(0.75) else "bad"
        printed = self.voice.one(f"{result}_{self._language}")
        self._space.printed = f"exit {0 if result == 'good' else 1}\n{printed}"
        return super().answer(action)

    def carry_out(self, action: Action) -> str:
        return self._space.run(action)

    def _start(self) -> list[Tag]:
        files = [self._file(self._language, name) for name in self._project["first"]]
        folders = sorted({tag.action["path"].rpartition("/")[0] for tag in files} - {""})
        made = [_tag("create_directory", path=folder) for folder in folders if self.draw.chance(0.7)]
        return [*made, *files, self._command()]

    def _grow(self) -> list[Tag]:
        if not self._left:
            return self._edit()
        name = self._left.pop()
        tag = self._file("config" if name in _CONFIG else self._language, name)
        return [tag, *self.draw.maybe(0.5, self._command)]

    def _edit(self) -> list[Tag]:
        change = self._space.edit(self.draw)
        if change is None:
            return self._look()
        before = self.draw.maybe(0.15, lambda: _tag("read_file", path=change["path"]))
        return [*before, _tag("modify_file", **change), *self.draw.maybe(0.4, self._command)]

    def _look(self) -> list[Tag]:
        paths = self.draw.some(list(self._space.files), self.draw.between(1, 2))
        return [_tag("read_file", path=path) for path in paths]

    def _run(self) -> list[Tag]:
        return [self._command()]

    def _command(self) -> Tag:
        section = self._language if self.draw.chance(0.8) else "any"
        command, _, description = self.voice.one(section).partition("|")
        described = {"description": description} if description else {}
        return _tag("execute_command", command=command, **described)

    def _file(self, templates: str, template: str) -> Tag:
        name, text = self.voice.document(templates, template)
        folder = _FOLDERS.get(name, self._project["folder"])
        path = f"{self.voice.fill(folder)}{name.replace('model', self.voice.fixed['kebab'])}"
        return _tag("create_file", path=path, content=text)

    def _explained(self) -> Part:
        _, text = self.voice.document(self._language)
        lines = text.split("\n")
        start = self.draw.between(0, max(0, len(lines) - 6))
        code = "\n".join(lines[start : start + self.draw.between(2, 6)]).strip("\n")
        return Prose(f"{self.voice.line('shown_lead')}\n\n```{self._project['label']}\n{code}\n```")


def _tag(name: str, **fields: str) -> Tag:
    return Tag({"action": name, **fields})


def _scene(words: str, field: str, language: str) -> dict[str, str]:
    """Return the slots of a project, in every spelling that its files need."""
    parts = words.split()
    return {
        "language": language,
        "words": words,
        "Entity": "".join(part.capitalize() for part in parts),
        "entity": "_".join(parts),
        "kebab": "-".join(parts),
        "module": "".join(parts),
        "project": f"{parts[-1]}-desk",
        "field": field,
        "Field": field.capitalize(),
        "FIELD": field.upper(),
    }
