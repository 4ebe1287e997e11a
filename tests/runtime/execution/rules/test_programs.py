"""What a line starts, and whether that is all: a shell that reads what nobody sees runs anything."""

import pytest

from actionledger.runtime.execution.rules.programs import started_by


@pytest.mark.parametrize("line", ["bash run.sh", "sh -x run.sh", "bash --version", "ls -l"])
def test_what_is_seen_is_known(line):
    """A script is named, or nothing is run."""
    assert started_by(line).is_known


@pytest.mark.parametrize(
    "line", ["bash", "bash -x", "sh -s", "zsh +e", "bash -c", 'sh -c "$LINE"', "cat a | bash"]
)
def test_what_a_shell_reads_is_not_known(line):
    """Options name no script, and a variable no line."""
    assert not started_by(line).is_known
