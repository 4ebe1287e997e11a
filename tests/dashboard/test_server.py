"""The server: who may look, what it refuses, and what every response carries."""

import asyncio
import re
import socket
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import config as settings
from streamlit.logger import get_logger
from streamlit.testing.v1 import AppTest

import actionledger_dashboard
from actionledger.core.errors import LedgerError, MissingPackageError, UsageError
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.memory import FIRST_VARIABLE
from actionledger_dashboard import ALLOWED_VARIABLE, LEDGER_VARIABLE, READ_ONLY_VARIABLE, login, server
from actionledger_dashboard.__main__ import main
from actionledger_dashboard.loading import pages as parts_of_pages
from actionledger_dashboard.server import EveryAddress, document, routes_of


def test_a_ledger_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A mistyped path is said at once, and not by an empty page."""
    with pytest.raises(LedgerError, match=r"There is no ledger at .*missing\.duckdb"):
        server.serve(tmp_path / "missing.duckdb")


def test_its_own_settings_hold_before_any_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Streamlit says to restart it where they come later, which was the first line that whoever started it saw."""
    path = tmp_path / "ledger.duckdb"
    path.touch()
    for variable in (LEDGER_VARIABLE, FIRST_VARIABLE, READ_ONLY_VARIABLE, ALLOWED_VARIABLE):
        monkeypatch.setenv(variable, "")
    monkeypatch.setattr(server, "load", lambda _: None)
    monkeypatch.setattr(settings, "_config_options", None)
    monkeypatch.setattr(get_logger("streamlit.config"), "propagate", True)
    monkeypatch.setattr(
        st.App,
        "run",
        lambda _, config: settings.get_config_options(force_reparse=True, options_from_flags=config),
    )
    server.serve(path, 8765)
    assert not caplog.records


def test_the_command_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script sees exit code 2, a person one sentence."""
    monkeypatch.setattr("sys.argv", ["actionledger_dashboard", "--ledger", str(tmp_path / "missing.duckdb")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("There is no ledger at ")


def test_a_port_in_use_is_passed_over() -> None:
    """Without a port of its own, the server takes one that is free."""
    with closing(socket.socket()) as taken:
        taken.bind((server.ADDRESS, 0))
        taken.listen()
        assert server.free_port(taken.getsockname()[1]) != taken.getsockname()[1]


def test_headers_are_added_to_what_the_page_sends() -> None:
    """The policy names the server's own port, and the page's own headers stay."""
    sent: list[Message] = []

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-own", b"1")]})

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(server.SecurityHeaders(page, port=8765)({"type": "http"}, receive, send))
    headers = dict(sent[0]["headers"])
    assert headers[b"x-own"] == b"1"
    assert b"ws://127.0.0.1:8765" in headers[b"content-security-policy"]
    assert headers[b"referrer-policy"] == b"no-referrer"


def test_each_page_is_served_as_a_document_whose_own_scripts_the_policy_lets_in() -> None:
    """One of Streamlit's, and one that says where the server is before Streamlit's first script looks for it below the page's address."""
    pages = TestClient(server.SecurityHeaders(Starlette(routes=routes_of(parts_of_pages())), port=1))
    for page in ("", "sessions", "left_out"):
        answer = pages.get(f"/{page}")
        scripts = re.findall(r"<script>(.*?)</script>", answer.text, re.DOTALL)
        hashes = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
        assert [each in answer.headers["content-security-policy"] for each in hashes] == [True, True]
        before, module, _ = answer.text.partition('type="module"')
        assert module
        assert "BACKEND_BASE_URL" in before
        assert answer.headers["cache-control"] == "no-cache"
    assert pages.get("/favicon.png").status_code == 404  # is Streamlit's to serve


