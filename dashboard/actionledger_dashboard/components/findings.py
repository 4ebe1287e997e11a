"""What the checks of a ledger say, as a list: those that need somebody first."""

from collections.abc import Sequence

from actionledger.ledger.health import Finding, Level
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.visible import pieces

_LOOKS = {Level.FINE: "good", Level.NOTE: "idle", Level.FAULT: "bad"}
_ORDER = [Level.FAULT, Level.NOTE, Level.FINE]

_mount = mount_of("findings")


def show_findings(findings: Sequence[Finding]) -> None:
    """Show findings."""
    drawn = [
        {
            "level": str(finding.level),
            "look": _LOOKS[finding.level],
            "check": str(finding.check),
            "sentence": pieces(finding.sentence),
            "to_do": pieces(finding.to_do),
        }
        for finding in sorted(findings, key=lambda finding: _ORDER.index(finding.level))
    ]
    _mount(key="findings", data={"findings": drawn})
