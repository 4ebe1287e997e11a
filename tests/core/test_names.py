"""Which known name a wrong one was meant to be."""

import pytest
from hypothesis import given, strategies as st
from steps import steps

from actionledger.core.names import did_you_mean, near_names

KNOWN = ("create_task", "update_task", "search_tasks", "create_goal", "execute_code")


@pytest.mark.parametrize(
    "word",
    [
        "creat_task",
        "cerate_task",
        "create_tasks",
        "CREATE_TASK",
        "createTask",
        "CreateTask",
        "create-task",
        "create task",
        "createtask",
        "task_create",
        "functions.create_task",
        "create_task_action",
    ],
)
def test_another_spelling_finds_its_name(word):
    """Slips of the pen, humps, hyphens, words in another order and words around it: one name is meant, and only one."""
    assert near_names(word, KNOWN) == ("create_task",)


@pytest.mark.parametrize("word", ["weather", "send_email", "zzz", "", "!?", "create_task" * 20, "\ud800"])
def test_another_word_finds_nothing(word):
    """What is no spelling of a known name gets no hint, which would lead astray."""
    assert near_names(word, KNOWN) == ()


@pytest.mark.parametrize(("word", "name"), [("rde", "red"), ("gren", "green"), ("blues", "blue")])
def test_short_words_are_found_too(word, name):
    """Two letters that changed places are one slip, in a word of three letters as well."""
    assert near_names(word, ("red", "green", "blue")) == (name,)


def test_equally_near_names_are_all_named():
    """Where the word alone doesn't decide, the hint doesn't either."""
    assert near_names("task", ("create_task", "update_task", "goal")) == ("create_task", "update_task")
    assert len(near_names("task", [f"{verb}_task" for verb in ("get", "put", "cut", "set", "let")])) == 3


def test_the_nearest_name_comes_first_and_far_ones_are_left_out():
    """A second name is named beside the first only if it is about as near."""
    assert near_names("user_nam", ("user_names", "user_name", "username_of_owner")) == (
        "user_name",
        "user_names",
    )
    assert near_names("createtask", ("update_task", "create_task")) == ("create_task",)


def test_the_hint_is_a_question():
    """It reads as the end of a sentence, and is empty where there is nothing to ask."""
    assert did_you_mean("contnt", ("content", "notes")) == "did you mean 'content'?"
    assert did_you_mean("task", ("a_task", "b_task")) == "did you mean 'a_task' or 'b_task'?"
    assert did_you_mean("zzz", ("content", "notes")) == ""


def test_names_that_differ_in_case_alone_are_both_known():
    """Neither takes the other's place."""
    assert set(near_names("path", ("Path", "PATH"))) == {"Path", "PATH"}


@given(st.text(), st.lists(st.text(), max_size=5))
def test_any_text_is_taken(word, known):
    """Whatever a model calls an action, the answer is made of known names."""
    assert set(near_names(word, known)) <= set(known)


def test_many_wrong_names_among_many_tools_cost_little():
    """A response full of unknown names can't hold up the session: a hundred are compared with 500 long names in C."""
    tools = [f"tool_{number}_" + "abcdefgh_" * 8 for number in range(500)]
    words = [f"tol_{number}_" + "hgfedcba_" * 9 for number in range(100)]
    assert steps(lambda: [near_names(word, tools) for word in words]) < 20 * (len(words) + len(tools))
