"""What a session is called and where it ran, as each format says so."""

import json

import pytest

import actionledger as al
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import LeftOutReason, TitleOrigin
from actionledger.imports.sources.registry import source_named


@pytest.fixture
def read(tmp_path):
    """Return what a format gives of some lines."""

    def read_all(form: str, lines: list[dict], name: str = "s1.jsonl") -> list:
        path = tmp_path / name
        path.write_text("".join(json.dumps(each) + "\n" for each in lines))
        return list(source_named(form).read(path, None))

    return read_all


def details(items: list) -> al.SessionDetails:
    """What all pieces come to."""
    found = al.SessionDetails()
    for item in items:
        if isinstance(item, RecordedSession):
            found = found.then(item.details)
    return found


def claude(kind: str, uuid: str = "", **fields) -> dict:
    return {"type": kind, "sessionId": "s1", "uuid": uuid, "parentUuid": None, "cwd": "/work/shop", **fields}


def claude_message(number: int, **fields) -> dict:
    content = [{"type": "text", "text": f"Answer {number}."}]
    message = {"id": f"m{number}", "model": "some-model", "content": content}
    return claude("assistant", f"u{number}", version="2.1.332", message=message, **fields)


def test_claude_code_says_titles_branch_and_pull_requests_wherever_they_stand(read) -> None:
    """A title may come before the first message; what was given by the user holds."""
    items = read(
        "claude_code",
        [
            {"type": "permission-mode", "permissionMode": "plan", "sessionId": "s1"},
            {"type": "ai-title", "aiTitle": "The till", "sessionId": "s1"},
            claude_message(1, gitBranch="main"),
            {"type": "custom-title", "customTitle": "My till", "sessionId": "s1"},
            claude_message(2, gitBranch="fix-till"),
            {"type": "ai-title", "aiTitle": "The till again", "sessionId": "s1"},
            {"type": "pr-link", "prUrl": "https://example.org/pull/7", "prNumber": 7, "sessionId": "s1"},
        ],
    )
    assert details(items) == al.SessionDetails(
        title="My till",
        title_from=TitleOrigin.PERSON,
        project="/work/shop",
        git_branch="fix-till",
        pull_requests=("https://example.org/pull/7",),
        agent="claude_code",
        agent_version="2.1.332",
        permission_mode="plan",
    )
    assert not [each for each in items if getattr(each, "reason", None) is LeftOutReason.BOOKKEEPING]


@pytest.mark.parametrize(("goes_on", "aborted"), [(False, "interrupted by user"), (True, "")])
def test_claude_code_says_that_its_last_turn_was_broken_off(read, goes_on, aborted) -> None:
    note = {"content": [{"type": "text", "text": "[Request interrupted by user]"}]}
    lines = [claude_message(1, gitBranch="HEAD"), claude("user", "u8", message=note)]
    found = details(read("claude_code", [*lines, *([claude_message(2)] if goes_on else [])]))
    assert (found.aborted, found.git_branch) == (aborted, "")


def codex(kind: str, **payload) -> dict:
    return {"timestamp": "2026-11-29T07:30:20.094Z", "type": kind, "payload": payload}


def codex_answer(text: str) -> dict:
    content = [{"type": "output_text", "text": text}]
    return codex("response_item", type="message", role="assistant", content=content)


@pytest.mark.parametrize(("goes_on", "aborted"), [(False, "interrupted"), (True, "")])
def test_codex_says_commit_name_and_policy(read, goes_on, aborted) -> None:
    git = {"branch": "main", "commit_hash": "c0ffee"}
    lines = [
        codex("session_meta", id="s1", cwd="/work/shop", cli_version="0.171.0", git=git),
        codex("turn_context", model="some-model", approval_policy="never"),
        codex_answer("Well."),
        codex("event_msg", type="thread_name_updated", thread_id="s1", thread_name="The till"),
        codex("event_msg", type="turn_aborted", reason="interrupted"),
    ]
    more = [codex_answer("Again.")] if goes_on else []
    assert details(read("codex", [*lines, *more])) == al.SessionDetails(
        title="The till",
        title_from=TitleOrigin.AGENT,
        project="/work/shop",
        git_branch="main",
        git_commit="c0ffee",
        agent="codex",
        agent_version="0.171.0",
        permission_mode="never",
        aborted=aborted,
    )


