"""The seven actions as a model asks for them: in a block, through a session."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import UnknownNameError
from actionledger.core.values import Observation
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.profiles.orchestrator import ORCHESTRATOR
from actionledger.profiles.orchestrator.handlers import orchestrator_handlers, orchestrator_settings, set_up
from actionledger.profiles.orchestrator.request_queue import FILE, OrchestratorStore, RequestQueue
from actionledger.profiles.orchestrator.tracker import Tracker
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.workspace import Workspace

ISSUE = {"title": "Accents", "body": "Fold them.", "labels": ["search"]}
Do = Callable[..., Observation]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    return made


@pytest.fixture
def do(folder: Path, repository: Path, said: Callable[..., str]) -> Iterator[Do]:
    """Runs one action in an automatic session whose branches are created in the test's repository."""
    set_up(folder, repository=repository)
    with al.Runtime("orchestrator", workspace=folder, auto=True) as runtime:

        def act(name: str, **fields: Any) -> Observation:
            (observation,) = runtime.handle(said({"action": name} | fields)).observations
            return observation

        yield act


@pytest.fixture
def kept(folder: Path) -> Iterator[OrchestratorStore]:
    """What the session keeps, as somebody else sees it."""
    store = OrchestratorStore(folder / FILE)
    yield store
    store.close()


def test_issues_are_filed_and_handed_to_the_runner(do, kept):
    """The numbers of the issues come back; the job holds them, and a second one has nothing left to do."""
    assert do("create_issues", issues=[ISSUE, ISSUE | {"labels": []}]).result == {"numbers": [1, 2]}
    assert [issue.title for issue in Tracker(kept).issues()] == ["Accents", "Accents"]
    handed = {"job": 1, "label": "search", "state": "queued", "issues": [1]}
    assert do("invoke_cheenoski", label="search").result == handed
    again = do("invoke_cheenoski", label="search")
    assert (again.status, again.reason) == (ExecutionStatus.FAILED, Reason.NOT_FOUND)
    assert Tracker(kept).take().issues == (1,)


def test_the_plan_is_kept_with_its_history(do, kept):
    """Each update is a version, the old ones stay."""
    assert do("update_plan", plan="First.").result == {"version": 1}
    assert do("update_plan", plan="Second.").result == {"version": 2}
    assert [plan.text for plan in RequestQueue(kept).plans()] == ["First.", "Second."]


@pytest.mark.parametrize(
    ("name", "fields", "kind"),
    [
        ("request_info", {"question": "Which?", "context": "Two."}, "info"),
        ("escalate", {"reason": "Which?", "context": "Two."}, "escalation"),
        ("request_review", {"target": "Which?", "notes": "Two."}, "review"),
    ],
)
def test_a_person_is_asked(do, kept, name, fields, kind):
    """The request waits in the queue, with what one has to know."""
    assert do(name, **fields).result == {"request": 1, "state": "waits for an answer"}
    (request,) = RequestQueue(kept).requests(waiting=True)
    assert (request.kind, request.subject, request.context) == (kind, "Which?", "Two.")


def test_a_branch_is_created_in_the_repository_of_the_workspace(do, git):
    """The result has the commit, and whether it is new."""
    made = do("create_branch", branch_name="search/accents").result
    assert made == {
        "branch": "search/accents",
        "commit": git("rev-parse", "search/accents"),
        "from": "main",
        "created": True,
    }
    assert do("create_branch", branch_name="search/accents").result == made | {"created": False}
    refused = do("create_branch", branch_name="--force")
    assert (refused.status, refused.reason) == (ExecutionStatus.FAILED, Reason.BAD_FORMAT)


def test_a_workspace_that_is_a_repository_is_the_repository(repository, git, said):
    with al.Runtime("orchestrator", workspace=repository, auto=True) as runtime:
        turn = runtime.handle(said({"action": "create_branch", "branch_name": "x"}))
    assert turn.observations[0].status is ExecutionStatus.SUCCEEDED
    assert git("rev-parse", "x")


def test_without_a_repository_nothing_creates_a_branch(folder, said):
    """The action is understood and not done."""
    with al.Runtime("orchestrator", workspace=folder, auto=True) as runtime:
        turn = runtime.handle(said({"action": "create_branch", "branch_name": "x"}))
    assert turn.observations[0].reason is Reason.NO_HANDLER


