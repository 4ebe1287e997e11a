"""Why a call may be whole without a closing mark: what several dialects say of theirs, see ``Dialect.optional_closers``."""

VALUE_ENDS = "the value before it says itself where it ends: vLLM's and SGLang's parsers give a call out with its last bracket"
CALLS_END = "each call in it has a closing mark of its own"