def test_pi_says_the_name_that_its_user_gave(read) -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "Well."}], "model": "some-model"}
    lines = [
        {"type": "session", "id": "s1", "timestamp": "2026-11-29T07:30:20.094Z", "cwd": "/work/shop"},
        {"type": "message", "id": "a", "message": message},
        {"type": "session_info", "id": "b", "name": "My till"},
    ]
    found = details(read("pi", lines))
    assert (found.title, found.title_from, found.project) == ("My till", TitleOrigin.PERSON, "/work/shop")


def test_cline_says_it_in_the_file_beside_the_session(read, tmp_path) -> None:
    about = {
        "cwd": "/work/shop",
        "prompt": "Mend it.",
        "metadata": {"title": "The till", "sessionHistoryOrigin": {"version": "3.0.65"}},
    }
    (tmp_path / "s1.json").write_text(json.dumps(about))
    session = {
        "version": 1,
        "sessionId": "s1",
        "agent": "lead",
        "messages": [{"role": "assistant", "content": [{"type": "text", "text": "Well."}]}],
    }
    found = details(read("cline", [session], "s1.messages.json"))
    assert found == al.SessionDetails(
        title="The till",
        title_from=TitleOrigin.AGENT,
        project="/work/shop",
        agent="cline",
        agent_version="3.0.65",
    )
    (tmp_path / "s1.json").write_text("{")
    assert details(read("cline", [session], "s1.messages.json")).project == ""


@pytest.mark.parametrize("reason", ["aborted", "stop"])
def test_pi_says_that_its_last_answer_was_broken_off(read, reason) -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "Well."}], "stopReason": reason}
    lines = [{"type": "session", "id": "s1"}, {"type": "message", "id": "a", "message": message}]
    assert details(read("pi", lines)).aborted == ("aborted" if reason == "aborted" else "")


@pytest.mark.parametrize(("goes_on", "aborted"), [(False, "user_initiated"), (True, "")])
def test_copilot_says_that_its_last_turn_was_broken_off(read, goes_on, aborted) -> None:
    def event(kind: str, number: int, **data) -> dict:
        return {"type": kind, "data": data, "id": f"e{number}", "timestamp": "2026-11-29T07:00:01.000Z"}

    lines = [
        event("session.start", 0, sessionId="s1", context={"cwd": "/w"}),
        event("assistant.message", 1, content="Well."),
        event("abort", 2, reason="user_initiated"),
    ]
    more = [event("assistant.message", 3, content="Again.")] if goes_on else []
    assert details(read("copilot", [*lines, *more])).aborted == aborted


@pytest.mark.parametrize(("goes_on", "aborted"), [(False, "turn.cancel"), (True, "")])
def test_kimi_says_its_mode_and_that_its_last_turn_was_cancelled(read, goes_on, aborted) -> None:
    def said(step: str) -> dict:
        part = {"type": "content.part", "stepUuid": step, "part": {"type": "text", "text": "Well."}}
        return {"type": "context.append_loop_event", "event": part, "time": 1}

    lines = [
        {"type": "metadata", "protocol_version": "1"},
        said("a"),
        {"type": "turn.cancel", "time": 2},
        {"type": "permission.set_mode", "mode": "auto", "time": 3},
    ]
    found = details(read("kimi_code", [*lines, *([said("b")] if goes_on else [])], "wire.jsonl"))
    assert (found.permission_mode, found.aborted) == ("auto", aborted)


@pytest.mark.parametrize(("status", "aborted"), [("failed", "failed"), ("completed", "")])
def test_cline_says_that_a_session_has_failed(read, tmp_path, status, aborted) -> None:
    (tmp_path / "s1.json").write_text(json.dumps({"status": status}))
    message = {"role": "assistant", "content": [{"type": "text", "text": "Well."}]}
    session = {"version": 1, "sessionId": "s1", "agent": "lead", "messages": [message]}
    assert details(read("cline", [session], "s1.messages.json")).aborted == aborted


@pytest.mark.parametrize("folder", ["tmp/shop/chats", "tmp/shop/chats/parent"])
def test_gemini_cli_says_its_folder_above_the_chats(read, tmp_path, folder) -> None:
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "tmp/shop/.project_root").write_text("/work/shop\n")
    lines = [
        {"sessionId": "s1", "projectHash": "x", "startTime": "2026-11-29T07:00:00Z"},
        {"id": "m1", "type": "gemini", "content": "Well."},
    ]
    assert details(read("gemini_cli", lines, f"{folder}/session-1.jsonl")).project == "/work/shop"
    assert details(read("gemini_cli", lines, "session-1.jsonl")).project == ""
