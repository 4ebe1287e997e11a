"""Who may look, where that is asked: Streamlit's own login, by OpenID Connect, and a list of who is let in.

It is asked where a ``secrets.toml`` has a table ``[auth]``. Whatever is wrong with that file keeps everybody out: a server that was
meant to ask must not begin without asking.
"""

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import config

from actionledger.core.errors import UsageError, require as require_package
from actionledger_dashboard import ALLOWED_VARIABLE
from actionledger_dashboard.components.wording import visible

_EXAMPLE = 'allowed = ["ann@team.example", "@team.example"]'


def allowed_by_settings() -> tuple[str, ...] | None:
    """Return who is let in; None where no login is asked for."""
    settings: dict[str, Any] = {}
    for path in map(Path, config.get_option("secrets.files")):
        if path.exists():
            settings |= _settings(path)
    if "auth" not in settings:
        return None
    ours = settings.get("actionledger")
    allowed = ours.get("allowed") if isinstance(ours, dict) else None
    if (
        not isinstance(allowed, list)
        or not allowed
        or not all(isinstance(one, str) and one.strip() for one in allowed)
    ):
        raise UsageError(
            f"secrets.toml has [auth], and does not say who is let in; add a table [actionledger] with: {_EXAMPLE}."
        )
    require_package("A login", "login", "authlib")
    return tuple(one.strip() for one in allowed)


def _settings(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path} can't be read, and may ask for a login: {error}; mend it or move it away."
        ) from error


def refusal(claims: Mapping[str, Any], allowed: Sequence[str]) -> str:
    """Return why somebody is not let in; empty where they are."""
    if f"sub:{claims.get('sub')}" in allowed:
        return ""
    email = claims.get("email")
    if not isinstance(email, str) or "@" not in email:
        return "The provider says no address of yours."
    if claims.get("email_verified") is not True:
        return f"The provider does not say that {email} is verified to be yours."
    known = {one.casefold() for one in allowed}
    address = email.casefold()
    if address in known or f"@{address.rpartition('@')[2]}" in known:
        return ""
    return f"{email} is not among those who are let in."


def require() -> None:
    """End the page for whoever is not let in, before anything of the ledger is read."""
    told = os.environ.get(ALLOWED_VARIABLE)
    if told is None:
        return
    if not getattr(st.user, "is_logged_in", False):
        st.subheader("Log in to see this ledger", anchor=False)
        st.button("Log in", on_click=st.login)
        st.stop()
    if why := refusal(st.user.to_dict(), told.split("\n")):
        st.subheader("You are not let in", anchor=False)
        st.text(visible(why))
        st.button("Log out", on_click=st.logout)
        st.stop()


def offer_logout() -> None:
    """Let whoever has logged in log out."""
    if os.environ.get(ALLOWED_VARIABLE) is not None:
        st.button("Log out", on_click=st.logout, key="login.out")
