"""What a schema allows, in words."""

import pytest

from actionledger.actions.schemas import allowed_values, child, field_names, in_words

ROOT = {
    "$defs": {
        "Part": {"type": "object", "properties": {"title": {"type": "string"}, "size": {"type": "integer"}}},
        "Chain": {"type": "array", "items": {"$ref": "#/$defs/Chain"}},
        "Itself": {"$ref": "#/$defs/Itself"},
    },
    "definitions": {"Old": {"type": "integer"}},
}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "minLength": 1}, "string of at least 1 character"),
        ({"type": "string", "minLength": 2}, "string of at least 2 characters"),
        ({"type": "string", "maxLength": 9}, "string of at most 9 characters"),
        ({"type": "string", "minLength": 1, "maxLength": 9}, "string of 1 to 9 characters"),
        ({"type": "string", "pattern": "^a"}, "string matching ^a"),
        ({"type": "string", "format": "date"}, "string (date)"),
        ({"type": "integer", "exclusiveMinimum": 0}, "integer greater than 0"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "integer from 1 to 9"),
        ({"type": "number", "minimum": 0, "exclusiveMaximum": 1}, "number at least 0 and less than 1"),
        ({"type": "integer", "multipleOf": 5}, "integer a multiple of 5"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "array"}, "array"),
        ({"type": "array", "items": {"type": "string"}}, "array (each: string)"),
        (
            {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Part"}},
            "array of at least 1 item (each: object with title, size)",
        ),
        ({"$ref": "#/$defs/Chain"}, "array (each: array)"),
        ({"type": "object"}, "object"),
        ({"enum": ["a", "b"]}, "one of: a, b"),
        ({"const": "a"}, "one of: a"),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, "one of: a or null"),
        ({"type": ["string", "null"], "minLength": 1}, "string of at least 1 character or null"),
        ({"type": ["string", "null"], "enum": ["a", None]}, "one of: a, null"),
        ({"enum": ["", " b", True, 2]}, 'one of: "", " b", true, 2'),
        ({"type": "array", "uniqueItems": True, "items": True}, "array of different items (each: any value)"),
        ({"$ref": "#/$defs/Part"}, "object with title, size"),
        ({"$ref": "#/definitions/Old"}, "integer"),
        ({"$ref": "#/$defs/Nowhere"}, "any value"),
        ({"$ref": "#/$defs/Itself"}, "any value"),
        ({}, "any value"),
    ],
)
def test_a_schema_is_put_into_words(schema, words):
    """Each kind of schema has its few words."""
    assert in_words(schema, ROOT) == words


def test_child_leads_through_references_unions_and_arrays():
    """The schema at a path is found wherever pydantic may have put it."""
    schema = {"properties": {"parts": {"anyOf": [{"type": "null"}, {"items": {"$ref": "#/$defs/Part"}}]}}}
    parts = child(schema, "parts", ROOT)
    assert child(child(parts, 0, ROOT), "size", ROOT) == {"type": "integer"}
    assert child(schema, "nope", ROOT) is None
    assert child({"additionalProperties": {"type": "string"}}, "any", ROOT) == {"type": "string"}
    assert child({"additionalProperties": False}, "any", ROOT) is None
    assert child({"prefixItems": [{"type": "string"}, {"type": "null"}]}, 1, ROOT) == {"type": "null"}


def test_fields_and_values_are_gathered_from_every_branch():
    """A union offers what any of its branches offers."""
    schema = {"anyOf": [{"$ref": "#/$defs/Part"}, {"properties": {"size": {}, "name": {}}}]}
    assert field_names(schema, ROOT) == ("title", "size", "name")
    assert allowed_values({"anyOf": [{"enum": ["a", "b"]}, {"const": "c"}]}, ROOT) == ("a", "b", "c")
