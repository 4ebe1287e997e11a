"""Alerts: rules on a report's numbers, checked by a command and by long-running processes, and sent once each."""
