"""Alerts: rules over the numbers of a report, checked by a command and by what runs for long, and sent once each."""
