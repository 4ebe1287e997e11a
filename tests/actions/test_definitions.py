"""Tools whose parameters are nearly a JSON Schema, or none."""

import math

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.actions.definitions import TYPES
from actionledger.actions.tools import ToolCatalogue, ToolWarning
from actionledger.actions.validation import check_action
from actionledger.core.values import RawAction, Span
from actionledger.core.vocabulary import ActionStatus, Reason

pytestmark = pytest.mark.filterwarnings("ignore::actionledger.actions.tools.ToolWarning")


def catalogue(parameters):
    return ToolCatalogue.of([{"name": "f", "parameters": parameters}])


def status(parameters, **arguments):
    return check_action(RawAction("f", arguments, Span(0, 1), "test", 0), catalogue(parameters)).status


RIGHT = {
    "string": "x",
    "integer": 3,
    "number": 0.5,
    "boolean": True,
    "array": [1],
    "object": {"a": 1},
    "null": None,
}
SPELLINGS = [(alias, kind) for kind, aliases in TYPES.items() for alias in aliases.split()]


@pytest.mark.parametrize(("alias", "kind"), SPELLINGS)
def test_the_types_of_other_languages_are_known(alias, kind):
    """In any case and with blanks around: what fits is valid, what doesn't is refused, and there is no warning."""
    for spelled in (alias, alias.upper(), f" {alias} "):
        schema = {"type": "dict", "properties": {"x": {"type": spelled}}}
        assert catalogue(schema).warnings == ()
        for other, value in RIGHT.items():
            fits = kind in {"", other} or (kind, other) == ("number", "integer")
            found = status(schema, x=value)
            assert (found is ActionStatus.VALID) is fits or found is ActionStatus.COERCED, (spelled, other)


@pytest.mark.parametrize(
    ("spelled", "right", "wrong"),
    [
        ("List<String>", ["a"], {"a": 1}),
        ("String[]", ["a"], {"a": 1}),
        ("dict[str, Any]", {"a": 1}, [1]),
        ("typing.List[int]", [1], {"a": 1}),
        ("java.util.HashMap", {"a": 1}, [1]),
        (["String", "null"], None, [1]),
    ],
)
def test_generic_types_are_known_by_what_they_hold_together(spelled, right, wrong):
    """What they are of is not checked."""
    schema = {"type": "object", "properties": {"x": {"type": spelled}}}
    assert catalogue(schema).warnings == ()
    assert status(schema, x=right) is ActionStatus.VALID
    assert status(schema, x=wrong) is ActionStatus.INVALID


LOOP = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}}
DEEP = {}
for _ in range(5_000):
    DEEP = {"type": "array", "items": DEEP}


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ([1], "list"),
        ("none", "str"),
        (5, "int"),
        ({"city": {"type": "string"}}, "no keyword"),
        ({"type": "strin"}, "'strin'"),
        ({"type": "array", "items": {}}, "always an object"),
        ({"type": 7}, "7"),
        ({"properties": []}, "[]"),
        ({"properties": {"x": "string"}}, "properties.x"),
        ({"properties": {"x": {"type": "gadget"}}}, "'gadget'"),
        ({"properties": {"x": {"pattern": "["}}}, "'['"),
        ({"properties": {"x": {"minLength": "many"}}}, "'many'"),
        ({"properties": {"x": {"minimum": "low", "maximum": "high"}}}, "'low'"),
        ({"properties": {"x": {"enum": "red"}}}, "'red'"),
        ({"properties": {"x": {"multipleOf": 0}}}, "0"),
        ({"properties": {"x": {"required": True}}}, "True"),
        ({"required": "x"}, "'x'"),
        ({"required": ["x", 5, 6]}, "5"),
        ({"properties": {"x": {"$ref": "http://example.org/x"}}}, "is not in them"),
        ({"properties": {"x": {"$ref": "#/$defs/x"}}}, "is not in them"),
        ({"properties": {"x": {"$ref": 5}}}, "5"),
        ({"properties": {"x": {"$ref": "#/properties/x"}}}, "leads back to itself"),
        (LOOP | {"properties": {"x": {"$ref": "#/$defs/a"}}}, "leads back to itself"),
        ({"$ref": "#"}, "leads back to itself"),
        ({"properties": {"x": {"$dynamicRef": "#node"}}}, "only $ref"),
        ({"properties": {"x": DEEP}}, "nested deeper"),
        ({"properties": {"x": {"anyOf": []}}}, "[]"),
    ],
)
def test_what_can_not_be_read_is_a_warning_and_not_checked(parameters, said):
    """The catalogue has it, Python warns of it, and the rest of the tool is checked on."""
    with pytest.warns(ToolWarning, match="The parameters of the tool 'f'"):
        found = catalogue(parameters)
    assert any(said in warning for warning in found.warnings)
    assert found.describe()[0].name == "f"
    for value in (1, "a", [1], {"a": {"a": 1}}, None):
        raw = RawAction("f", {"x": value, "": 1}, Span(0, 1), "test", 0)
        assert check_action(raw, found).reason is not Reason.TOO_DEEP


