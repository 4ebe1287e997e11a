"""Handlers of the orchestrator's actions without external services: tracker, job queue, plan, request queue, git branches."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from actionledger.core.errors import ActionError, UnknownNameError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.orchestrator.actions import (
    CATALOGUE,
    CreateBranch,
    CreateIssues,
    Escalate,
    InvokeCheenoski,
    RequestInfo,
    RequestReview,
    UpdatePlan,
)
from actionledger.profiles.orchestrator.request_queue import (
    FILE,
    OrchestratorStore,
    RequestKind,
    RequestQueue,
)
from actionledger.profiles.orchestrator.tracker import Tracker
from actionledger.runtime.commands import LONGEST_NAME, References, has_repository, is_branch_name
from actionledger.runtime.execution.handlers import Context, Handler, Handlers
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings
from actionledger.runtime.workspace import Workspace

_SHOWN_BRANCHES = 20


class Branch(NamedTuple):
    """An existing branch."""

    name: str
    commit: str  # the full hash of its commit
    base: str  # the name of the branch from which it starts
    is_new: bool  # whether it was just created


class Repository:
    """One repository on this machine."""

    def __init__(self, path: Path) -> None:
        self._references = References(path)

    def planned(self, name: str, base: str) -> Branch:
        """Return the branch that ``create`` would leave, without changing anything."""
        self._check_repository()
        self._check_name(name)
        self._check_name(base)
        commit = self._references.commit(f"refs/heads/{base}") or self._references.commit(
            f"refs/remotes/{base}"
        )
        if commit is None:
            known = (
                ", ".join(self._references.branches(_SHOWN_BRANCHES)) or "none, for there is no commit yet"
            )
            message = f"There is no branch {base!r} to start from. Branches: {known}."
            raise ActionError(Reason.NOT_FOUND, message)
        existing = self._references.commit(f"refs/heads/{name}")
        if existing not in {None, commit}:
            message = (
                f"The branch {name!r} exists already, at another commit than {base!r}; take another name, "
                f"or leave it as it is."
            )
            raise ActionError(Reason.ALREADY_EXISTS, message)
        return Branch(name, commit, base, existing is None)

    def create(self, name: str, base: str) -> Branch:
        """Create a branch; an existing one at the same commit stays unchanged."""
        branch = self.planned(name, base)
        if branch.is_new:
            complaint = self._references.create(f"refs/heads/{name}", branch.commit)
            if complaint:
                raise ActionError(Reason.ALREADY_EXISTS, f"Git did not create {name!r}: {complaint}")
        return branch

    def _check_repository(self) -> None:
        why = self._references.why_not()
        if why is not None:
            message = f"There is no git repository for this session{f' ({why})' if why else ''}; go on without a branch, and say so."
            raise ActionError(Reason.NOT_FOUND, message)

    def _check_name(self, name: str) -> None:
        if not is_branch_name(name, self._references.does):
            message = f"{name[:LONGEST_NAME]!r} is not a name of a branch; write it like 'feature/jwt-auth'."
            raise ActionError(Reason.BAD_FORMAT, message)


Result = dict[str, Any]

_REPOSITORY = "repository"


def orchestrator_handlers(
    workspace: Workspace,
    *,
    layer: str = "",
    above: str = "",
    repository: Path | None = None,
    instead: Mapping[str, Handler] | None = None,
) -> Handlers:
    """Return a session's handlers, with their data in ``orchestrator.sqlite`` in its workspace."""
    store = OrchestratorStore(workspace.root / FILE)
    own = _Own(store, layer, above)
    handlers: dict[str, Handler] = {
        "create_issues": own.create_issues,
        "invoke_cheenoski": own.invoke_cheenoski,
        "update_plan": own.update_plan,
        "request_info": own.request_info,
        "escalate": own.escalate,
        "request_review": own.request_review,
    }
    previews: dict[str, Handler] = {
        "create_issues": own.issues_to_create,
        "invoke_cheenoski": own.issues_to_hand_over,
    }
    place = repository or _repository_of(workspace, store)
    if place is not None:
        branches = _Branches(Repository(place))
        handlers["create_branch"] = branches.create
        previews["create_branch"] = branches.planned
    for name, handler in (instead or {}).items():
        if name not in CATALOGUE.names:
            raise UnknownNameError("action", name, CATALOGUE.names)
        handlers[name] = handler
        previews.pop(name, None)
    return Handlers(handlers, previews=previews, close=store.close)


def set_up(folder: Path, *, repository: Path) -> None:
    """Set a workspace's repository, for every session that works there."""
    with OrchestratorStore(folder / FILE) as store:
        store.set(_REPOSITORY, str(repository.resolve()))


def _repository_of(workspace: Workspace, store: OrchestratorStore) -> Path | None:
    known = store.setting(_REPOSITORY)
    if known is not None:
        return Path(known)
    return workspace.root if has_repository(workspace.root) else None


def orchestrator_settings(foreign: Iterable[str] = ()) -> ExecutionSettings:
    """Return the actions' settings: our handlers are idempotent."""
    ours = [name for name in CATALOGUE.names if name not in set(foreign)]
    return ExecutionSettings(tuple((name, ActionSettings(idempotent=True)) for name in ours))


class _Own:
    """The actions on the store."""

    def __init__(self, store: OrchestratorStore, layer: str, above: str) -> None:
        self._tracker = Tracker(store)
        self._queue = RequestQueue(store)
        self._layer = layer
        self._above = above

    def create_issues(self, action: CreateIssues, context: Context) -> Result:
        return {"numbers": self._tracker.file(action.issues, _origin(context))}

    def issues_to_create(self, action: CreateIssues, _context: Context) -> Result:
        return {"would_file": [issue.title for issue in action.issues]}

    def invoke_cheenoski(self, action: InvokeCheenoski, context: Context) -> Result:
        job = self._tracker.queue(action.label, _origin(context))
        return {"job": job.number, "label": job.label, "state": job.state, "issues": list(job.issues)}

    def issues_to_hand_over(self, action: InvokeCheenoski, _context: Context) -> Result:
        return {"would_queue": self._tracker.due(action.label)}

    def update_plan(self, action: UpdatePlan, context: Context) -> Result:
        return {"version": self._queue.plan(action.plan, self._layer, _origin(context)).version}

    def request_info(self, action: RequestInfo, context: Context) -> Result:
        return self._request("info", action.question, action.context, context)

    def escalate(self, action: Escalate, context: Context) -> Result:
        if self._above:
            return {"handed_to": self._above}
        return self._request("escalation", action.reason, action.context, context)

    def request_review(self, action: RequestReview, context: Context) -> Result:
        return self._request("review", action.target, action.notes, context)

    def _request(self, kind: RequestKind, subject: str, background: str, context: Context) -> Result:
        request = self._queue.ask(kind, subject, background, layer=self._layer, origin=_origin(context))
        return {
            "request": request.number,
            "state": ("waits for an answer" if request.answer is None else "answered"),
        }


class _Branches:
    """The action on the repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def create(self, action: CreateBranch, _context: Context) -> Result:
        return _shown(self._repository.create(action.branch_name, action.from_branch))

    def planned(self, action: CreateBranch, _context: Context) -> Result:
        return {"would_create": self._repository.planned(action.branch_name, action.from_branch)._asdict()}


def _shown(branch: Branch) -> Result:
    return {"branch": branch.name, "commit": branch.commit, "from": branch.base, "created": branch.is_new}


def _origin(context: Context) -> str:
    """Return an id of an action that is the same for all its tries, in this session and when it continues."""
    return f"{context.turn_id}/{context.trace_id}"
