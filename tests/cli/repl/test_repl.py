"""What a person types and what is shown: actions are looked at, run, taken back; all of it is recorded."""

import json

import pytest

from actionledger.cli.repl.progress import visible
from actionledger.runtime.models import BrokenResponseError, ModelUnreachableError
from actionledger.runtime.models.base import said

DOCUMENTED = """\
I'll create a simple HTTP server for you.

<create_file>
<path>main.go</path>
<content>
package main
</content>
</create_file>

<create_file>
<path>go.mod</path>
<content>
module httpserver
go 1.21
</content>
</create_file>
"""

TIP = "💡 Tip: Use /execute to run these actions, or enable auto-execution with /auto on\n"


def create(path, content="x\n"):
    return f"<create_file><path>{path}</path><content>{content}</content></create_file>\n"


def command(words):
    return f"<execute_command><command>{words}</command></execute_command>\n"


def test_actions_are_shown_and_wait(typed):
    """As in the document: the response, the list with path and size, the tip; nothing is done."""
    repl = typed(DOCUMENTED)
    assert repl.type("Create a simple HTTP server in Go with health check") == DOCUMENTED + (
        "\n📋 Detected 2 action(s):\n"
        "  1. CREATE_FILE: main.go (13 bytes)\n"
        "  2. CREATE_FILE: go.mod (26 bytes)\n"
        "\n" + TIP
    )
    assert repl.tree() == {}
    assert repl.statuses() == ["pending", "pending"]


def test_execute_runs_what_waits(typed):
    """As in the document: each action with its number, then how all of it went."""
    repl = typed(DOCUMENTED)
    repl.type("Go")
    assert repl.type("/execute") == (
        "\n[1/2] CREATE_FILE: main.go (13 bytes)\n✓ Completed\n"
        "\n[2/2] CREATE_FILE: go.mod (26 bytes)\n✓ Completed\n"
        "\n✅ All actions completed successfully\n"
    )
    assert repl.tree() == {"main.go": "package main\n", "go.mod": "module httpserver\ngo 1.21\n"}
    assert repl.type("/execute") == "✗ Nothing waits to be executed.\n"


def test_auto_runs_at_once_and_is_off_by_default(typed):
    """Until it is switched off again."""
    repl = typed(create("a"), create("b"), create("c"))
    repl.type("a")
    assert repl.type("/auto on") == "✓ Auto-execution enabled\n"
    assert repl.type("b").endswith(
        "\n[1/1] CREATE_FILE: b (2 bytes)\n✓ Completed\n\n✅ All actions completed successfully\n"
    )
    assert repl.type("/auto off") == "✓ Auto-execution disabled\n"
    repl.type("c")
    assert repl.tree() == {"b": "x\n"}


def test_reading_waits_as_well_and_its_content_goes_to_the_model(typed):
    """With the next message, before what the person says."""
    repl = typed("<read_file><path>x</path></read_file>", "I see.")
    (repl.root / "x").write_text("the content\n")
    assert "the content" not in repl.type("Look at x")
    assert "    the content\n✓ Completed\n" in repl.type("/execute")
    repl.type("And?")
    assert "Action 1 (read_file) succeeded: x, 1 line:\n```\nthe content\n```\n\nAnd?" in repl.asked()


def test_the_model_hears_that_nothing_was_done(typed):
    """When the person goes on without running its actions."""
    repl = typed(create("x"), "Fine.")
    repl.type("Go", "No, wait")
    assert "waits for approval" in repl.asked()
    assert repl.asked().endswith("\n\nNo, wait")


def test_what_went_wrong_is_shown_and_told(typed):
    """The other actions run all the same."""
    repl = typed(create("../x") + command("false") + create("y"), "Sorry.")
    repl.type("Go")
    shown = repl.type("/execute")
    assert "✗ Failed: The path '../x'" in shown
    assert "✗ Failed: The command ended with exit status 1." in shown
    assert shown.endswith("⚠️  2 of 3 action(s) did not succeed\n")
    repl.type("Well?")
    assert "exit status 1" in repl.asked()


def test_the_output_of_a_command_is_shown_while_it_runs(typed):
    """Between its heading and how it ended; what would steer the terminal is shown as text."""
    repl = typed(command("printf 'a\\033[31mb\\n'"))
    repl.type("Go")
    assert repl.type("/execute").startswith("\n[1/1] EXECUTE_COMMAND: printf")
    assert "a\x1b[31mb\n" in repl.shown  # the profile hands it on as it is; the command line makes it visible


