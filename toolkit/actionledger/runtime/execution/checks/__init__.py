"""Checks of the gate that take more than a glance."""
