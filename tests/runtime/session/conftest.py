"""The small profile and its sessions."""

from small_profile import events, executor, profile, session, step

__all__ = ["events", "executor", "profile", "session", "step"]