def test_actions_run_one_by_one(typed):
    """By their numbers; one that a person decides against never runs."""
    repl = typed(create("a") + create("b") + create("c"))
    repl.type("Go")
    assert "[1/1] CREATE_FILE: b" in repl.type("/approve 2")
    assert repl.tree() == {"b": "x\n"}
    assert "⊘ Denied" in repl.type("/reject 1 not needed")
    assert repl.type("/approve 2").startswith("✗ Action 2 of the last response doesn't wait")
    repl.type("/execute")
    assert repl.tree() == {"b": "x\n", "c": "x\n"}
    rows = repl.ledger.sql("SELECT action_index, decision, why FROM approvals ORDER BY 1").fetchall()
    assert rows == [(0, "rejected", "not needed"), (1, "approved", ""), (2, "approved", "")]


def test_what_waits_for_another_action_runs_with_it(typed):
    """Whatever the order in which they were written."""
    repl = typed(
        "<create_file><id>b</id><depends_on>a</depends_on><path>b</path><content>b</content></create_file>\n"
        "<create_file><id>a</id><path>a</path><content>a</content></create_file>\n"
    )
    repl.type("Go", "/execute")
    assert repl.tree() == {"a": "a", "b": "b"}


def test_review_shows_what_would_change(typed):
    """With differences, each action on what those before it would leave; nothing is done by looking."""
    repl = typed(
        create("x", "one\n")
        + "<modify_file><path>x</path><search>one</search><replace>1</replace></modify_file>\n"
        + command("make; rm x")
    )
    assert repl.type("/review") == "✗ There is no action to review yet.\n"
    repl.type("Go")
    shown = repl.type("/review")
    assert "    +one\n" in shown
    assert "    +1\n" in shown
    assert "waits: It would fail. The command was not run" in shown
    assert repl.tree() == {}
    repl.type("/execute")
    assert "✓ Completed" in repl.type("/review")


@pytest.mark.parametrize("auto", ["on", "off"])
def test_a_dry_run_leaves_the_actions_to_be_executed(typed, auto):
    """It shows what they would do; once it is off they run, and the model is asked once."""
    repl = typed(create("x", "one\n") + "<delete_file>\n<path>y</path>\n</delete_file>\n", "Fine.")
    repl.type("/dry-run on", f"/auto {auto}")
    shown = repl.type("Go")
    assert "    +one\n     ⏸ waits\n" in shown
    assert "It would fail. " in shown
    assert "All actions completed" not in shown
    assert shown.endswith("🔍 Dry run: nothing was done; /dry-run off and /execute run these actions\n")
    assert repl.type("/execute") == "✗ Dry run is on: /dry-run off first; the actions wait.\n"
    assert repl.tree() == {}
    repl.type("/dry-run off", "/execute 1")
    assert repl.tree() == {"x": "one\n"}
    assert repl.statuses() == ["pending", "pending", "succeeded"]
    assert len(repl.model.asked) == 1


def test_undo_and_redo(typed):
    """The last turn, a turn, one action, all behind a turn; the model hears of it, and the history says it."""
    repl = typed(create("a") + create("b"), create("c"), "Fine.")
    repl.type("/auto on", "One", "Two")
    assert repl.type("/undo") == "✓ Undone: c\n"
    assert repl.tree() == {"a": "x\n", "b": "x\n"}
    assert repl.type("/redo") == "✓ Done again: c\n"
    assert repl.type("/undo 1.2") == "✓ Undone: b\n"
    assert repl.type("/undo back 1") == "✓ Undone: c\n"
    assert repl.tree() == {"a": "x\n"}
    assert (
        repl.type("/history")
        == "  1. One (parsed; 1 succeeded, 1 succeeded and undone)\n  2. Two (parsed; 1 succeeded and undone)\n"
    )
    assert repl.type("/undo 2").startswith("✗ Nothing that")
    repl.type("Three")
    assert "The user has undone what you changed at: b." in repl.asked()


@pytest.mark.parametrize(
    "line",
    [
        "/undo 9",
        "/undo x",
        "/undo 1.x",
        "/undo back",
        "/redo",
        "/auto maybe",
        "/approve",
        "/approve x",
        "/approve 0",
        "/reject",
        "/nonsense",
        "/prompt nonsense",
        "/workdir nowhere",
        "/replay nonsense",
        "/execute",
    ],
)
def test_a_command_that_cannot_be_done_says_why(typed, line):
    """In one line; the REPL goes on."""
    repl = typed("Hello.")
    shown = repl.type(line)
    assert shown.startswith("✗ ")
    assert shown.count("\n") == 1
    assert repl.type("Hello").startswith("Hello.")


