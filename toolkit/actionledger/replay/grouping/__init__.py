"""Failures in groups: what a group is, how it is gathered, loops among them, and the report of all."""
