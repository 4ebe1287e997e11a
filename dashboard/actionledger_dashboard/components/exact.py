"""A text exactly as it is, such as a command to paste, with a button that copies it.

Streamlit's own ``st.code`` has a browser load what colours a hundred languages, also for none of them: three quarters of what else a page loads.
"""

from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.visible import pieces

_mount = mount_of("exact", "copying")


def show_exact(key: str, text: str) -> None:
    """Show a text of one or several lines."""
    _mount(key=key, data={"text": pieces(text)})
