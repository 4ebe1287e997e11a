"""What runs the assistant's actions: those on what it keeps, and code over the same store.

A dry run works on a copy of the store, made when it is first needed: each action's result is what it would be after those
before it, code included, and nothing of it is kept.
"""

from functools import cached_property, partial
from pathlib import Path

from actionledger.profiles.assistant.code import CodeRunner
from actionledger.profiles.assistant.records import AssistantStore, crud_handlers
from actionledger.runtime.execution.handlers import HandlerFactory, Handlers
from actionledger.runtime.sandbox import Limits, Sandbox
from actionledger.runtime.workspace import Workspace

STORE_FILE = "assistant.sqlite"
"""What the assistant keeps, in its session's workspace."""


def assistant_handlers(limits: Limits, sandbox: str | Sandbox) -> HandlerFactory:
    """Return what makes the handlers of a session; what they keep is the file ``assistant.sqlite`` in its workspace."""
    return partial(_make, limits, sandbox)


def _make(limits: Limits, sandbox: str | Sandbox, workspace: Workspace) -> Handlers:
    stores = _Stores(workspace.root / STORE_FILE)
    code = CodeRunner(limits, sandbox)
    real = crud_handlers(lambda: stores.real)
    tried = crud_handlers(lambda: stores.copy)

    return Handlers(
        real | {"execute_code": code.over(real)},
        previews=tried | {"execute_code": code.over(tried)},
        close=stores.close,
    )


class _Stores:
    """The store of a session and its copy for dry runs, each opened when it is first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def real(self) -> AssistantStore:
        return AssistantStore(self._path)

    @cached_property
    def copy(self) -> AssistantStore:
        return AssistantStore.copy_of(self._path)

    def close(self) -> None:
        for opened in (self.__dict__.pop(name, None) for name in ("real", "copy")):
            if isinstance(opened, AssistantStore):
                opened.close()
