"""What is released: files, metadata, changelog, workflows and forms. ``make release`` builds it and checks what was built."""

import json
import re
import runpy
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
RELEASE = runpy.run_path(str(ROOT / "tests/checks/release.py"))
REPOSITORY = PROJECT["project"]["urls"]["Repository"]
WORKFLOWS = {path.stem: path for path in (ROOT / ".github/workflows").glob("*.yml")}
FORMS = [path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"]


def loaded(path: Path) -> dict:
    """What a file of YAML says; ``on`` is a word there, and no truth."""
    return {
        "on" if key is True else key: value for key, value in yaml.safe_load(path.read_text("utf-8")).items()
    }


@pytest.fixture(scope="module")
def hook() -> dict:
    pytest.importorskip("hatchling")
    return runpy.run_path(str(ROOT / "hatch_build.py"))


def test_the_source_distribution_has_the_package_and_nothing_else():
    """Its patterns begin at the root: tests and pictures that have a folder of the same name stay out."""
    builder = pytest.importorskip("hatchling.builders.sdist").SdistBuilder(str(ROOT))
    names = [f"actionledger-0/{file.distribution_path}" for file in builder.recurse_included_files()]
    assert len(names) > 700
    assert list(RELEASE["faults_of_names"](names)) == []


def test_what_must_not_be_in_it_is_named():
    """The check of what was built sees a stray file."""
    names = ["a-1", "a-1/toolkit/x.py", "a-1/tests/data/test_x.py", "a-1/docs/images/dashboard/x.png"]
    assert len(list(RELEASE["faults_of_names"](names))) == 2


def test_the_description_links_to_files_that_are_there():
    """Each of README's relative links is one to a file of the release's tag."""
    core = (
        pytest.importorskip("hatchling.metadata.core")
        .ProjectMetadata(str(ROOT), pytest.importorskip("hatchling.plugin.manager").PluginManager())
        .core
    )
    targets = re.findall(r"\]\(([^)\s]+)\)", core.readme)
    prefix = re.compile(rf"{re.escape(REPOSITORY)}/(?:blob|raw)/v{re.escape(RELEASE['version']())}/([^#]+)")
    assert len(targets) > 15
    assert [each for each in targets if not each.startswith("https://")] == []
    ours = [found[1] for each in targets if (found := prefix.match(each))]
    assert len(ours) > 15
    assert [path for path in ours if not (ROOT / path).exists()] == []
    assert "nothing is on PyPI" not in core.readme
    assert "'.[" not in core.readme
    assert "pip install 'actionledger[dashboard]'" in core.readme


def test_links_become_absolute_and_code_stays(hook):
    """A picture is fetched raw; what has an address, an anchor alone, or stands in a fence is as it was."""
    text = "[a](b.md#c) ![d](e.png) [f](https://g.h) [i](#j)\n```md\n[k](l.md)\n```\n"
    made = hook["with_absolute_links"](text, "https://forge/x", "v1")
    assert made == (
        "[a](https://forge/x/blob/v1/b.md#c) ![d](https://forge/x/raw/v1/e.png) [f](https://g.h) [i](#j)\n```md\n[k](l.md)\n```\n"
    )


def test_readme_installs_from_the_clone_until_there_is_a_release():
    """No command of it asks an index for a package that is not there."""
    readme = (ROOT / "README.md").read_text("utf-8")
    fences = "".join(re.findall(r"^```bash\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE))
    commands = re.findall(r"^(?:pip|pipx|uvx|uv) .*", fences, re.MULTILINE)
    assert len(commands) >= 3
    assert [
        each
        for each in commands
        if not re.match(r"pip install '\.\[|uvx --from \. |pipx run --spec \. ", each)
    ] == []


def test_the_version_has_one_place():
    """The build takes it from there, and no other file of the project says it."""
    version = RELEASE["version"]()
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "toolkit/actionledger/_version.py"
    assert {"version", "readme"} == set(PROJECT["project"]["dynamic"])
    said = [
        path for path in ROOT.glob("t*/actionledger/**/*.py") if f'"{version}"' in path.read_text("utf-8")
    ]
    assert [path.name for path in said] == ["_version.py"]


def test_the_changelog_is_cut():
    """An unreleased section first, and this version's with its date."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert list(RELEASE["faults_of_changelog"](changelog, RELEASE["version"]())) == []
    dates = [date for _, date in RELEASE["sections"](changelog)[1:]]
    assert dates == sorted(dates, reverse=True)


@pytest.mark.parametrize(
    "changelog",
    [
        "## [0.2.0] - 2026-01-01\n\n[0.2.0]: https://x",
        "## [Unreleased]\n\n## [0.2.0]\n\n[unreleased]: https://x\n[0.2.0]: https://x",
    ],
)
def test_a_changelog_that_is_not_cut_is_named(changelog):
    """Without an unreleased section, and without a date."""
    assert list(RELEASE["faults_of_changelog"](changelog, "0.2.0"))


def test_a_tag_of_another_version_and_a_folder_with_more_are_named(tmp_path):
    """Nothing of either goes out."""
    (tmp_path / "actionledger-9.9.9.tar.gz").write_bytes(b"")
    faults = list(RELEASE["faults_of_release"](tmp_path, "v9.9.9"))
    assert any("the tag v9.9.9" in fault for fault in faults)
    assert any("holds actionledger-9.9.9.tar.gz" in fault for fault in faults)


def test_every_address_of_the_project_is_of_one_place():
    """In every file that says where the project is."""
    owner = re.escape(REPOSITORY.removesuffix("/actionledger"))
    files = [*ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.yml"), *(ROOT / "docs").glob("*.md")]
    said = [found for path in files for found in re.findall(rf"{owner}/[\w-]+", path.read_text("utf-8"))]
    assert len(said) > 3
    assert set(said) == {REPOSITORY}


def test_the_same_pythons_are_named_everywhere():
    """Classifiers, the matrix of CI, and ``make matrix``."""
    named = [
        found
        for each in PROJECT["project"]["classifiers"]
        for found in re.findall(r"Python :: (3\.\d+)$", each)
    ]
    assert named == ["3.11", "3.12", "3.13", "3.14"]
    assert loaded(WORKFLOWS["ci"])["jobs"]["test"]["strategy"]["matrix"]["python"] == named
    assert f"PYTHONS ?= {' '.join(named)}\n" in (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_a_workflow_has_few_rights_and_fixed_actions(name):
    """It may read unless a job says more, ends in time, and takes no action by a tag that somebody can move."""
    workflow = loaded(WORKFLOWS[name])
    assert workflow["permissions"] in ({}, {"contents": "read"})
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert [each for each in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", each)] == []
    assert [
        job for job in workflow["jobs"].values() if "timeout-minutes" not in job and "needs" not in job
    ] == []
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {
        found for step in steps for found in re.findall(r"\bmake ([\w-]+)", step.get("run", ""))
    } <= targets


def test_a_tag_alone_publishes_and_without_a_token():
    """One job may ask for an identity, in an environment that a person can guard; what it sends was checked before."""
    workflow = loaded(WORKFLOWS["release"])
    assert workflow["on"] == {"push": {"tags": ["v*"]}}
    publish = workflow["jobs"]["publish"]
    assert (publish["permissions"], publish["needs"]) == ({"id-token": "write"}, "build")
    assert publish["environment"]["name"] == "pypi"
    assert "password" not in json.dumps(workflow)
    assert any("make release TAG=" in step.get("run", "") for step in workflow["jobs"]["build"]["steps"])


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_is_one_that_the_forge_takes(path):
    """Its keys and kinds, each field named once; and it asks for the bundle, by a command that there is."""
    form = loaded(path)
    assert {"name", "description", "body"} <= set(form) <= {"name", "description", "title", "labels", "body"}
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert {each["type"] for each in fields} <= {"input", "textarea", "dropdown", "checkboxes"}
    assert len({each["id"] for each in fields}) == len(fields)
    assert all(each["attributes"]["label"] for each in fields)
    asked = path.read_text("utf-8")
    assert "actionledger doctor --bundle" in asked
    doctor = (ROOT / "toolkit/actionledger/cli/upkeep.py").read_text("utf-8")
    assert [each for each in re.findall(r"doctor (--[\w-]+)", asked) if f'"{each}"' not in doctor] == []


def test_the_lock_names_the_public_index_alone():
    """No host and no folder of the machine that wrote it; and every requirement is locked."""
    lock = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))
    addresses = set(re.findall(r'"(\w+://[^/"]*)', (ROOT / "uv.lock").read_text("utf-8")))
    assert addresses == {"https://pypi.org", "https://files.pythonhosted.org"}
    assert {key for each in lock["package"] for key in each["source"]} == {"registry", "editable"}
    locked = {each["name"] for each in lock["package"]}
    groups = [PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"].values()]
    needed = {re.split(r"[^\w.-]", line, maxsplit=1)[0].lower() for group in groups for line in group}
    assert needed - locked == set()
