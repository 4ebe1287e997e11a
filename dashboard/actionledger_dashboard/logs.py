"""What the server's terminal is told of a file that was not made: why, in a sentence, and not where in Streamlit's code."""

import logging

from actionledger.core.errors import ActionLedgerError
from actionledger_dashboard.components.visible import visible

_LOGGER = "streamlit.runtime.backend_operation_handler"
"""Where Streamlit logs what a download button's callable raised."""


def say_no_more_than_why() -> None:
    """Have Streamlit log a sentence where it knows one; what nobody has foreseen keeps its traceback."""
    logging.getLogger(_LOGGER).addFilter(_as_sentence)


def _as_sentence(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    why = error.__cause__ if error else None
    if isinstance(why, ActionLedgerError | OSError):
        record.msg, record.args = "No file was made. %s", (visible(str(why)),)
        record.exc_info = record.exc_text = None
    return True
