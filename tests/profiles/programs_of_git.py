"""All settings by which a repository can name a program that git starts: each with what git needs so that it would."""

import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

HOOKS = (
    *(
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "pre-push",
        "post-checkout",
        "post-merge",
    ),
    *("reference-transaction", "post-index-change", "pre-auto-gc", "pre-receive", "update", "post-receive"),
    *(
        "post-update",
        "push-to-checkout",
        "proc-receive",
        "fsmonitor-watchman",
        "post-rewrite",
        "applypatch-msg",
    ),
)


@dataclass(frozen=True)
class Trap:
    """Settings of a repository, where ``PROGRAM`` stands for the program that must not be started.

    Args:
        settings: by name.
        attributes: what stands in the repository's ``.gitattributes``.
        push_to: the address of the remote; a bare repository in the workspace where not given.
    """

    settings: Mapping[str, str]
    attributes: str = ""
    push_to: str = "./.git/remote"


@dataclass(frozen=True)
class Trapped:
    """A repository with a trap in it."""

    root: Path
    names: list[str] = field(default_factory=list)

    @property
    def caught(self) -> list[str]:
        """The traps whose program has run."""
        return sorted(path.name.removeprefix("caught-") for path in (self.root / ".git").glob("caught-*"))


def git(folder, *words):
    """Run git as a person would."""
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null")
    done = subprocess.run(["git", *settings, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def repository(root):
    """Make a repository with two branches, a submodule's worth of history, and a remote inside its own folder."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    for branch, text in (("main", "one\n"), ("other", "two\n")):
        git(root, "switch", "--quiet", *(["--create", branch] if branch == "other" else ["--orphan", branch]))
        (root / "x").write_text(text)
        git(root, "add", "x")
        git(root, "commit", "--quiet", "-m", branch)
    git(root, "switch", "--quiet", "main")
    git(root, "init", "--quiet", "--bare", ".git/remote")
    git(root, "remote", "add", "origin", "./.git/remote")


def program(root, name):
    """Make a program that leaves a mark, and return how a shell calls it."""
    file = root / ".git" / f"program-{name}"
    # What it is given goes on: a filter that loses it would be seen by other signs.
    file.write_text(f"#!/bin/sh\ntouch '{root}/.git/caught-{name}'\nexec cat\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


def hooks(root, folder, name):
    """Make every hook that there is, in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for hook in HOOKS:
        (folder / hook).write_text(Path(program(root, name)).read_text())
        (folder / hook).chmod(0o755)
    return str(folder)


def lay(root, name, trap, file=None):
    """Write a trap into a repository."""
    words = program(root, name)
    folder = hooks(root, root / ".git" / f"hooks-{name}", name)
    for key, value in trap.settings.items():
        where = ["--file", str(file)] if file else []
        git(
            root,
            "config",
            *where,
            "--add",
            key.replace("PROGRAM", words),
            value.replace("PROGRAM", words).replace("HOOKS", folder),
        )
    if trap.attributes:
        with (root / ".gitattributes").open("a") as attributes:
            attributes.write(trap.attributes + "\n")
    if not file:
        git(root, "remote", "set-url", "origin", trap.push_to.replace("PROGRAM", words))


TRAPS = {
    "core.fsmonitor": Trap({"core.fsmonitor": "PROGRAM"}),
    "core.hooksPath": Trap({"core.hooksPath": "HOOKS"}),
    "core.pager": Trap({"core.pager": "PROGRAM"}),
    "pager": Trap(
        {f"pager.{name}": "PROGRAM" for name in ("status", "diff", "show", "config", "branch", "remote")}
    ),
    "core.editor": Trap({"core.editor": "PROGRAM"}),
    "sequence.editor": Trap({"sequence.editor": "PROGRAM"}),
    "core.askPass": Trap({"core.askPass": "PROGRAM"}, push_to="https://127.0.0.1:1/x"),
    "credential.helper": Trap({"credential.helper": "!PROGRAM"}, push_to="https://127.0.0.1:1/x"),
    "diff.external": Trap({"diff.external": "PROGRAM"}),
    "diff.command": Trap({"diff.t.command": "PROGRAM"}, "* diff=t"),
    "diff.textconv": Trap({"diff.t.textconv": "PROGRAM"}, "* diff=t"),
    "filter.clean": Trap({"filter.c.clean": "PROGRAM"}, "* filter=c"),
    "filter.smudge": Trap({"filter.s.smudge": "PROGRAM"}, "* filter=s"),
    "filter.process": Trap({"filter.p.process": "PROGRAM", "filter.p.required": "true"}, "* filter=p"),
    "merge.driver": Trap({"merge.m.driver": "PROGRAM", "merge.default": "m"}, "* merge=m"),
    "core.sshCommand": Trap({"core.sshCommand": "PROGRAM"}, push_to="ssh://127.0.0.1:1/x"),
    "core.gitProxy": Trap({"core.gitProxy": "PROGRAM"}, push_to="git://127.0.0.1:1/x"),
    "gpg.program": Trap({"gpg.program": "PROGRAM", "commit.gpgSign": "true", "log.showSignature": "true"}),
    "gpg.openpgp.program": Trap({"gpg.openpgp.program": "PROGRAM", "commit.gpgSign": "true"}),
    "gpg.x509.program": Trap({"gpg.x509.program": "PROGRAM", "gpg.format": "x509", "commit.gpgSign": "true"}),
    "gpg.ssh.program": Trap(
        {
            "gpg.ssh.program": "PROGRAM",
            "gpg.format": "ssh",
            "commit.gpgSign": "true",
            "user.signingKey": "key::x",
        }
    ),
    "gpg.ssh.defaultKeyCommand": Trap(
        {"gpg.ssh.defaultKeyCommand": "PROGRAM", "gpg.format": "ssh", "commit.gpgSign": "true"}
    ),
    "push.gpgSign": Trap({"gpg.program": "PROGRAM", "push.gpgSign": "true"}),
    "remote.receivepack": Trap({"remote.origin.receivepack": "PROGRAM"}),
    "remote.vcs": Trap({"remote.origin.vcs": "ext", "protocol.ext.allow": "always"}, push_to="PROGRAM"),
    "remote.proxy": Trap({"remote.origin.proxy": "PROGRAM"}, push_to="https://127.0.0.1:1/x"),
    "remote.url": Trap({"protocol.ext.allow": "always"}, push_to="ext::PROGRAM"),
    "protocol.allow": Trap({"protocol.allow": "always"}, push_to="ext::PROGRAM"),
    "url.insteadOf": Trap({"url.ext::PROGRAM.insteadOf": "./", "protocol.ext.allow": "always"}),
    "url.pushInsteadOf": Trap({"url.ext::PROGRAM.pushInsteadOf": "./", "protocol.ext.allow": "always"}),
    "alias": Trap(
        {f"alias.{name}": "!PROGRAM" for name in ("status", "diff", "commit", "switch", "push", "add")}
    ),
    "core.alternateRefsCommand": Trap({"core.alternateRefsCommand": "PROGRAM"}),
    "uploadpack.packObjectsHook": Trap({"uploadpack.packObjectsHook": "PROGRAM"}),
    "gc.auto": Trap({"gc.auto": "1", "maintenance.auto": "true", "core.hooksPath": "HOOKS"}),
    "trailer.command": Trap(
        {"trailer.t.command": "PROGRAM", "trailer.t.cmd": "PROGRAM", "trailer.ifmissing": "add"}
    ),
    "interactive.diffFilter": Trap({"interactive.diffFilter": "PROGRAM"}),
    "difftool": Trap(
        {"diff.tool": "t", "difftool.t.cmd": "PROGRAM", "merge.tool": "t", "mergetool.t.cmd": "PROGRAM"}
    ),
    "hook.command": Trap({"hook.h.command": "PROGRAM", "hook.h.event": "pre-commit"}),
    "core.attributesFile": Trap({"core.attributesFile": ".git/attributes", "filter.a.clean": "PROGRAM"}),
    "submodule.update": Trap({"submodule.sub.update": "!PROGRAM", "submodule.recurse": "true"}),
}
"""By the name of the setting."""