def test_a_repository_that_is_gone_is_said(folder, tmp_path, said):
    """A workspace set up with one that isn't there fails with a sentence for the model."""
    set_up(folder, repository=tmp_path / "gone")
    with al.Runtime("orchestrator", workspace=folder, auto=True) as runtime:
        (observation,) = runtime.handle(said({"action": "create_branch", "branch_name": "x"})).observations
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.NOT_FOUND)
    assert "no git repository" in observation.message


def test_a_dry_run_says_what_would_be_done_and_does_nothing(folder, repository, git, said):
    """Issues, jobs and branches are described; nothing is kept and no branch is there."""
    set_up(folder, repository=repository)
    text = said(
        {"action": "create_issues", "issues": [ISSUE]},
        {"action": "create_branch", "branch_name": "x"},
        {"action": "invoke_cheenoski", "label": "search"},
        {"action": "update_plan", "plan": "P"},
        {"action": "create_branch", "branch_name": "x", "from": "nowhere"},
    )
    with al.Runtime("orchestrator", workspace=folder, auto=True, dry_run=True) as runtime:
        observations = runtime.handle(text).observations
    assert {each.status for each in observations} == {ExecutionStatus.DRY_RUN}
    issues, branch, job, plan, nowhere = observations
    assert issues.result == {"would_file": ["Accents"]}
    assert branch.result == {
        "would_create": {"name": "x", "commit": git("rev-parse", "main"), "base": "main", "is_new": True}
    }
    assert "It would fail. No open issue" in job.message
    assert plan.message == "It would run update_plan with the arguments given."
    assert "'nowhere'" in nowhere.message
    store = OrchestratorStore(folder / FILE)
    assert (Tracker(store).issues(), RequestQueue(store).plans()) == ([], [])
    store.close()
    assert git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_a_handler_can_be_replaced(folder, said):
    """The caller's own runs instead of ours, and no preview speaks for it."""
    filed: list[str] = []

    def elsewhere(action: Any, _context: Any) -> dict[str, str]:
        filed.extend(issue.title for issue in action.issues)
        return {"url": "https://example.org/1"}

    def handlers(workspace: Workspace) -> Handlers:
        return orchestrator_handlers(workspace, instead={"create_issues": elsewhere})

    profile = replace(
        ORCHESTRATOR, handlers=handlers, execution_settings=orchestrator_settings({"create_issues"})
    )
    with al.Runtime(profile, workspace=folder, auto=True) as runtime:
        (observation,) = runtime.handle(said({"action": "create_issues", "issues": [ISSUE]})).observations
    assert observation.result == {"url": "https://example.org/1"}
    assert filed == ["Accents"]
    assert not profile.execution_settings.of("create_issues").idempotent
    assert profile.execution_settings.of("update_plan").idempotent
    assert "create_issues" not in handlers(Workspace(folder)).previews


def test_a_handler_of_no_action_is_refused(folder):
    with pytest.raises(UnknownNameError, match="Did you mean 'create_issues'"):
        orchestrator_handlers(Workspace(folder), instead={"create_issue": lambda _action, _context: None})


def test_a_layer_under_another_one_escalates_to_it(folder, said):
    """No person is asked; the result says who decides."""
    profile = replace(
        ORCHESTRATOR,
        handlers=lambda workspace: orchestrator_handlers(workspace, layer="eng-lead", above="2ic"),
    )
    with al.Runtime(profile, workspace=folder) as runtime:
        (observation,) = runtime.handle(said({"action": "escalate", "reason": "Both."})).observations
    assert observation.result == {"handed_to": "2ic"}
    assert not (folder / FILE).exists()


def test_what_was_queued_is_run_from_the_record_once_it_is_approved(tmp_path, folder, repository, git, said):
    """An approval from another process finds the repository and the policy again."""
    set_up(folder, repository=repository)
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        with al.Runtime("orchestrator", ledger=ledger, workspace=folder) as runtime:
            turn = runtime.handle(said({"action": "create_branch", "branch_name": "x"}))
            assert turn.observations[0].status is ExecutionStatus.PENDING
        with al.Runtime.reopen(ledger, turn.session_id) as runtime:
            resumed = runtime.resume(turn.turn_id, {0: al.Decision(al.DecisionKind.APPROVED, by="ada")})
    assert resumed.observations[0].status is ExecutionStatus.SUCCEEDED
    assert git("rev-parse", "x")
