"""Restricts who may see the pages: Streamlit's own OpenID Connect login, and a list of allowed people.

A login is required if a ``secrets.toml`` has a table ``[auth]``. Any error in that file locks everybody out, since a server
that was meant to require a login must not start without one.
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
    """Return who may log in; None if no login is required."""
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
    """Return why somebody may not log in; empty if they may."""
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
    """Stop the page for anybody who may not log in, before it reads the ledger."""
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
    """Show a button to log out, if a login is required."""
    if os.environ.get(ALLOWED_VARIABLE) is not None:
        st.button("Log out", on_click=st.logout, key="login.out")
