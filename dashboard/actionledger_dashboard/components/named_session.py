"""Which session a link means: by its id, or by whatever else it is called."""

from actionledger.core.errors import UsageError
from actionledger.ledger import queries
from actionledger.ledger.queries.naming import sessions_called
from actionledger_dashboard.components import notices
from actionledger_dashboard.data import ask

_SHOWN = 10


def session_meant(called: str) -> str | None:
    """Return the id of the session that a link means; None where there is none or there are several, which is said."""
    if ask(queries.session, called) is not None:
        return called
    try:
        found = ask(sessions_called, called)
    except UsageError:
        found = []
    if len(found) == 1:
        return found[0].session_id
    if found:
        notices.several_sessions(
            len(found), [(each.told_apart(called), each.session_id) for each in found[:_SHOWN]]
        )
    else:
        notices.unknown_session()
    return None
