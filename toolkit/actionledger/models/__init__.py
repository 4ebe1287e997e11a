"""Language models: one small protocol; live, recorded and scripted ones behind it.

``OpenAICompatible`` is in ``models.openai``: it needs the extra ``live``, the others need nothing.
"""

from actionledger.models.base import Chunk, Chunks, Completion, Message, Model, Role, Usage
from actionledger.models.errors import (
    BrokenResponseError,
    ModelError,
    ModelStatusError,
    ModelTimeoutError,
    ModelUnreachableError,
    NoMoreResponsesError,
    RateLimitedError,
    ReplayDivergedError,
    RequestRefusedError,
    ServerFailedError,
)
from actionledger.models.recorded import RecordedModel
from actionledger.models.scripted import Asked, ScriptedModel
from actionledger.models.spec import model_from
from actionledger.models.timeouts import Timeouts

__all__ = [
    "Asked",
    "BrokenResponseError",
    "Chunk",
    "Chunks",
    "Completion",
    "Message",
    "Model",
    "ModelError",
    "ModelStatusError",
    "ModelTimeoutError",
    "ModelUnreachableError",
    "NoMoreResponsesError",
    "RateLimitedError",
    "RecordedModel",
    "ReplayDivergedError",
    "RequestRefusedError",
    "Role",
    "ScriptedModel",
    "ServerFailedError",
    "Timeouts",
    "Usage",
    "model_from",
]
