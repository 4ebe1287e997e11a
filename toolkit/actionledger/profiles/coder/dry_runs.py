"""What the coder's actions on files would do: the same handlers over what the workspace would be, with the differences."""

from actionledger.profiles.coder.files import READING, Result, file_handlers
from actionledger.runtime.execution.handlers import Context, Handler
from actionledger.runtime.workspace import Overlay, Workspace

MAX_DIFF = 12_000
"""The most that is kept of an action's differences, in characters."""


class DryRuns:
    """Tries the actions of one turn after the other, each on what those before it would leave.

    Args:
        workspace: where they would be done.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._turn = ""
        self._overlay: Overlay | None = None

    def previews(self) -> dict[str, Handler]:
        """Return what says what each action on files would do."""
        handlers = file_handlers(self._overlay_of)
        return {
            name: handler if name in READING else self._with_diff(handler)
            for name, handler in handlers.items()
        }

    def _overlay_of(self, context: Context) -> Overlay:
        if self._overlay is None or context.turn_id != self._turn:
            self._turn, self._overlay = context.turn_id, self._workspace.dry_run()
        return self._overlay

    def _with_diff(self, handler: Handler) -> Handler:
        def preview(action: object, context: Context) -> Result:
            done, diffs = self._overlay_of(context).trying(lambda: handler(action, context))
            result: Result = done
            text = "\n".join(f"{diff.kind} {diff.path}\n{diff.text}".rstrip() for diff in diffs)
            return result | {"diff": text if len(text) <= MAX_DIFF else f"{text[:MAX_DIFF]}\n(… cut)"}

        return preview
