"""Calls that are taken back, asked about or enclosed by text in ways that models use: none runs, and each is said."""

import pytest

import actionledger as al
from actionledger.reading.parsers import parser_for, parser_named
from actionledger.reading.stream import StreamParser

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "create_task",
            "parameters": {
                "type": "object",
                "properties": {"content": {"type": "string"}},
                "required": ["content"],
            },
        },
    }
]
CALL = ("create_task", {"content": "Call Ada"})
DIALECTS = ("hermes", "glm", "kimi_k2", "pythonic", "llama3_json")
TAKEN_BACK = (
    "@\n\nWait, no. That would be the wrong one, so don't.",
    "@\n\nNo wait, that is wrong.",
    "@\n\nOops, wrong tool.",
    "@\n\nMoment, nein, das bitte nicht ausführen.",
    "@\n\nNein, halt.",
    "@\n\nNon, attendez, ne faites pas cela.",
    "@\n\nEspera, no, eso está mal.",
    "@\n\nAspetta, no, annulla.",
    "@\n\nNee wacht, dat moet niet.",
    "@\n\nCzekaj, nie, to błąd.",
    "@\n\n等等，不要执行这个。",
    "@\n\nいや、待って、これは実行しないでください。",
    "@\n\nСтоп, нет, не надо этого делать.",
    "@\n\nErr, that is the wrong one.",
    "@\n\nLet me undo that: I don't want it to run.",
    "@\n\nPlease treat the call above as not sent.",
    "@\n\nOups, erreur. N'exécutez pas cet appel.",
    "@\n\nEspera, mejor no.",
    "@\n\nOeps, verkeerde taak.",
    "@\n\nОй, не то, это ошибка.",
    "You asked me to output\n\n@\n\nI decline.",
)
ASKED_OR_SHOWN = (
    "Only if it is really missing can we do this:\n\n@",
    "Unless you object, I'd do this next:\n\n@",
    "Se concordar, executo isto:\n\n@",
    "Als je akkoord gaat, voer ik dit uit:\n\n@",
    "Se sei d'accordo, eseguo questo:\n\n@",
    "Czy mam to uruchomić?\n\n@",
    "Führe das auf keinen Fall aus:\n\n@",
    "N'exécutez surtout pas ceci :\n\n@",
    "Non eseguire mai questo:\n\n@",
    "Assuming you confirm, the call will be:\n\n@",
    "Dès que vous aurez confirmé, je lance :\n\n@",
    "承認していただければ、これを実行します：\n\n@",
    "Если вы подтвердите, я выполню это:\n\n@",
    "Do I have your permission for this one?\n\n@",
    "My predecessor had sent\n\n@\n\nbefore I took over.",
    "The bug report quotes this message:\n\n@",
    "Esempio:\n\n@",
    "Voorbeeld:\n\n@",
    "Przykład:\n\n@",
    "Örnek:\n\n@",
    "مثال:\n\n@",
    "Sample response:\n\n@\n\nEnd of sample.",
    "What is wrong with this call?\n\n@\n\nThe argument must be longer.",
    "Compare the two. Candidate A:\n\n@\n\nCandidate B: no call at all.",
    'In the previous step I called\n\n@\n\nand the tool answered "no such file".',
)
ENCLOSED = (
    "<details><summary>Raw output</summary>\n\n@\n\n</details>\n\nThat is what the log has.",
    "\\begin{verbatim}\n@\n\\end{verbatim}\n\nThis is listing 3.",
    "::: example\n@\n:::\n\nSee the docs.",
    "#+BEGIN_EXAMPLE\n@\n#+END_EXAMPLE\nas the manual says",
    "const sample = `\n@\n`;\nexport default sample;",
    "cat <<EOF > sample.txt\n@\nEOF\n\nThen read sample.txt.",
    '    text = """\n@\n"""\n    assert parse(text)',
    "The page is done.\n\n<!--\n@\n-->\n\nLook at it.",
    "<tool_response>\n@\n</tool_response>\n\nThe file holds an injected call.",
)
ON_A_LINE = (
    "[12:00:01] assistant> @\n[12:00:02] tool> ok\n",
    "User: please add it\nAssistant: @\n",
    "## Proposed steps\n\n- [ ] backup\n- [ ] @\n- [ ] report",
    "1. Look at the list.\n2. Add it: @\n3. Tell the user.",
    "diff --git a/t.txt b/t.txt\n--- a/t.txt\n+++ b/t.txt\n@@ -0,0 +1,4 @@\n+@\n".replace("@@", "&&"),
)
MEANT = (
    "@\n\nNo problem at all.",
    "@\n\nWait, no tests are there yet; I add them after this.",
    "1. First I add it:\n\n@",
    "@\n\n1. It is added.\n2. You can look at it.",
    "Ora aggiorno la lista.\n\n@",
    "Ik maak nu de taak.\n\n@",
)


def placed(text, call):
    return text.replace("@", call).replace("&&", "@@")


def runs(result):
    return [call.name for call in result.actions if call.status.is_runnable]


def is_said(result):
    return bool(result.actions) or any(issue.span for issue in result.issues)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", [*TAKEN_BACK, *ASKED_OR_SHOWN, *ENCLOSED, *ON_A_LINE])
def test_no_call_runs_that_is_not_meant(text, dialect):
    result = al.parse(placed(text, al.render([CALL], dialect)), dialects=[dialect], tools=TOOLS)
    assert not runs(result)
    assert is_said(result)


@pytest.mark.parametrize("text", [*TAKEN_BACK, *ASKED_OR_SHOWN, *ENCLOSED, ON_A_LINE[0], ON_A_LINE[3]])
def test_a_profiles_own_call_waits_too(text):
    result = al.parse(placed(text, al.render([CALL], "actions")), profile="assistant")
    assert not runs(result)
    assert is_said(result)


@pytest.mark.parametrize("dialect", [*DIALECTS, "actions"])
@pytest.mark.parametrize("text", MEANT)
def test_what_is_meant_runs(text, dialect):
    given = {"profile": "assistant"} if dialect == "actions" else {"dialects": [dialect], "tools": TOOLS}
    assert runs(al.parse(placed(text, al.render([CALL], dialect)), **given)) == ["create_task"]


@pytest.mark.parametrize("dialect", ["hermes", "actions"])
@pytest.mark.parametrize("text", [*TAKEN_BACK, *ENCLOSED, *ON_A_LINE, *MEANT])
def test_a_stream_gives_out_only_what_the_whole_text_says(text, dialect):
    parser = parser_named("assistant") if dialect == "actions" else parser_for((dialect,))
    written = placed(text, al.render([CALL], dialect)) + " And so on." * 30
    stream = StreamParser(parser, frozenset({"create_task"}))
    given = [block for at in range(0, len(written), 7) for block, _ in stream.feed(written[at : at + 7])]
    whole = stream.finish()
    assert given == list(whole.blocks[: len(given)])


@pytest.mark.parametrize("token", ["<|im_end|>", "<|eot_id|>", "</s>", "<end_of_turn>"])
def test_a_token_that_ends_the_turn_is_no_part_of_reacts_input(token):
    result = al.parse(al.render([CALL], "react") + token, dialects=["react"], tools=TOOLS)
    assert [call.arguments for call in result.actions if call.status.is_runnable] == [CALL[1]]
