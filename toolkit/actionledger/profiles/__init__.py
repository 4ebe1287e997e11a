"""The ways of working with a model that come with the toolkit, one package each; none is loaded before it is named."""

from actionledger.runtime.execution.registry import PROFILES, profile_named

__all__ = ["PROFILES", "profile_named"]