def test_an_address_of_no_page_is_served_as_the_document_too() -> None:
    """Below another one, too, where Streamlit's own names scripts that are not there; its parts, files to keep and refusals stay as they are."""
    theirs = {"/kept/x": {"content-disposition": "attachment"}, "/component/x/index.html": {}, "/x/y.js": {}}

    async def streamlit(request: Request) -> Response:
        path = request.url.path
        kind = "text/javascript" if path.endswith(".js") else "text/html"
        return Response("theirs", 400 if "//" in path else 200, theirs.get(path), kind)

    app = Starlette(routes=[*routes_of(parts_of_pages()), Route("/{path:path}", streamlit)])
    pages = TestClient(EveryAddress(app))
    looked_at = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    assert pages.get("/heatmap", headers=looked_at).text == document() == pages.get("/sessions").text
    below = pages.get("/sessions/x", headers=looked_at).text
    assert below == document().replace("<head>", '<head><base href="/">')
    for path in (*theirs, "/a//etc"):
        assert pages.get(path, headers=looked_at).text == "theirs"
    assert pages.get("/sessions/x", headers={"accept": "*/*"}).text == "theirs"
    assert pages.post("/sessions/x", headers=looked_at).status_code == 405


def test_what_is_named_is_there_and_named_once() -> None:
    """Streamlit's own document names what its first script imports; ours, behind that, what a page goes on with."""
    static = Path(st.__file__).with_name("static")
    first = _scripts_in((static / "index.html").read_text(encoding="utf-8"))
    named = _scripts_in(document())
    assert named[: len(first)] == first
    assert len(named) == len(set(named)) > len(first)
    assert all((static / name).is_file() for name in named)


def _scripts_in(document: str) -> list[str]:
    return re.findall(r'(?:src|rel="modulepreload" crossorigin href)="\./([^"]+\.js)"', document)


FOREIGN = [
    "http://localhost:9999",
    "http://127.0.0.1:80",
    "https://127.0.0.1:8765",
    "http://evil.example:8765",
    "null",
]
OWN = ["http://127.0.0.1:8765", "http://localhost:8765", None]


