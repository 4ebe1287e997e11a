"""The toolkit's own profiles, one package each, loaded only when named."""

from actionledger.runtime.execution.registry import PROFILES, profile_named

__all__ = ["PROFILES", "profile_named"]
