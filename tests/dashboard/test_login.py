"""Who may look: nobody where that was asked and can't be found out."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import actionledger_dashboard
from actionledger.core.errors import MissingPackageError, UsageError
from actionledger.ledger import open_ledger
from actionledger_dashboard import login, server

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
