"""What the components' scripts listen to beyond themselves ends with them."""

import re
from pathlib import Path

import pytest

import actionledger_dashboard

COMPONENTS = Path(actionledger_dashboard.__file__).parent / "components"
MOUNTED = [path for path in sorted(COMPONENTS.glob("*.js")) if "export default" in path.read_text()]


@pytest.mark.parametrize("path", MOUNTED, ids=lambda path: path.stem)
def test_a_component_that_is_drawn_anew_stops_what_its_last_drawing_listened_to(path: Path) -> None:
    """Streamlit tells it to stop when it goes, and not when it is drawn anew: a step in the viewer left a listener behind each time."""
    script = path.read_text()
    listens = re.search(
        r"\b(?:document|window)\.addEventListener|^\s*addEventListener|\bview\(", script, re.MULTILINE
    )
    returns = re.findall(r"^  return .*", script.partition("export default")[2], re.MULTILINE)
    stops = [line for line in returns if line.strip() != "return;"]
    assert all(line.startswith("  return instead(") for line in stops)
    assert bool(listens) <= bool(stops)
