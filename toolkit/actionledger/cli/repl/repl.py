"""Handle a person's input line by line, as messages or commands; prints through a function and reads no terminal."""

import getpass
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from actionledger.cli.repl.chat import Chat, CutOff
from actionledger.cli.repl.progress import Progress, fate, label, shown_of, visible
from actionledger.core.errors import ActionLedgerError, SourceError, UnknownNameError, UsageError
from actionledger.core.values import ParseResult, Turn
from actionledger.core.vocabulary import ExecutionStatus
from actionledger.ledger.queries.turn import conversation
from actionledger.reading.parsers import parser_named
from actionledger.runtime.models import Model, model_from
from actionledger.runtime.parse_result import read_response
from actionledger.runtime.workspace import Undone

OWN = "coding-agent-with-actions"
"""The name of the profile's own prompt."""

PLACE = "{{actions}}"
"""The placeholder for the profile's instructions in a prompt's file."""

_ENDINGS = (".md", ".txt")


class Prompts:
    """The available system prompts."""

    def __init__(self, instructions: str, folder: Path | None = None) -> None:
        self._instructions = instructions
        self._folder = folder

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, the profile's own first."""
        return (OWN, *sorted({path.stem for path in self._files()}))

    def named(self, name: str) -> str:
        """Return a prompt by name; in a file, ``{{actions}}`` is replaced by the profile's instructions."""
        if name == OWN:
            return self._instructions
        path = next((path for path in self._files() if path.stem == name), None)
        if path is None:
            raise UnknownNameError("system prompt", name, self.names)
        try:
            return path.read_text(encoding="utf-8").replace(PLACE, self._instructions)
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"The prompt {str(path)!r} can't be read: {error}.") from error

    def _files(self) -> Iterator[Path]:
        if self._folder is not None and self._folder.is_dir():
            yield from sorted(path for path in self._folder.iterdir() if path.suffix in _ENDINGS)


TIP = "💡 Tip: Use /execute to run these actions, or enable auto-execution with /auto on"

DRY = "🔍 Dry run: nothing was done; /dry-run off and /execute run these actions"

_OLD_PARSER = "go-tags"
"""The default parser of ``/replay``, in which the tags originated."""

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    usage: str  # its syntax
    help: str  # its description
    run: Callable[[Sequence[str]], None]  # executes it, given the words after its name
    words: Callable[[], Sequence[str]] = tuple  # the words that may follow its name


