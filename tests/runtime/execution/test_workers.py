"""The threads of handlers keep nothing from ending, and leave nothing to complain of at the end of the process."""

import pytest

BEGIN = """
import actionledger as al
runtime = al.Runtime("coder", dry_run=True)
runtime.handle("<create_file><path>a</path><content>x</content></create_file>")
"""


@pytest.mark.parametrize("end", ["", "runtime.close()", "del runtime", "raise SystemExit(0)"])
def test_a_session_that_nobody_closed_prints_nothing_at_the_end(tmp_path, forked, end):
    """A thread that waits for its next job would keep modules, and what DuckDB's binding counts, from being let go."""
    done = forked.run(BEGIN + end, tmp_path, is_taken_down=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