def test_what_was_changed_since_is_not_undone(typed):
    """The person is told which file."""
    repl = typed(create("x"))
    repl.type("/auto on", "Go")
    (repl.root / "x").write_text("mine")
    assert "✗ Nothing was undone. 'x'" in repl.type("/undo")
    assert repl.tree() == {"x": "mine"}


@pytest.mark.parametrize(
    "stop",
    [KeyboardInterrupt(), BrokenResponseError("It broke.", partial=said("Half " + create("x"), model="m"))],
)
def test_a_response_that_breaks_off_is_recorded_and_not_acted_on(typed, stop):
    """By itself or by Ctrl-C; the model is told, and nothing of it runs, not even what was whole."""
    repl = typed(stop, "Anew.")
    if isinstance(stop, KeyboardInterrupt):
        repl.repl.chat.model = _Stopping("Half " + create("x"), repl.model)
    repl.type("/auto on")
    shown = repl.type("Go")
    assert "nothing of it was done" in shown
    assert repl.tree() == {}
    [(detail,)] = repl.ledger.sql("SELECT detail FROM events WHERE code = 'response_cut_off'").fetchall()
    assert json.loads(detail)["partial"] == "Half " + create("x")
    assert json.loads(detail)["prompt"] == "Go"
    repl.repl.chat.model = repl.model
    if isinstance(stop, KeyboardInterrupt):
        repl.model._responses = iter(["Anew."])
    repl.type("Again")
    assert repl.asked().startswith("Your last response was cut off")
    assert repl.model.asked[-1].messages[-2].content == "Half " + create("x")


class _Stopping:
    """A model in the middle of whose response somebody presses Ctrl-C."""

    name = "stopping"

    def __init__(self, text, model):
        self.text, self.model = text, model

    def stream(self, messages, **given):
        from actionledger.runtime.models import Chunk

        yield Chunk(self.text)
        raise KeyboardInterrupt


def test_a_model_that_cannot_be_reached_is_said(typed):
    """What was said is kept for the next try."""
    repl = typed(ModelUnreachableError("Nobody answers."), "Hello.")
    assert "✗ Nobody answers." in repl.type("Hi")
    repl.type("Again")
    assert (
        next(message.content for message in repl.model.asked[-1].messages if message.role == "user") == "Hi"
    )


def test_ctrl_c_in_a_command_leaves_the_rest_waiting(typed, monkeypatch):
    """What was under way is recorded as stopped and never run twice; what was not begun still waits."""
    repl = typed(create("a") + command("sleep 30") + create("b"))
    repl.type("Go")
    stopper = repl.repl._progress
    hear = stopper.hear

    def stop(event):
        hear(event)
        if event.kind == "execution_started" and event.name == "execute_command":
            raise KeyboardInterrupt

    repl.repl.chat._listen = stop
    assert "Stopped." in repl.type("/execute")
    repl.repl.chat._listen = hear
    assert repl.tree() == {"a": "x\n"}
    assert "✓ Completed" in repl.type("/execute")
    assert repl.tree() == {"a": "x\n", "b": "x\n"}
    rows = repl.ledger.sql(
        "SELECT action_index, status FROM executions QUALIFY row_number() OVER (PARTITION BY action_index ORDER BY try_number DESC) = 1 ORDER BY 1"
    ).fetchall()
    assert rows == [(0, "succeeded"), (1, "interrupted"), (2, "succeeded")]


def test_another_folder_and_another_model_begin_a_session(typed, tmp_path):
    """What was said stays said; what came of the last turn is told all the same."""
    repl = typed(create("x"), "Seen.", "Anew.")
    other = tmp_path / "other"
    other.mkdir()
    repl.type("/auto on", "Go")
    assert repl.type(f"/workdir {other}") == f"✓ Working directory set to: {other}\n"
    assert repl.type("/model second") == "✓ Model switched to: second\n"
    repl.type("And?")
    assert repl.asked().startswith('Action 1 (create_file) succeeded: {"path":"x"')
    assert len(repl.model.asked[-1].messages) == 4
    sessions = repl.ledger.sql(
        "SELECT model, metadata->>'workspace' FROM sessions ORDER BY started_at"
    ).fetchall()
    assert sessions == [("script", str(repl.root)), ("second", str(other))]
    repl.type("/clear", "Hello")
    assert [message.role for message in repl.model.asked[-1].messages] == ["system", "user"]
    assert repl.asked() == "Hello"


