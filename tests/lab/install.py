"""Installs agents and frameworks into a temporary folder, each by itself, from the package registries and from nowhere else."""

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

PINS = Path(__file__).with_name("pins.toml")


@dataclass(frozen=True)
class Pin:
    """A package, its version, and what is installed beside it."""

    package: str
    version: str
    beside: tuple[str, ...] = ()

    @property
    def bare(self) -> str:
        """The package's name without its extras."""
        return self.package.split("[")[0]


def pins(kind: str) -> dict[str, Pin]:
    """Return the pinned agents or frameworks by their names."""
    table = tomllib.loads(PINS.read_text(encoding="utf-8"))
    return {
        name: Pin(
            row["package"],
            row["version"],
            tuple(f"{package}=={version}" for package, version in row.get("beside", {}).items()),
        )
        for name, row in table[kind].items()
    }


def node(folder: Path) -> Path:
    """Install the Node that agents are started with, and return its program."""
    row = tomllib.loads(PINS.read_text(encoding="utf-8"))["node"]
    return agent(Pin(row["package"], row["version"]), folder) / "node" / "bin" / "node"


def agent(pin: Pin, folder: Path, node: Path | None = None) -> Path:
    """Install an agent, unless that version is there, and return where its packages are; some look which Node installs them."""
    place = folder / f"{pin.package.replace('/', '_')}@{pin.version}"
    if not (place / "installed").exists():
        place.mkdir(parents=True, exist_ok=True)
        flags = ["--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(place)]
        _done(["npm", "install", *flags, f"{pin.package}@{pin.version}"], node)
        (place / "installed").touch()
    return place / "node_modules"


def framework(pin: Pin, folder: Path) -> Path:
    """Install a framework into an environment of its own, unless it is there, and return its Python."""
    place = folder / f"{pin.bare}@{pin.version}"
    if not (place / "installed").exists():
        _done([sys.executable, "-m", "venv", "--clear", str(place)])
        flags = ["--quiet", "--disable-pip-version-check"]
        _done(
            [
                str(place / "bin/python"),
                "-m",
                "pip",
                "install",
                *flags,
                f"{pin.package}=={pin.version}",
                *pin.beside,
            ]
        )
        (place / "installed").touch()
    return place / "bin" / "python"


def newest(kind: str, pin: Pin) -> Pin:
    """Return a pin at the newest version; what stands beside a framework is the newest, too."""
    if kind == "agents":
        version = json.loads(_said(["npm", "view", pin.package, "version", "--json"]))
        return Pin(pin.package, version if isinstance(version, str) else version[-1])
    beside = tuple(each.split("==")[0] for each in pin.beside)
    told = _said([sys.executable, "-m", "pip", "index", "versions", "--disable-pip-version-check", pin.bare])
    return Pin(pin.package, told.split("(")[1].split(")")[0], beside)


def _said(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, env=_environment()).stdout


def _done(command: list[str], node: Path | None = None) -> None:
    env = _environment()
    if node:
        env["PATH"] = f"{node.parent}:{env['PATH']}"
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)


def _environment() -> dict[str, str]:
    """The environment without the paths of this repository, which are not for another Python."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