@pytest.fixture
def pages() -> TestClient:
    """An application with a page and a socket, behind what looks at origins."""

    async def page(request: object) -> PlainTextResponse:
        return PlainTextResponse("secret")

    async def stream(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("secret")
        await socket.close()

    inner = Starlette(routes=[Route("/", page, methods=["GET", "POST"]), WebSocketRoute("/stream", stream)])
    return TestClient(server.OwnOrigin(inner, port=8765))


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_origin_gets_nothing(pages: TestClient, origin: str) -> None:
    """Neither a socket, which browsers open across origins, nor an answer."""
    with (
        pytest.raises(WebSocketDisconnect) as ended,
        pages.websocket_connect("/stream", headers={"origin": origin}),
    ):
        pass
    assert ended.value.code == 1008
    for method in ("GET", "POST"):
        answer = pages.request(method, "/", headers={"Origin": origin})
        assert (answer.status_code, "secret" in answer.text) == (403, False)


@pytest.mark.parametrize("origin", OWN)
def test_the_dashboards_own_pages_get_what_they_ask_for(pages: TestClient, origin: str | None) -> None:
    """By either name of this machine; a program that is no browser says none."""
    headers = {"origin": origin} if origin else {}
    with pages.websocket_connect("/stream", headers=headers) as stream:
        assert stream.receive_text() == "secret"
    assert pages.get("/", headers=headers).text == "secret"


ASKS = '[auth]\nclient_id = "x"\n'
LETS_IN = '[actionledger]\nallowed = ["Ann@Team.example", "@other.example", "sub:42"]\n'
ALLOWED = ("Ann@Team.example", "@other.example", "sub:42")


@pytest.fixture
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a secrets.toml is looked for."""
    path = tmp_path / "secrets.toml"
    usual, places = login.config.get_option, [str(tmp_path / "none.toml"), str(path)]
    monkeypatch.setattr(
        login.config, "get_option", lambda name: places if name == "secrets.files" else usual(name)
    )
    return path


@pytest.mark.parametrize(
    ("claims", "is_in"),
    [
        ({"email": "ann@team.example", "email_verified": True}, True),
        ({"email": "ANN@TEAM.EXAMPLE", "email_verified": True}, True),
        ({"email": "bob@team.example", "email_verified": True}, False),
        ({"email": "bob@other.example", "email_verified": True}, True),
        ({"email": "bob@not-other.example", "email_verified": True}, False),
        ({"email": "bob@sub.other.example", "email_verified": True}, False),
        ({"email": "x@other.example@evil.example", "email_verified": True}, False),
        ({"email": "ann@team.example"}, False),
        ({"email": "ann@team.example", "email_verified": False}, False),
        ({"email": "ann@team.example", "email_verified": "true"}, False),
        ({"email": None, "email_verified": True}, False),
        ({"sub": "42"}, True),
        ({"sub": "43"}, False),
        ({}, False),
    ],
)
def test_who_is_let_in(claims: dict[str, object], is_in: bool) -> None:
    """Those who are named, by an address that the provider says is theirs, or by the provider's own name."""
    assert (login.refusal(claims, ALLOWED) == "") is is_in


def test_without_settings_nobody_is_asked(secrets: Path) -> None:
    """As on one's own machine; other secrets ask nothing."""
    assert login.allowed_by_settings() is None
    secrets.write_text("[other]\nx = 1\n")
    assert login.allowed_by_settings() is None


@pytest.mark.parametrize(
    "text",
    [
        ASKS,
        f"{ASKS}[actionledger]\n",
        f"{ASKS}[actionledger]\nallowed = []\n",
        f'{ASKS}[actionledger]\nallowed = ""\n',
        f"{ASKS}[actionledger]\nallowed = [1]\n",
        f'{ASKS}[actionledger]\nallowed = [" "]\n',
        f'actionledger = "all"\n{ASKS}',
        f"{ASKS}[actionledger",
        '[auth\nclient_id = "x"',
    ],
)
def test_settings_that_do_not_say_who_start_no_server(secrets: Path, tmp_path: Path, text: str) -> None:
    """A server that was meant to ask must not begin without asking."""
    secrets.write_text(text)
    open_ledger(tmp_path / "x.duckdb").close()
    with pytest.raises(UsageError):
        server.serve(tmp_path / "x.duckdb", 1)


def test_settings_that_say_who_need_the_package(secrets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is named where it is not there."""
    secrets.write_text(ASKS + LETS_IN)
    monkeypatch.setattr(login, "require_package", lambda *_: None)
    assert login.allowed_by_settings() == ALLOWED
    monkeypatch.undo()
    monkeypatch.setattr(login.config, "get_option", lambda _: [str(secrets)])
    monkeypatch.setitem(__import__("sys").modules, "authlib", None)
    with pytest.raises(MissingPackageError, match=r"actionledger\[login\]"):
        login.allowed_by_settings()


@pytest.fixture
def visitor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Somebody who comes where a login is asked for."""
    monkeypatch.setenv(actionledger_dashboard.ALLOWED_VARIABLE, "\n".join(ALLOWED))

    def comes(**claims: object) -> None:
        user = SimpleNamespace(is_logged_in=bool(claims), to_dict=lambda: claims)
        monkeypatch.setattr(st, "user", user)

    return comes


def shown(test: AppTest) -> list[str]:
    """Return what the page has: its headings, and which of our components."""
    return [each.value for each in test.subheader] + [
        each.proto.component_name for each in test.get("bidi_component")
    ]


@pytest.mark.parametrize("page", ["views/overview.py", "views/sql.py", "views/health.py"])
def test_nothing_is_shown_to_whoever_is_not_let_in(
    open_page: Callable[..., AppTest], sample: Path, visitor: Callable[..., None], page: str
) -> None:
    """Neither a page nor the list of pages; who is let in sees both, and can leave."""
    visitor()
    assert shown(open_page(sample, "views/overview.py")) == ["Log in to see this ledger"]
    visitor(email="eve@evil.example", email_verified=True)
    assert shown(open_page(sample, "views/overview.py")) == ["You are not let in"]
    visitor(email="ann@team.example", email_verified=True)
    test = open_page(sample, page)
    assert "actionledger.navigation" in shown(test)
    assert "Log out" in [button.label for button in test.button]
