"""How long a process may read one text, ended by a signal that no code of it can hold up."""

import signal

CLOCK = 10
"""How much longer a text may take by the clock than of a processor: a machine may be busy, and a check may wait for something."""


class Limit:
    """Ends this process where a text takes too long.

    Args:
        seconds: of a processor; by the clock it is ``CLOCK`` times as long.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)

    def begin(self) -> None:
        """Begin to count."""
        self._set(self._seconds)

    def end(self) -> None:
        """Count no longer."""
        self._set(0)

    def _set(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, seconds * CLOCK)
