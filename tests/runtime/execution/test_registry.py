"""Which profiles there are, what other packages bring, and what is said of them without loading them."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

import actionledger as al
from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.vocabulary import ActionStatus
from actionledger.ledger.queries.filters import Filter
from actionledger.profiles.coder import CODER
from actionledger.replay.loop import _OF_TOOLKIT, takes_references
from actionledger.runtime.execution import registry
from actionledger.runtime.execution.registry import GROUP, PROFILES, TOOLKIT, Profiles, profile_named

ACTIONS = al.ActionSet("post")


@ACTIONS.action(example={"to": "Ada"})
def send_letter(to: str) -> str:
    """Send a letter."""
    return f"to {to}"


POST = al.custom_profile("post", dialects=["hermes"], actions=ACTIONS)
NO_PROFILE = "a text"


@pytest.fixture
def offered(monkeypatch):
    """Makes the profiles of a process in which packages offer these entry points, as (name, object in this file)."""

    def make(*entries: tuple[str, str]) -> Profiles:
        points = [EntryPoint(name, f"{__name__}:{path}", GROUP) for name, path in entries]
        monkeypatch.setattr(registry, "entry_points", lambda group: points if group == GROUP else [])
        # A test module is no module by its name under importlib mode: hand out its objects directly.
        monkeypatch.setattr(EntryPoint, "load", lambda entry: globals()[entry.attr])
        return Profiles(entry for entry in TOOLKIT if entry.name == "coder")

    return make


@pytest.fixture
def registered(monkeypatch):
    """The post's profile, known to this process for the time of a test."""
    monkeypatch.setattr(PROFILES, "_registered", {})
    return al.register_profile(POST)


def test_the_profile_of_another_package_is_found(offered):
    """By its name, beside those that come with the toolkit; it is loaded when it is asked for."""
    profiles = offered(("post", "POST"), ("no", "NO_PROFILE"))
    assert list(profiles) == ["coder", "post", "no"]
    assert "post" in profiles
    assert len(profiles) == 3
    assert profiles["post"] is POST
    assert profiles["coder"] is CODER
    assert profiles.get("unheard") is None


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package that was installed beside the toolkit; of the three profiles that it offers one can be loaded."""
    metadata = tmp_path / "post_office-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: post-office\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[{GROUP}]\nletters = post_office:LETTERS\nparcels = post_office:PARCELS\nbills = no_such_office:BILLS\n"
    )
    (tmp_path / "post_office.py").write_text(
        "from dataclasses import replace\n\nimport actionledger as al\n\n"
        'LETTERS = replace(al.profile("coder"), name="letters")\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield Profiles(TOOLKIT)
    sys.modules.pop("post_office", None)


def test_an_installed_package_offers_profiles(installed):
    """By its metadata alone; one that can't be loaded is said with its package, and the others can be used."""
    assert {"coder", "letters", "parcels", "bills"} <= set(installed)
    for name, why in (("parcels", "AttributeError"), ("bills", "ModuleNotFoundError: No module named")):
        with pytest.raises(
            UsageError, match=f"The profile '{name}' of the package 'post-office' can't be .* {why}"
        ):
            installed[name]
    assert installed["letters"].name == "letters"
    assert installed["coder"] is CODER


def test_the_profiles_of_the_toolkit_go_by_their_names():
    """Each is where its entry point says, and is the one that records know by that name."""
    assert [profile_named(entry.name).name for entry in TOOLKIT] == [entry.name for entry in TOOLKIT]


def test_a_profile_is_loaded_when_it_is_asked_for_by_name(tmp_path):
    """Whoever lists the names, or works with one profile, doesn't pay for the others."""
    code = (
        "import sys; from actionledger.profiles import PROFILES, profile_named; list(PROFILES); profile_named('mint'); "
        "print([name for name in sys.modules if name.startswith('actionledger.profiles.') and name.count('.') == 2])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['actionledger.profiles.mint']\n"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (("no", "NO_PROFILE"), "offers as the profile 'no' is 'a text'; it must be a Profile of that name"),
        (("mail", "POST"), "offers as the profile 'mail' is Profile"),
        (("gone", "GONE"), "The profile 'gone' of .* can't be loaded: KeyError"),
    ],
)
def test_what_another_package_does_wrong_is_said(offered, entry, said):
    """When that profile is asked for, and of no other one."""
    profiles = offered(entry, ("post", "POST"))
    assert profiles["post"] is POST
    with pytest.raises(UsageError, match=said):
        profiles[entry[0]]


def test_a_name_that_is_taken_is_not_replaced(offered):
    """Neither one of the toolkit's nor one that was offered before; a warning says so."""
    profiles = offered(("coder", "POST"), ("post", "POST"), ("post", "NO_PROFILE"))
    with pytest.warns(UserWarning, match="of .* has the name of another one and is not used") as warned:
        assert list(profiles) == ["coder", "post"]
    assert len(warned) == 2
    assert profiles["coder"] is CODER
    assert profiles["post"] is POST


def test_a_registered_profile_goes_by_its_name(registered):
    """Everywhere where a name is taken, until another one is registered in its place."""
    assert "post" in al.profile_names()
    assert al.profile("post") is POST
    result = al.parse(al.render([("send_letter", {"to": "Ada"})], dialect="hermes"), profile="post")
    assert result.actions[0].status is ActionStatus.VALID
    other = al.custom_profile("post", dialects=["json"], actions=ACTIONS)
    assert al.register_profile(other) is other
    assert al.profile("post") is other


def test_a_name_of_the_toolkit_cannot_be_registered():
    """A recorded session says which profile it ran under; that may not change its meaning."""
    with pytest.raises(UsageError, match="A profile 'coder' comes with the toolkit"):
        PROFILES.register(CODER)


def test_an_unknown_profile_names_those_that_are_registered(registered):
    """So that a slip of the pen is seen."""
    with pytest.raises(UnknownNameError, match=r"Did you mean 'post'\?"):
        al.profile("pots")


def test_a_recorded_session_is_read_again_with_its_own_catalogue(registered, tmp_path):
    """What was refused when it was recorded is refused when it is read again."""
    text = al.render([("send_letter", {"to": 5})], dialect="hermes")
    with al.open_ledger(tmp_path / "post.duckdb") as ledger:
        with al.Runtime(POST, ledger=ledger) as runtime:
            runtime.handle(text)
        report = al.reparse(ledger, parser="auto", within=Filter(profiles=("post",)))
        rows = ledger.sql(
            f"SELECT status, catalogue FROM actions WHERE run_id = '{report.run_id}'"
        ).fetchall()
    assert rows == [("invalid", "post")]


@pytest.mark.parametrize("name", [entry.name for entry in TOOLKIT])
def test_the_toolkits(name: str) -> None:
    assert _OF_TOOLKIT[name] == takes_references(name) == PROFILES[name].catalogue.references


def test_no_others_are_listed() -> None:
    assert set(_OF_TOOLKIT) == {entry.name for entry in TOOLKIT}


def test_one_that_nobody_knows_has_none() -> None:
    assert not takes_references("")
    assert not takes_references("nobody's")
