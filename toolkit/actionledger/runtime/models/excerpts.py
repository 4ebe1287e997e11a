"""A stranger's text in an error: short, on one line, without control characters, and without the key."""

from pydantic import SecretStr

LONGEST = 300
"""How much of it is shown, in code points."""


def excerpt(text: str, secret: SecretStr | None) -> str:
    """Return a text as it may be shown to an operator, in quotes."""
    if secret is not None:
        text = text.replace(secret.get_secret_value(), "[key]")
    text = " ".join(text[: 10 * LONGEST].split())
    return repr(text if len(text) <= LONGEST else text[:LONGEST] + "…")