def test_the_ledger_is_out_of_the_actions_reach(typed, tmp_path):
    """A folder that holds it is refused, and the session goes on where it was."""
    repl = typed(create("x"))
    assert "lies in the workspace" in repl.type(f"/workdir {tmp_path}")
    repl.type("/auto on", "Go")
    assert repl.tree() == {"x": "x\n"}


def test_system_prompts_have_names(typed, tmp_path):
    """The profile's own, and files of a folder, which may hold it."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "terse.md").write_text("Be terse.\n\n{{actions}}")
    repl = typed("Yes.", "Yes.")
    assert repl.type("/prompt") == "System prompts: coding-agent-with-actions, terse\n"
    repl.type("Hi")
    assert repl.model.asked[-1].messages[0].content.startswith("# Actions")
    assert repl.type("/prompt terse") == "✓ Loaded system prompt: terse\n"
    repl.type("Hi")
    assert repl.model.asked[-1].messages[0].content.startswith("Be terse.\n\n# Actions")
    assert repl.type("/prompt ../work").startswith("✗ There is no system prompt")


def test_an_action_has_the_same_number_wherever_it_is_named(typed):
    """Behind one that is only shown as an example, too."""
    repl = typed("```xml\n" + create("shown") + "```\n" + create("meant"))
    assert "📋 Detected 1 action(s):\n  2. CREATE_FILE: meant" in repl.type("One")
    assert "  2. CREATE_FILE: meant" in repl.type("/review")
    repl.type("/execute 2")
    assert list(repl.tree()) == ["meant"]


def test_a_session_is_read_again_with_another_parser(typed):
    """The one that the tags come from by default."""
    repl = typed("```xml\n" + create("shown") + "```\n" + create("meant"), "Nothing.")
    repl.type("One", "Two")
    shown = (
        "  1. parsed, 1 action(s) → go-tags: parsed, 2 action(s)\n  2. no tool call, 0 action(s) → the same\n"
    )
    assert repl.type("/replay") == shown
    assert repl.type("/replay orchestrator").count("orchestrator: unparseable, 0 action(s)") == 1


def test_refused_actions_are_shown_with_the_reason(typed):
    repl = typed(
        create("x") + "<modify_file><path>x</path></modify_file>\n<create_file><path>y</path><content>cut"
    )
    shown = repl.type("Go")
    assert "  2. MODIFY_FILE: x ✗ refused: search: A required field is missing." in shown
    assert "⚠️  Not read: The tag was opened and never closed." in shown
    assert "not to be run" in repl.type("/review")


def test_a_models_text_never_steers_the_terminal(typed):
    """Neither while it streams nor in any list; nor is it markup."""
    hostile = "\x1b]0;title\x07 [bold]x[/bold] \x9b2J \u202eback\rover"
    repl = typed(hostile + create(f"a{hostile}b"), "x")
    repl.type("Go", "/review", "/execute", "/history", "/undo")
    shown = "".join(repl.shown)
    assert all(mark.isprintable() or mark == "\n" for mark in shown)
    assert "[bold]x[/bold]" in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\n", "a\tb\n"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[1m", "\\x1b[1m"),
        ("\u202e\u2066", "\\u202e\\u2066"),
        ("é猫😀", "é猫😀"),
        ("\ud800", "\\ud800"),
    ],
)
def test_text_is_made_visible(text, shown):
    """Line ends and tabs as such; whatever else controls a terminal as an escape."""
    assert visible(text) == shown


def test_help_names_every_command(typed):
    """The document's first, with its own words."""
    shown = typed().type("/help").splitlines()
    assert [line.split()[0] for line in shown[:7]] == [
        "/help",
        "/workdir",
        "/auto",
        "/prompt",
        "/model",
        "/clear",
        "/exit",
    ]
    assert "Set working directory for actions" in shown[1]
    assert {"/execute", "/review", "/dry-run", "/undo", "/approve", "/history", "/replay"} <= {
        line.split()[0] for line in shown
    }


def test_all_of_it_is_in_the_ledger(typed):
    """What the person said is part of the prompt; responses, approvals and executions belong to one session."""
    repl = typed(create("x"), "Done.")
    repl.type("Make x", "/execute", "Thanks")
    turns = repl.ledger.sql("SELECT turn_index, prompt, text FROM turns ORDER BY 1").fetchall()
    assert turns[0] == (0, "Make x", create("x"))
    assert turns[1][1].endswith("\n\nThanks")
    assert repl.statuses() == ["pending", "succeeded"]
