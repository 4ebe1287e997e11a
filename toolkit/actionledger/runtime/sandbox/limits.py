"""How much one run of model-written code may use."""

from dataclasses import dataclass, fields

from actionledger.core.errors import UsageError
from actionledger.runtime.sandbox.inside.plain import Bounds

_KIB, _MIB = 2**10, 2**20
_LEAST_MEMORY = 128 * _MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one run may use.

    Args:
        seconds: wall time, host calls included.
        memory: address space of the process, in bytes.
        code_size: the code, in characters.
        value_nodes: values in the arguments or the answer of one host call, or in the result.
        value_size: bytes of the texts and numbers in these.
        value_depth: nesting of these.
        result_size: bytes of the texts and numbers in the result.
        calls: host calls.
        calls_size: bytes of the arguments and answers of all host calls together.
        output: captured characters of stdout; the same of stderr; the same of logged messages.
        start_seconds: time for the process to start and to shut itself in.

    Raises:
        UsageError: a limit that nothing could stay within.
    """

    seconds: float = 30.0
    memory: int = 512 * _MIB
    code_size: int = 256 * _KIB
    value_nodes: int = 100_000
    value_size: int = 4 * _MIB
    value_depth: int = 50
    result_size: int = 1 * _MIB
    calls: int = 1000
    calls_size: int = 16 * _MIB
    output: int = 256 * _KIB
    start_seconds: float = 10.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0:
                raise UsageError(f"The sandbox's limit {field.name!r} is {value}; it must be more than 0.")
        if self.memory < _LEAST_MEMORY:
            raise UsageError(
                f"The sandbox's limit 'memory' is {self.memory:,} bytes; Python itself needs {_LEAST_MEMORY:,}."
            )

    @property
    def value_bounds(self) -> Bounds:
        """How large the arguments and the answer of a host call may be."""
        return Bounds(self.value_nodes, self.value_size, self.value_depth)

    @property
    def result_bounds(self) -> Bounds:
        """How large the result may be."""
        return Bounds(self.value_nodes, min(self.value_size, self.result_size), self.value_depth)

    @property
    def frame_size(self) -> int:
        """How long one message from the process may be, in bytes: a value with its punctuation and escapes."""
        return 2 * self.value_size + 16 * self.value_nodes + 64 * _KIB

    @property
    def run_size(self) -> int:
        """How long all messages of a run may be together, in bytes: far more than an honest process sends."""
        return 4 * self.calls_size + 64 * self.output + 2 * self.frame_size
