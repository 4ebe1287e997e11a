"""``parse``: what was read is shown, and a model's text is text."""

import pytest

BLOCK = 'I shall.\n\n```actions\n{"actions": [{"type": "create_task", "content": "x"},]}\n```\n'


def test_a_response_from_the_standard_input(run):
    """Outcome, blocks, repairs, actions and narrative are printed."""
    done = run("parse", "--profile", "assistant", stdin=BLOCK)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:2] == ["= parsed with repairs, read by assistant", "| I shall."]
    assert '> {"actions": [{"type": "create_task", "content": "x"},]}' in lines
    for said in ("block 0, actions, repaired", "trailing_comma", "action 0, create_task, valid"):
        assert any(line.startswith("= ") and said in line for line in lines)


def test_a_response_from_a_file(run, tmp_path):
    (tmp_path / "response.md").write_text(BLOCK)
    assert (
        run("parse", "response.md", "-p", "assistant").out == run("parse", "-p", "assistant", stdin=BLOCK).out
    )


def test_what_is_wrong_is_shown(run):
    """Issues and errors come with their sentences."""
    text = (
        '```actions\n{"actions": [{"type": "create_task"}, {"type": "fly"}]}\n```\n\n```actions\n{oops\n```'
    )
    out = run("parse", "-p", "assistant", stdin=text).out
    assert "missing_field: content: A required field is missing." in out
    assert "action 1, fly, unknown" in out
    assert "malformed_json" in out


@pytest.mark.parametrize(
    ("how", "status"),
    [
        (("--parser", "gembrain-standard"), "failed"),
        (("--dialect", "actions"), "repaired"),
        (("-d", "xml_tags", "-d", "actions"), "repaired"),
        (("-d", "xml_tags"), "no_action"),
        (("-p", "assistant", "--parser", "gembrain-standard"), "failed"),
    ],
)
def test_how_to_read_can_be_chosen(run, how, status):
    assert run("parse", *how, "--json", stdin=BLOCK).value["outcome"] == status


@pytest.mark.parametrize("how", [(), ("-",), ("-d", "auto"), ("-d", "auto", "-")])
def test_without_a_word_every_dialect_is_looked_for(run, how):
    """As an import does where nobody says how its texts are to be read; a response that is piped in is called as everywhere."""
    value = run(
        "parse",
        *how,
        "--json",
        stdin='<execute>1 + 1</execute>\n\n<tool_call>{"name": "add", "arguments": {}}</tool_call>',
    ).value
    assert [(each["dialect"], each["name"]) for each in value["actions"]] == [
        ("mint", "execute"),
        ("hermes", "add"),
    ]
    assert value["parser_name"] == "auto"


def test_json_has_everything(run):
    """Spans count code points of the text that is given back."""
    value = run("parse", "-p", "assistant", "--json", stdin="🙂 " + BLOCK).value
    assert set(value) >= {"text", "outcome", "actions", "blocks", "issues", "narrative", "parser_name"}
    (action,) = value["actions"]
    assert (action["name"], action["status"], action["arguments"]) == (
        "create_task",
        "valid",
        {"content": "x"},
    )
    assert action["action"]["status"] == "pending"
    start, end = action["span"]
    assert value["text"][start:end] == '{"type": "create_task", "content": "x"}'
    assert value["blocks"][0]["repairs"][0]["kind"] == "trailing_comma"


HOSTILE = "[bold]x[/nope] \x1b[31mred\x07 \x9b2J \u202e"


@pytest.mark.parametrize(
    "text",
    [
        HOSTILE,
        f"```actions\n{{{HOSTILE}\n```",
        f'```actions\n{{"actions": [{{"type": "{HOSTILE}"}}]}}\n```',
        f'```actions\n{{"actions": [{{"type": "create_task", "{HOSTILE}": "{HOSTILE}"}}]}}\n```',
    ],
)
def test_hostile_text_is_text(run, text):
    """Markup is not markup, and nothing that would change a terminal reaches it, wherever in a response it stands."""
    done = run("parse", "-p", "assistant", stdin=text)
    assert done.code == 0
    assert "[bold]x[/nope]" in done.out
    assert not set(done.out) & set("\x1b\x07\x9b\u202e")


def test_hostile_names_of_dialects_and_parsers_are_text(sentence):
    """A sentence about them, too."""
    for how in (("--parser", HOSTILE), ("-d", HOSTILE), ("-p", HOSTILE)):
        said = sentence("parse", *how)
        assert "[bold]x[/nope]" in said
        assert not set(said) & set("\x1b\x07\x9b\u202e")


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00", b"text \x80", b"\xed\xa0\x80", b"", b"\0", b"\xef\xbb\xbfx"]
)
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_any_bytes_are_read(run, data, options):
    """What is no UTF-8 is shown as such, and is no error."""
    done = run("parse", "-p", "assistant", *options, stdin=data)
    assert (done.code, done.err) == (0, "")
    assert done.out.encode()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("missing.md", "-p", "coder"), "The file 'missing.md' can't be read: No such file or directory."),
        ((".", "-p", "coder"), "can't be read"),
        (("-p", "codr"), "Did you mean 'coder'?"),
        (("--parser", "x"), "There is no parser 'x'."),
        (("-d", "x"), "There is no dialect 'x'."),
        (("-d", "actions", "--parser", "coder"), "Give either dialects or a parser"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(sentence, arguments, said):
    """With exit code 1 and without a traceback."""
    assert said in sentence("parse", *arguments)
