"""Validation: raw actions become calls or named errors. Pure; nothing that a model writes raises an error."""