def test_the_rest_of_a_schema_is_checked():
    """One wrong word costs one check."""
    schema = {"properties": {"x": {"type": "gadget"}, "y": {"type": "int"}}, "required": ["y"]}
    assert status(schema, x="anything", y=1) is ActionStatus.VALID
    assert status(schema, x="anything") is ActionStatus.INVALID
    assert status(schema, y=[1]) is ActionStatus.INVALID


def test_a_reference_that_leads_into_the_value_may_go_round():
    """A tree is a schema like any other."""
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}}
    assert catalogue(tree).warnings == ()
    assert status(tree, kids=[{"kids": []}]) is ActionStatus.VALID
    assert status(tree, kids=[{"kids": {"x": 1}}]) is ActionStatus.INVALID


@pytest.mark.parametrize("given", [{}, {"parameters": None}, {"parameters": {}}])
def test_a_tool_without_parameters_has_nothing_to_warn_of(given):
    found = ToolCatalogue.of([{"name": "f"} | given])
    assert found.warnings == ()
    assert check_action(RawAction("f", {"x": 1}, Span(0, 1), "test", 0), found).status is ActionStatus.VALID


def test_a_tool_that_the_provider_runs_is_left_out():
    """It has no name and no call of it comes here."""
    found = ToolCatalogue.of([{"type": "web_search"}, {"name": "f"}])
    assert found.names == ("f",)
    assert "'web_search'" in found.warnings[0]


@pytest.mark.parametrize(
    "tool",
    [
        {"googleSearch": {}},
        {"google_search": {}},
        {"codeExecution": {}},
        {"fileSearch": {"fileSearchStoreNames": ["a"]}},
        {"cachePoint": {"type": "default"}},
        {"systemTool": {"name": "nova_grounding"}},
    ],
)
def test_so_is_one_that_has_a_key_in_place_of_a_name(tool):
    """Gemini's and Bedrock's interfaces write them so."""
    found = ToolCatalogue.of([tool, {"functionDeclarations": [{"name": "f"}]}])
    assert found.names == ("f",)
    assert next(iter(tool)) in found.warnings[0]


def test_the_values_that_an_array_allows_are_those_of_its_items():
    """No list is one of them, so nothing else can be meant."""
    schema = {"properties": {"x": {"type": "array", "items": {"type": "string"}, "enum": ["a", "b"]}}}
    assert status(schema, x=["a"]) is ActionStatus.VALID
    assert status(schema, x=["c"]) is ActionStatus.INVALID


def test_a_field_that_openapi_calls_nullable_may_be_null():
    """Gemini's declarations are written so."""
    schema = {"type": "OBJECT", "properties": {"x": {"type": "STRING", "nullable": True}}}
    assert status(schema, x=None) is ActionStatus.VALID


def test_cohere_s_fields_are_a_schema():
    """Its first interface lists them one by one."""
    fields = {"x": {"type": "str", "required": True}, "y": {"type": "int"}}
    found = ToolCatalogue.of([{"name": "f", "parameter_definitions": fields}])
    raw = RawAction("f", {"y": 1}, Span(0, 1), "test", 0)
    assert [error.path for error in check_action(raw, found).errors] == ["x"]


WORDS = st.sampled_from(
    [
        "type",
        "properties",
        "items",
        "required",
        "anyOf",
        "allOf",
        "oneOf",
        "$ref",
        "$defs",
        "enum",
        "pattern",
        "x",
        "additionalProperties",
        "minLength",
        "minItems",
        "multipleOf",
        "minimum",
        "const",
        "default",
        "prefixItems",
        "patternProperties",
        "dependentRequired",
        "not",
        "if",
        "exclusiveMaximum",
        "format",
        "nullable",
        "examples",
    ]
)
VALUES = st.sampled_from(
    [
        "string",
        "object",
        "array",
        "HashMap",
        "x",
        "[",
        "#",
        "#/properties/x",
        "#/$defs/x",
        "#/anyOf/0",
        "",
        "email",
        0,
        1,
        -1,
        0.5,
        10**400,
        math.inf,
        math.nan,
        True,
        None,
        "number",
    ]
)
SCHEMAS = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=examples(300))
@given(parameters=SCHEMAS, arguments=st.dictionaries(WORDS, SCHEMAS, max_size=2), strings=st.booleans())
def test_no_definition_and_no_call_of_it_raises(parameters, arguments, strings):
    """Whatever stands where a schema belongs, the tool is offered, described, and its calls are checked."""
    found = catalogue(parameters)
    assert found.describe()[0].name == "f"
    call = check_action(RawAction("f", arguments, Span(0, 1), "test", 0, strings_only=strings), found)
    assert call.status in {ActionStatus.VALID, ActionStatus.COERCED, ActionStatus.INVALID}
