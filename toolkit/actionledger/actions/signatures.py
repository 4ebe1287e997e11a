"""Makes an action's model from a function: its arguments become fields, and its docstring tells the language model what it does."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, cleandoc
from textwrap import dedent
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args, get_origin

from pydantic import Field, create_model
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError, to_json

from actionledger.actions.catalogue import Action
from actionledger.actions.schemas import Arguments
from actionledger.core.errors import UsageError
from actionledger.core.patterns import regex

AnyFunction: TypeAlias = Callable[..., Any]

DISCRIMINATOR = "type"

_SECTION = regex(r"^(Args|Arguments|Parameters|Returns|Raises|Yields|Examples?|Notes?):[ \t]*$", re.MULTILINE)
_ARGUMENT = regex(r"^(\w+)(?: *\([^)\n]*\))?: *(.*(?:\n[ \t]+.*)*)", re.MULTILINE)


class FunctionAction(Action):
    """The base of the models that are made of functions."""

    argument_names: ClassVar[Mapping[str, str]]
    """The function's argument name for each field."""

    @classmethod
    def model_validate(cls, obj: Any, **settings: Any) -> Self:
        """Validate arguments as JSON, strictly: a date may be a text, since JSON has no other way."""
        try:
            text = to_json(obj, inf_nan_mode="constants")
        except (PydanticSerializationError, ValueError):  # a lone surrogate, or too deep
            return super().model_validate(obj, **settings)
        return super().model_validate_json(text, strict=settings.get("strict"))

    def given(self) -> dict[str, Any]:
        """Return the arguments by the function's names for them."""
        return {argument: getattr(self, field) for field, argument in self.argument_names.items()}


def action_model(
    function: AnyFunction, *, name: str, example: Arguments, group: str = "", besides: type | None = None
) -> type[FunctionAction]:
    """Return the model of the action that a function runs.

    An argument's text in the docstring's section ``Args:`` is the field's description, unless its own ``Field`` has one.

    Args:
        function: runs the action; its arguments are annotated, and its docstring describes the action.
        name: the action's name.
        example: correct arguments; the catalogue checks them.
        group: the action's group.
        besides: the type of an argument that the language model does not give, such as a context.

    Raises:
        UsageError: the function has no docstring, or an argument that can't be a field; the text names it and a remedy.
    """
    if inspect.iscoroutinefunction(function):
        raise _refusal(
            function, "is a coroutine function; write a plain one, that calls asyncio.run for example"
        )
    meaning, meanings = _documented(function.__doc__ or "")
    if not meaning:
        raise _refusal(
            function, "has no docstring; its first sentence tells the language model what the action does"
        )
    arguments = [each for each in _arguments(function) if each.annotation is not besides]
    for argument in arguments:
        if why := _why_no_field(argument):
            raise _refusal(function, why)
    try:
        fields = {_field_name(each.name): _field(each, meanings.get(each.name)) for each in arguments}
        model = create_model(
            function.__name__,
            __base__=FunctionAction,
            __doc__=meaning,
            __module__=function.__module__,
            **{DISCRIMINATOR: (Literal[name], ...), **fields},
        )
    except (PydanticUserError, TypeError, AttributeError) as error:
        raise _refusal(function, f"can't be made into an action: {str(error).splitlines()[0]}") from error
    model.argument_names = {_field_name(each.name): each.name for each in arguments}
    model.example = example
    model.group = group
    return model


def argument_of_type(function: AnyFunction, kind: type) -> str | None:
    """Return the name of the argument that is annotated with a type; None if there is none."""
    return next((each.name for each in _arguments(function) if each.annotation is kind), None)


def _refusal(function: AnyFunction, why: str) -> UsageError:
    return UsageError(f"The function {function.__qualname__!r} {why}.")


def _arguments(function: AnyFunction) -> Sequence[Parameter]:
    try:
        return tuple(inspect.signature(function, eval_str=True).parameters.values())
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        why = f"has an annotation that can't be read: {error}; import what it names, or define that before"
        raise _refusal(function, why) from error


def _why_no_field(argument: Parameter) -> str:
    """Return why an argument can't be a field, as a clause; empty if it can."""
    name = argument.name
    if argument.kind is Parameter.POSITIONAL_ONLY:
        return f"takes {name!r} by position, and language models give arguments by name; leave out the '/'"
    if argument.kind in {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD}:
        stars = "*" if argument.kind is Parameter.VAR_POSITIONAL else "**"
        return f"takes '{stars}{name}'; name each argument, so that the language model can be told of it"
    if argument.annotation is Parameter.empty:
        return f"doesn't say what {name!r} is; annotate it, as in '{name}: str'"
    if name == DISCRIMINATOR:
        return f"has an argument {name!r}, and that is where a response names the action; call it otherwise"
    return ""


def _field_name(argument: str) -> str:
    """Return a field name that doesn't clash with models' attributes; the argument's own name becomes its alias."""
    is_taken = hasattr(FunctionAction, argument) or argument.startswith(("_", "model_"))
    return f"field_{argument}" if is_taken or argument == "argument_names" else argument


def _field(argument: Parameter, meaning: str | None) -> Any:
    alias = argument.name if _field_name(argument.name) != argument.name else None
    annotated: Any = Annotated  # a plain value here, which type checkers would treat as a type
    kind, *metadata = (
        get_args(argument.annotation)
        if get_origin(argument.annotation) is Annotated
        else [argument.annotation]
    )
    # The annotation's own metadata comes later, and so wins.
    annotation = annotated[kind, Field(description=meaning, alias=alias), *metadata]
    return annotation, ... if argument.default is Parameter.empty else argument.default


def _documented(docstring: str) -> tuple[str, dict[str, str]]:
    """Return a docstring's text without its sections, and its text for each argument."""
    meaning, *rest = _SECTION.split(cleandoc(docstring))
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    of_arguments = next(
        (text for title, text in sections.items() if title in {"Args", "Arguments", "Parameters"}), ""
    )
    found = _ARGUMENT.findall(dedent(of_arguments))
    return meaning.strip(), {name: _sentence(text) for name, text in found if text.strip()}


def _sentence(text: str) -> str:
    """Return a text as one line, with the capital and the full stop of a sentence, since prompts show it alone."""
    text = " ".join(text.split())
    end = "" if text.endswith((".", "?", "!", "…")) else "."
    return f"{text[0].upper()}{text[1:]}{end}"
