"""The reasoner's 12 actions; each takes the situational details that it should focus on."""

from inspect import cleandoc
from typing import ClassVar, Literal

from pydantic import Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from actionledger.actions.catalogue import Action, Catalogue
from actionledger.profiles.reasoner.store import PARTS, SPEECH, THOUGHTS


class ReasonerAction(Action):
    """An action of the persona, planned with what it should focus on."""

    context_description: ClassVar[str]
    """What the planner should put into the context; the field's description in schemas and prompts."""

    reads: ClassVar[frozenset[str]] = frozenset()
    """The parts of the persona that its executor looks at; see ``persona.PARTS``."""

    writes: ClassVar[frozenset[str]] = frozenset()
    """The parts that it changes; two actions run side by side only where neither changes what the other looks at."""

    context: str
    id: str | None = Field(
        default=None, min_length=1, description="A name for this action that others can refer to."
    )
    depends_on: list[str] = Field(
        default=[], description="The ids of the actions that must succeed before this one."
    )

    @classmethod
    def get_action_description(cls) -> str:
        """Return what the action does."""
        return cleandoc(cls.__doc__ or "")

    @classmethod
    def get_context_description(cls) -> str:
        """Return what the planner should put into the action's context."""
        return cls.context_description

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the schema of the action with its own description of the context."""
        made = handler(schema)
        handler.resolve_ref_schema(made)["properties"]["context"]["description"] = cls.context_description
        return made


class StateAction(ReasonerAction):
    """An action that changes the persona's state."""

    group = "State"


class Think(ReasonerAction):
    """Work out what one feels about the situation and what it means."""

    group = "Thinking"
    context_description = (
        "What to think through: a feeling, the relationship with the user, or a detail that is not clear yet."
    )
    example = {"context": "Why the user's tone changed, and what they may need now."}
    reads = PARTS
    writes = frozenset({THOUGHTS})
    action: Literal["think"]


class UpdateMood(StateAction):
    """Take on another mood, or feel the present one more or less strongly."""

    context_description = "Which mood to change to, how strongly it is felt, and what caused it."
    example = {"context": "From calm to worried, medium intensity, after the news about the journey."}
    reads = frozenset({"mood", THOUGHTS})
    writes = frozenset({"mood"})
    action: Literal["update_mood"]


class AddMemory(StateAction):
    """Keep something worth remembering."""

    context_description = "The detail to remember, and why it matters."
    example = {"context": "The user's sister is called Ada; they talk every week."}
    reads = frozenset({"memories", THOUGHTS})
    writes = frozenset({"memories"})
    action: Literal["add_memory"]


class RemoveMemory(StateAction):
    """Forget a memory."""

    context_description = "Which memory to forget, and why it no longer holds."
    example = {"context": "The old address, since the user has moved."}
    reads = frozenset({"memories", THOUGHTS})
    writes = frozenset({"memories"})
    action: Literal["remove_memory"]


class UpdateAppearance(StateAction):
    """Look different."""

    context_description = "What changes about looks, clothing, posture or expression."
    example = {"context": "Put on a raincoat and tie the hair back."}
    reads = frozenset({"appearance", THOUGHTS})
    writes = frozenset({"appearance"})
    action: Literal["update_appearance"]


class UpdateEnvironment(StateAction):
    """Move to another place or time, or change what is there."""

    context_description = "What changes about the place, the time or the things around."
    example = {"context": "From the kitchen to the garden; it is evening."}
    reads = frozenset({"environment", THOUGHTS})
    writes = frozenset({"environment"})
    action: Literal["update_environment"]


class AddGoal(StateAction):
    """Take up a goal."""

    context_description = "The goal, and what makes it worth pursuing."
    example = {"context": "Help the user to finish the garden plan this week."}
    reads = frozenset({"goals", THOUGHTS})
    writes = frozenset({"goals"})
    action: Literal["add_goal"]


class RemoveGoal(StateAction):
    """Let go of a goal, reached or given up."""

    context_description = "Which goal to let go of, and why."
    example = {"context": "The garden plan is finished."}
    reads = frozenset({"goals", THOUGHTS})
    writes = frozenset({"goals"})
    action: Literal["remove_goal"]


class AddDesire(StateAction):
    """Want something right now."""

    context_description = "What is wanted, and what brought it up."
    example = {"context": "To hear how the user's first day went."}
    reads = frozenset({"desires", THOUGHTS})
    writes = frozenset({"desires"})
    action: Literal["add_desire"]


class RemoveDesire(StateAction):
    """Let go of a desire, fulfilled or given up."""

    context_description = "Which desire to let go of, and why."
    example = {"context": "The user told about the first day."}
    reads = frozenset({"desires", THOUGHTS})
    writes = frozenset({"desires"})
    action: Literal["remove_desire"]


class Speak(ReasonerAction):
    """Say something to the user."""

    group = "Speaking"
    context_description = "What to say, in which tone, and what to answer to."
    example = {"context": "Comfort the user and ask what happened, warmly and briefly."}
    reads = PARTS
    writes = frozenset({SPEECH})
    action: Literal["speak"]


class Done(ReasonerAction):
    """End the sequence."""

    group = "The sequence"
    context_description = "Nothing, or why the sequence is complete."
    example = {}
    reads = PARTS
    writes = PARTS
    action: Literal["done"]
    context: str = ""


CATALOGUE = Catalogue(
    name="reasoner",
    discriminator="action",
    references=True,
    actions=(
        Think,
        UpdateMood,
        AddMemory,
        RemoveMemory,
        UpdateAppearance,
        UpdateEnvironment,
        AddGoal,
        RemoveGoal,
        AddDesire,
        RemoveDesire,
        Speak,
        Done,
    ),
)
"""All of them."""

SILENT_CATALOGUE = Catalogue(
    name="reasoner-silent",
    discriminator="action",
    references=True,
    actions=tuple(action for action in CATALOGUE.actions if action is not Speak),
)
"""For a persona that only thinks and changes."""
