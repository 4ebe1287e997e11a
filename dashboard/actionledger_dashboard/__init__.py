"""The dashboard: pages over ``actionledger.ledger.queries``, served to this machine alone."""

LEDGER_VARIABLE = "ACTIONLEDGER_LEDGER"
"""The environment variable that names the ledger to show."""

READ_ONLY_VARIABLE = "ACTIONLEDGER_DASHBOARD_READ_ONLY"
"""The environment variable that is set where nobody may write anything from a page."""

ALLOWED_VARIABLE = "ACTIONLEDGER_DASHBOARD_ALLOWED"
"""The environment variable that holds who is let in, a line each, where a login is asked for."""
