"""The persona's state: changed at once or not at all, and back to any step."""

from dataclasses import replace
from threading import Thread

import pytest

from actionledger.core.errors import ActionError, UsageError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.reasoner.store import Entry, Persona, PersonaStore, _append


@pytest.fixture
def store(tmp_path):
    """A store of its own."""
    opened = PersonaStore(tmp_path / "p.sqlite", Persona(name="Ada"))
    yield opened
    opened.close()


def feel(mood: str):
    return lambda persona: replace(persona, mood=mood)


def test_it_begins_as_it_is_told(store):
    """The first step is the persona that it was made with."""
    (step,) = store.history()
    assert (step.step, step.action, step.persona) == (1, "begin", Persona(name="Ada"))


def test_texts_become_numbered_entries(tmp_path):
    """No number is given twice, and the state comes back from the file as it was."""
    ada = Persona(memories=["likes tea"], goals=("run", Entry(7, "rest")), desires="a nap")
    assert (ada.memories, ada.goals) == ((Entry(8, "likes tea"),), (Entry(9, "run"), Entry(7, "rest")))
    assert (ada.desires, ada.next_number) == ((Entry(10, "a nap"),), 11)
    opened = PersonaStore(tmp_path / "texts.sqlite", ada)
    assert opened.persona == ada
    opened.close()


def test_what_is_no_text_is_refused():
    with pytest.raises(UsageError, match="goals are texts or entries, not 5"):
        Persona(goals=[5])


def test_every_change_is_a_step(store):
    """History holds each state with what made it."""
    store.change("update_mood", feel("glad"))
    store.change("update_mood", feel("sad"))
    assert [(step.action, step.persona.mood) for step in store.history()] == [
        ("begin", "calm"),
        ("update_mood", "glad"),
        ("update_mood", "sad"),
    ]


def test_a_change_that_changes_nothing_is_no_step(store):
    """The same mood again leaves the history as it is, and says so."""
    step, changed = store.change("update_mood", feel("calm"))
    assert (step.step, changed, len(store.history())) == (1, False, 1)


def test_a_change_that_fails_leaves_everything_as_it_was(store):
    """And the store can be changed afterwards."""

    def fail(_persona):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        store.change("update_mood", fail)
    assert len(store.history()) == 1
    assert store.change("update_mood", feel("glad"))[1]


def test_what_breaks_off_behind_a_write_is_taken_back(store):
    """A step is kept whole or not at all."""

    def break_off() -> None:
        with store.writing() as cursor:
            _append(cursor, "update_mood", Persona(mood="glad"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert [step.action for step in store.history()] == ["begin"]


def test_back_to_any_step_and_back_again(store):
    """Going back adds a step, so that nothing is lost by it."""
    for mood in ("glad", "sad"):
        store.change("update_mood", feel(mood))
    assert store.restore(1).persona.mood == "calm"
    assert store.restore(3).persona.mood == "sad"
    assert [step.action for step in store.history()][-2:] == ["restore", "restore"]


def test_a_step_that_is_not_there_is_refused(store):
    """The error says which there are."""
    with pytest.raises(UsageError, match="no step 9; its steps are 1 to 1"):
        store.restore(9)


def test_it_is_there_after_closing(tmp_path):
    """Another store over the same file has the state, the history and the conversation."""
    first = PersonaStore(tmp_path / "p.sqlite")
    first.change("add_goal", lambda persona: replace(persona, goals=(Entry(1, "a goal"),)))
    first.say("User", "Hello \ud800.")
    first.close()
    again = PersonaStore(tmp_path / "p.sqlite")
    assert again.persona.goals == (Entry(1, "a goal"),)
    assert [line.text for line in again.conversation(5)] == ["Hello \ufffd."]
    again.close()


def test_the_last_lines_are_the_ones_that_are_kept_in_view(store):
    """Oldest first, no more than asked for."""
    for n in range(5):
        store.say("User", str(n))
    assert [line.text for line in store.conversation(2)] == ["3", "4"]


def test_changes_of_many_threads_are_all_kept(store):
    """None is lost, none is made twice."""

    def add(_n):
        store.change("add", lambda persona: replace(persona, next_number=persona.next_number + 1))

    threads = [Thread(target=add, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.persona.next_number == 17
    assert len(store.history()) == 17


def test_a_store_that_another_session_holds_says_so(store, tmp_path):
    """Nothing was done, and the same may work a moment later."""
    other = PersonaStore(tmp_path / "p.sqlite")
    store._connection.execute("PRAGMA busy_timeout = 1")
    with other.writing(), pytest.raises(ActionError) as caught:
        store.change("update_mood", feel("glad"))
    assert (caught.value.reason, caught.value.transient) == (Reason.UNAVAILABLE, True)
    other.close()


def test_a_file_that_is_something_else_is_refused(tmp_path):
    (tmp_path / "p.sqlite").write_text("no database at all, but long enough to be looked at as one" * 20)
    with pytest.raises(UsageError, match=r"is not a store of the reasoner: .* move it away"):
        PersonaStore(tmp_path / "p.sqlite")
