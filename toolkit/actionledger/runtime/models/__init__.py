"""Language models: one small protocol, with live, recorded and scripted models.

``OpenAICompatible`` is in ``models.openai`` because it needs the extra ``live``; the others need nothing.
"""

from typing import TYPE_CHECKING

from actionledger.core.hooks import by_name, lazy_getattr

if TYPE_CHECKING:
    from actionledger.runtime.models.access import Timeouts as Timeouts
    from actionledger.runtime.models.base import (
        Chunk as Chunk,
        Chunks as Chunks,
        Completion as Completion,
        Message as Message,
        Model as Model,
        Role as Role,
        Usage as Usage,
    )
    from actionledger.runtime.models.errors import (
        BrokenResponseError as BrokenResponseError,
        ModelError as ModelError,
        ModelStatusError as ModelStatusError,
        ModelTimeoutError as ModelTimeoutError,
        ModelUnreachableError as ModelUnreachableError,
        NoMoreResponsesError as NoMoreResponsesError,
        RateLimitedError as RateLimitedError,
        ReplayDivergedError as ReplayDivergedError,
        RequestRefusedError as RequestRefusedError,
        ServerFailedError as ServerFailedError,
    )
    from actionledger.runtime.models.scripted import (
        Asked as Asked,
        RecordedModel as RecordedModel,
        ScriptedModel as ScriptedModel,
    )
    from actionledger.runtime.models.spec import model_from as model_from

_MODULES = by_name(
    {
        "access": "Timeouts",
        "base": "Chunk Chunks Completion Message Model Role Usage",
        "errors": "BrokenResponseError ModelError ModelStatusError ModelTimeoutError ModelUnreachableError NoMoreResponsesError RateLimitedError ReplayDivergedError RequestRefusedError ServerFailedError",
        "scripted": "Asked RecordedModel ScriptedModel",
        "spec": "model_from",
    }
)
"""The module of each name, imported on first use: assembling streamed pieces needs no model."""

__all__ = [*_MODULES]  # noqa: PLE0604 - the table has them


if not TYPE_CHECKING:  # else a name that doesn't exist would pass for Any
    __getattr__ = lazy_getattr(__name__, _MODULES)
