"""The small profile and its sessions."""

from small_profile import events, profile, session

__all__ = ["events", "profile", "session"]
