"""The walls around a command, by name: which of them stand is recorded with its result."""

from enum import StrEnum


class Wall(StrEnum):
    """What one wall keeps a command from.

    Of ``memory`` and ``number`` each process is bounded by the kernel where it can do that, and all of them together are counted
    ten times a second.
    """

    FILES = "files"
    """It reads and writes nothing but what it is given: the workspace, its home, and what is installed for everybody."""
    PROCESSES = "processes"
    """It sees no process but its own."""
    SIGNALS = "signals"
    """It can signal no process but its own."""
    ENDING = "ending"
    """It can't end the process that watches over it, and nothing that it started outlives it."""
    NETWORK = "network"
    """It reaches no other machine, and nothing that this one serves."""
    MEMORY = "memory"
    """It is ended when it takes more memory than it may."""
    NUMBER = "number"
    """It is ended when it has more processes and threads than it may."""


KEEPS_TO_THE_WORKSPACE = frozenset({Wall.FILES})
"""The walls without which a command runs only where an operator asks for that by name."""
