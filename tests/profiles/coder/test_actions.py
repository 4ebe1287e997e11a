"""The coder's actions: the document's five and those that it wished for; a tag can write each of them."""

import pytest

from actionledger.core.vocabulary import ActionStatus, Reason
from actionledger.profiles.coder.actions import CATALOGUE
from actionledger.reading.dialects.xml_tags import XmlTags

LEAST = {
    "create_file": {"path": "main.go", "content": ""},
    "execute_command": {"command": "ls"},
    "create_directory": {"path": "pkg"},
    "modify_file": {"path": "main.go", "search": "x", "replace": ""},
    "read_file": {"path": "main.go"},
    "edit_file": {"path": "main.go", "edits": "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"},
    "search_replace": {"path": "main.go", "search": "", "replace": ""},
    "replace_in_file": {"path": "main.go", "pattern": "x", "replacement": ""},
    "delete_file": {"path": "main.go"},
    "move_file": {"path": "main.go", "target": "app.go"},
    "git_status": {},
    "git_diff": {},
    "git_commit": {"message": "x"},
    "git_branch": {"name": "x"},
    "git_push": {"branch": "x"},
}
MAY_BE_EMPTY = {"content", "replace", "replacement", "edits"}
REQUIRED = [(name, field) for name, arguments in LEAST.items() for field in arguments]


def test_the_catalogue_begins_with_the_documented_actions():
    """The five in the document's order, then what it wished for."""
    assert CATALOGUE.names == tuple(LEAST)
    documented = ("create_file", "execute_command", "create_directory", "modify_file", "read_file")
    assert CATALOGUE.names[:5] == documented


def test_the_dialect_has_a_tag_for_every_action_and_field():
    """In the same order as the catalogue, so that neither knows something that the other doesn't."""
    fields = {name: tuple(CATALOGUE.argument_schema(name)["properties"]) for name in CATALOGUE.names}
    tags = {tag: tuple(name for name, _ in of) for tag, of in XmlTags().tags}
    assert {tag: set(of) for tag, of in tags.items()} == {name: set(of) for name, of in fields.items()}


@pytest.mark.parametrize("name", LEAST)
def test_required_fields_are_enough(checked, name):
    """The least arguments are valid without coercion; an empty file and an empty replacement are allowed."""
    assert checked(CATALOGUE, name, LEAST[name], strings_only=True).status is ActionStatus.VALID


def test_a_command_needs_no_description(checked):
    """The description is optional and empty by default."""
    assert checked(CATALOGUE, "execute_command", LEAST["execute_command"]).action.description == ""


@pytest.mark.parametrize(("name", "field"), REQUIRED)
def test_a_required_field_is_missed(checked, name, field):
    """Without a required field the action is invalid, and the field is named."""
    arguments = {key: value for key, value in LEAST[name].items() if key != field}
    call = checked(CATALOGUE, name, arguments)
    assert [(error.code, error.path) for error in call.errors] == [(Reason.MISSING_FIELD, field)]


@pytest.mark.parametrize(
    ("name", "field"),
    [pair for pair in REQUIRED if pair[1] not in MAY_BE_EMPTY and pair != ("search_replace", "search")],
)
def test_paths_commands_and_search_texts_cannot_be_empty(checked, name, field):
    """What says where or what to do can't be nothing."""
    assert checked(CATALOGUE, name, LEAST[name] | {field: ""}).reason is Reason.BAD_LENGTH


def test_a_path_out_of_the_workspace_is_not_refused_here(checked):
    """Confinement is the workspace's duty, which knows links and roots."""
    assert checked(CATALOGUE, "read_file", {"path": "../x"}).status is ActionStatus.VALID


@pytest.mark.parametrize("text", ["a, b", "a b", '["a", "b"]', "['a','b']", "a\nb"])
def test_a_tag_lists_ids_as_text(checked, text):
    """With commas, blanks, line breaks or as JSON."""
    call = checked(CATALOGUE, "git_status", {"depends_on": text}, strings_only=True)
    assert call.action.depends_on == ["a", "b"]


@pytest.mark.parametrize(
    "text", ["\n- a\n- b\n", "* a\n* b", "<item>a</item><item>b</item>", "\n<id>a</id>\n<id>b</id>\n"]
)
def test_a_list_in_a_tag_may_have_marks(checked, text):
    """A model writes it as in Markdown, or each item in a tag; a name that begins with a mark stays as it is."""
    call = checked(
        CATALOGUE, "git_commit", {"message": "x", "depends_on": text, "paths": text}, strings_only=True
    )
    assert (call.action.depends_on, call.action.paths) == (["a", "b"], ["a", "b"])
    call = checked(CATALOGUE, "git_commit", {"message": "x", "paths": "a\n-c\n*"}, strings_only=True)
    assert call.action.paths == ["a", "-c", "*"]


def test_a_tag_lists_paths_one_a_line(checked):
    """A path may hold blanks and commas."""
    arguments = {"message": "x", "paths": " a b.txt\n\nc,d.txt\n"}
    assert checked(CATALOGUE, "git_commit", arguments, strings_only=True).action.paths == [
        "a b.txt",
        "c,d.txt",
    ]


@pytest.mark.parametrize(
    ("edits", "told"),
    [
        ("", "there is no block"),
        ("a", "block 1"),
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE", "block 1 has 0 lines '======='"),
        ("<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE", "block 1 has 2 lines '======='"),
        ("<<<<<<< SEARCH\na\n=======\nb\n", "block 1 doesn't begin or end"),
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nthen\n", "block 2 doesn't begin or end"),
    ],
)
def test_edits_that_are_no_blocks_are_refused(checked, edits, told):
    """The model is told which block is wrong, and how one is written."""
    call = checked(CATALOGUE, "edit_file", {"path": "x", "edits": edits})
    assert call.status is ActionStatus.INVALID
    (error,) = call.errors
    assert error.path == "edits"
    assert told in error.expected
    assert "<<<<<<< SEARCH" in error.expected
