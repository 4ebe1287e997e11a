"""The orchestrator's seven actions.

The original document names all seven and shows the fields of four: ``create_issues``, ``invoke_cheenoski``,
``update_plan``, ``create_branch``. The fields of ``request_info``, ``escalate`` and ``request_review`` are ours.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from actionledger.actions.catalogue import Action, Catalogue


class Issue(BaseModel):
    """One issue to file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    title: str = Field(min_length=1, description="The issue's title.")
    body: str = Field(description="What is to be done, as Markdown; it may be empty.")
    labels: list[str] = Field(description="The issue's labels; the list may be empty.")


class CreateIssues(Action):
    """File issues for the work to be done."""

    example = {
        "issues": [
            {
                "title": "Search finds accented names",
                "body": "Fold accents on both sides before comparing.",
                "labels": ["search"],
            }
        ]
    }
    action: Literal["create_issues"]
    issues: list[Issue] = Field(min_length=1, description="The issues, at least one.")


class InvokeCheenoski(Action):
    """Hand the issues of one label to Cheenoski, who works them off."""

    example = {"label": "search"}
    action: Literal["invoke_cheenoski"]
    label: str = Field(min_length=1, description="The label of the issues.")


class UpdatePlan(Action):
    """Replace the plan."""

    example = {"plan": "First the index, then the search page."}
    action: Literal["update_plan"]
    plan: str = Field(min_length=1, description="The whole plan from now on.")


class RequestInfo(Action):
    """Ask for something that the work can't go on without."""

    example = {"question": "Which database is in use?"}
    action: Literal["request_info"]
    question: str = Field(min_length=1, description="The question.")
    context: str = Field(default="", description="What one has to know to answer it.")


class Escalate(Action):
    """Hand a decision to the layer above."""

    example = {"reason": "The two requirements contradict each other."}
    action: Literal["escalate"]
    reason: str = Field(min_length=1, description="Why it can't be decided here.")
    context: str = Field(default="", description="What one has to know to decide it.")


class RequestReview(Action):
    """Ask for a review of finished work."""

    example = {"target": "search/accents", "notes": "Mind the size of the index."}
    action: Literal["request_review"]
    target: str = Field(min_length=1, description="What to review: a branch, a pull request, a plan.")
    notes: str = Field(default="", description="What the reviewer should look at.")


class CreateBranch(Action):
    """Create a branch for a piece of work."""

    example = {"branch_name": "search/accents", "from": "main"}
    action: Literal["create_branch"]
    branch_name: str = Field(min_length=1, description="The new branch's name.")
    from_branch: str = Field(
        default="main", alias="from", min_length=1, description="The branch to start from."
    )


CATALOGUE = Catalogue(
    name="orchestrator",
    discriminator="action",
    actions=(
        CreateIssues,
        InvokeCheenoski,
        UpdatePlan,
        RequestInfo,
        Escalate,
        RequestReview,
        CreateBranch,
    ),
)