class Repl:
    """Handles input lines."""

    def __init__(
        self,
        chat: Chat,
        *,
        progress: Progress,
        prompts: Prompts,
        write: Callable[[str], None],
        make_model: Callable[[str], Model] | None = None,
    ) -> None:
        self.chat = chat
        self.is_over = False
        self._progress = progress
        self._prompts = prompts
        self._write = write
        self._make_model = make_model or (lambda spec: model_from(spec, ledger=chat.ledger))
        self._undone: Undone | None = None
        self._by = getpass.getuser()
        self.commands = self._all_commands()

    def take(self, line: str) -> None:
        """Handle one line; errors are printed, and only Ctrl-C raises."""
        text = line.strip()
        if not text:
            return
        try:
            if text.startswith("/"):
                self._command(text)
            else:
                self._say(line)
        except ActionLedgerError as error:
            self._print(f"✗ {' '.join(visible(str(error)).split())}")

    def _command(self, text: str) -> None:
        name, *words = text[1:].split()
        command = self.commands.get(name)
        if command is None:
            raise UsageError(f"There is no command /{name}; /help lists those that there are.")
        command.run(words)

    def _say(self, text: str) -> None:
        self._progress.announces = self.chat.auto and not self.chat.dry_run
        answer = self.chat.say(text, lambda piece: self._write(visible(piece)))
        if isinstance(answer, CutOff):
            self._print(
                f"\n✗ {visible(answer.why)} What came of the response is recorded; nothing of it was done."
            )
            return
        self._progress.conclude()
        if not self.chat.waiting:
            return
        if self.chat.dry_run:
            self._print("")
            self._review(())
        self._print(f"\n{DRY if self.chat.dry_run else TIP}")

    # Commands

    def _help(self, _words: Sequence[str]) -> None:
        width = max(len(command.usage) for command in self.commands.values())
        for command in self.commands.values():
            self._print(f"  {command.usage:<{width}}  {command.help}")

    def _workdir(self, words: Sequence[str]) -> None:
        if words:
            folder = Path(" ".join(words)).expanduser()
            if not folder.is_dir():
                raise UsageError(f"There is no folder {str(folder)!r}; make it first.")
            self.chat.use_workspace(folder)
        self._print(f"✓ Working directory {'set to' if words else 'is'}: {self.chat.workspace}")

    def _auto(self, words: Sequence[str]) -> None:
        self.chat.auto = _switched(words, self.chat.auto)
        self._print(f"✓ Auto-execution {'enabled' if self.chat.auto else 'disabled'}")

    def _dry_run(self, words: Sequence[str]) -> None:
        self.chat.dry_run = _switched(words, self.chat.dry_run)
        self._print(f"✓ Dry run {'enabled: nothing is done' if self.chat.dry_run else 'disabled'}")

    def _prompt(self, words: Sequence[str]) -> None:
        if not words:
            self._print(f"System prompts: {', '.join(self._prompts.names)}")
            return
        self.chat.use_system(self._prompts.named(words[0]))
        self._print(f"✓ Loaded system prompt: {visible(words[0])}")

    def _model(self, words: Sequence[str]) -> None:
        if words:
            self.chat.use_model(self._make_model(words[0]))
        name = self.chat.model.name if self.chat.model else "none"
        self._print(f"✓ Model{' switched to' if words else ''}: {visible(name)}")

    def _clear(self, _words: Sequence[str]) -> None:
        self.chat.clear()
        self._print("✓ Conversation cleared; the ledger keeps it")

    def _exit(self, _words: Sequence[str]) -> None:
        self.is_over = True

    def _execute(self, words: Sequence[str]) -> None:
        self._run(self._places(words) or self.chat.waiting, with_followers=not words)

    def _approve(self, words: Sequence[str]) -> None:
        places = self._places(words)
        if not places:
            raise UsageError("Say which actions: /approve 1 3 (or /execute for all of them).")
        self._run(places, with_followers=False)

    def _reject(self, words: Sequence[str]) -> None:
        numbers = [word for word in words if word.isdecimal()]
        why = " ".join(word for word in words if not word.isdecimal())
        self._progress.announces = True
        places = self._places(numbers) or self.chat.waiting
        self._progress.expect(len(places))
        self.chat.reject(places, self._by, why)

    def _run(self, places: Sequence[int], *, with_followers: bool) -> None:
        """Run pending actions and, if wanted, those that depend on them."""
        self._progress.announces = True
        self._progress.expect(len(places))
        try:
            while places:
                before = set(places)
                self.chat.approve(places, self._by)
                places = (
                    [place for place in self.chat.waiting if place not in before] if with_followers else []
                )
                if not places:
                    return
            raise UsageError("Nothing waits to be executed.")
        except KeyboardInterrupt:
            self._print("\nStopped. What was not begun still waits: /review shows it.")
        finally:
            self._progress.conclude()

    def _review(self, _words: Sequence[str]) -> None:
        turn = self.chat.turn
        if turn is None or not turn.result.actions:
            raise UsageError("There is no action to review yet.")
        seen = {each.action_index: each for each in turn.observations}
        previews = {each.index: each for each in self.chat.preview()} if self.chat.waiting else {}
        for index, call in enumerate(turn.result.actions):
            self._print(f"  {index + 1}. {label(call.name or 'unnamed', call.arguments)}")
            observation = seen.get(index)
            if observation is None:
                why = call.errors[0].message if call.errors else "shown as an example"
                self._print(f"     ✗ not to be run: {visible(why)}")
            elif observation.status is not ExecutionStatus.PENDING:
                self._print(f"     {fate(observation.status, observation.message)}")
            elif preview := previews.get(index):
                for line in shown_of(preview.result):
                    self._print(line)
                self._print(f"     ⏸ waits{f': {visible(preview.message)}' if preview.message else ''}")

    def _undo(self, words: Sequence[str]) -> None:
        with self._progress.muted():
            self._undone = undone = self._taken_back(words)
        self._print(f"✓ Undone: {_listed(undone.paths)}")

    def _taken_back(self, words: Sequence[str]) -> Undone:
        if not words:
            return self.chat.undo()
        if words[0] == "back":
            return self.chat.undo_back_to(self._turn(words[1:]))
        number, dot, action = words[0].partition(".")
        (place,) = self._places([action]) if dot else (None,)
        return self.chat.undo(self._turn([number]), place)

    def _redo(self, _words: Sequence[str]) -> None:
        if self._undone is None:
            raise UsageError("Nothing was undone that could be done again.")
        with self._progress.muted():
            self.chat.redo(self._undone)
        self._print(f"✓ Done again: {_listed(self._undone.paths)}")
        self._undone = None

    def _history(self, _words: Sequence[str]) -> None:
        for number, exchange in enumerate(self.chat.exchanges, start=1):
            said = " ".join(visible(exchange.said).split())[:_SHOWN]
            done = self.chat.statuses(exchange.turn)
            counted = ", ".join(f"{done.count(status)} {status}" for status in dict.fromkeys(done))
            self._print(
                f"  {number}. {said} ({exchange.turn.result.outcome.said}; {counted or 'no actions'})"
            )
        if not self.chat.exchanges:
            self._print("Nothing was said in this session yet.")

    def _replay(self, words: Sequence[str]) -> None:
        parser = parser_named(words[0] if words else _OLD_PARSER)
        for response in conversation(self.chat.ledger, self.chat.session.session_id):
            first = read_response(response.text, self.chat.profile.parser, self.chat.profile.catalogue)
            again = read_response(response.text, parser, self.chat.profile.catalogue)
            told = "the same" if _reading(first) == _reading(again) else f"{parser.name}: {_counted(again)}"
            self._print(f"  {response.index + 1}. {_counted(first)} → {told}")

    def _all_commands(self) -> dict[str, Command]:
        on_off = lambda: ("on", "off")  # noqa: E731 - a list on request
        return {
            "help": Command("/help", "Show all commands", self._help),
            "workdir": Command("/workdir <path>", "Set working directory for actions", self._workdir),
            "auto": Command("/auto on|off", "Enable/disable auto-execution", self._auto, on_off),
            "prompt": Command(
                "/prompt <name>", "Load a system prompt", self._prompt, lambda: self._prompts.names
            ),
            "model": Command("/model <name>", "Switch LLM model", self._model),
            "clear": Command("/clear", "Clear conversation history", self._clear),
            "exit": Command("/exit", "Exit REPL", self._exit),
            "execute": Command("/execute [n…]", "Run the actions that wait", self._execute),
            "approve": Command("/approve n…", "Run some of them only", self._approve),
            "reject": Command("/reject [n…] [why]", "Decide against actions", self._reject),
            "review": Command("/review", "Show the last actions, and what they would change", self._review),
            "dry-run": Command(
                "/dry-run on|off",
                "Only show what actions would do, and leave them waiting",
                self._dry_run,
                on_off,
            ),
            "undo": Command(
                "/undo [n|n.m|back n]", "Take back a turn, an action, all behind a turn", self._undo
            ),
            "redo": Command("/redo", "Take the last undoing back", self._redo),
            "history": Command("/history", "List the turns of this session", self._history),
            "replay": Command("/replay [parser]", "Read the session again with another parser", self._replay),
        }

    def _places(self, words: Sequence[str]) -> list[int]:
        if bad := [word for word in words if not word.isdecimal() or word == "0"]:
            raise UsageError(f"{bad[0]!r} is not a number of an action; /review shows them.")
        return sorted({int(word) - 1 for word in words})

    def _turn(self, words: Sequence[str]) -> Turn:
        number = int(words[0]) if words and words[0].isdecimal() else 0
        if not 1 <= number <= len(self.chat.exchanges):
            raise UsageError("Say which turn by its number; /history shows them.")
        return self.chat.exchanges[number - 1].turn

    def _print(self, line: str) -> None:
        self._write(f"{line}\n")


def _switched(words: Sequence[str], now: bool) -> bool:
    match words:
        case []:
            return not now
        case ["on"]:
            return True
        case ["off"]:
            return False
    raise UsageError("Write on or off.")


def _reading(found: ParseResult) -> object:
    """Return the key by which two parses of a response are equivalent."""
    return found.outcome, [(call.name, call.arguments) for call in found.valid_actions]


def _counted(found: ParseResult) -> str:
    return f"{found.outcome.said}, {len(found.valid_actions)} action(s)"


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 10} more" if len(paths) > 10 else ""
    return visible(", ".join(paths[:10]) + more)
