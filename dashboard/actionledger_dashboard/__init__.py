"""The dashboard: pages over ``actionledger.ledger.queries``, served to this machine alone."""

LEDGER_VARIABLE = "ACTIONLEDGER_LEDGER"
"""The environment variable that names the ledger to show."""

READ_ONLY_VARIABLE = "ACTIONLEDGER_DASHBOARD_READ_ONLY"
"""The environment variable that, when set, keeps every page from writing."""

ALLOWED_VARIABLE = "ACTIONLEDGER_DASHBOARD_ALLOWED"
"""The environment variable that lists who may log in, one a line, if the dashboard requires a login."""
