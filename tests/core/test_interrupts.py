"""Ctrl-C waits where it must, and is then answered as it would have been."""

import os
import signal
from collections.abc import Iterator
from threading import Thread

import pytest
from interrupting import heard

from actionledger.core.processes import defer_interrupts, interrupt_gate


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    with heard():
        yield


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_it_waits_for_the_end():
    """Of what is done, and comes then, once."""
    done = []

    @defer_interrupts()
    def work() -> None:
        press()
        press()
        done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"]
    with pytest.raises(KeyboardInterrupt):
        press()


def test_it_comes_also_where_that_fails():
    """The fault is told as what came before it."""

    @defer_interrupts()
    def work() -> None:
        press()
        raise ValueError("no")

    with pytest.raises(KeyboardInterrupt) as raised:
        work()
    assert isinstance(raised.value.__context__, ValueError)


def test_where_it_is_ignored_it_stays_so():
    """As in a job in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with defer_interrupts():
            press()
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_it_alone():
    """They are not told of it."""
    seen = []

    def work() -> None:
        with defer_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


def test_where_there_is_much_to_do_the_answer_is_changed_once():
    """It waits within each piece, and comes between two of them as ever."""
    before = signal.getsignal(signal.SIGINT)
    done = []

    def work() -> None:
        with interrupt_gate():
            for number in range(3):
                with defer_interrupts():
                    if number == 1:
                        press()
                    done.append(number)
            done.append("more")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [0, 1]
    assert signal.getsignal(signal.SIGINT) == before

    def wait() -> None:
        with interrupt_gate():
            press()
            done.append("more")

    with pytest.raises(KeyboardInterrupt):
        wait()
    assert done == [0, 1]


def test_one_within_another_waits_for_the_end_of_the_outer_one():
    """What is not to be broken is not, however it is made of parts."""
    done = []

    def work() -> None:
        with interrupt_gate(), interrupt_gate(), defer_interrupts():
            with defer_interrupts():
                press()
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"]
