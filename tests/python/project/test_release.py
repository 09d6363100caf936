"""What `make release` looks at before it builds anything, and what it does with extras afterwards."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
RELEASE = ROOT / "scripts/release"
PROJECT = (ROOT / "pyproject.toml").read_text()
EXTRAS = re.findall(r"^(\w+) = \[", PROJECT.partition("[project.optional-dependencies]")[2].partition("\n\n")[0], re.M)


class Machine:
    """The checks of a release, with programs that say what a test wants them to say."""

    def __init__(self, folder):
        self.programs = folder / "programs"
        self.home = folder / "home"
        self.home.mkdir()
        self.programs.mkdir()
        # A tree of its own: no bare systems of an earlier release stand in it.
        self.tree = folder / "tree"
        shutil.copytree(RELEASE, self.tree / "scripts/release")
        shutil.copyfile(ROOT / "CMakeLists.txt", self.tree / "CMakeLists.txt")
        tools = "bash dirname sed awk sort head git env mkdir rm cat ls sha256sum touch"
        for name in tools.split():
            found = next(path for path in map(pathlib.Path, ("/usr/bin", "/bin")) if (path / name).exists())
            (self.programs / name).symlink_to(found / name)
        self.program("id", "echo 0")
        self.program("debootstrap", "exit 0")
        self.program("wget", "exit 0")
        for minor in (9, 10, 11, 12):
            self.program(f"python3.{minor}", "exit 0")

    def program(self, name, text):
        path = self.programs / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def without(self, name):
        (self.programs / name).unlink()

    def check(self, **settings):
        return self.run("--check", **settings)

    def run(self, *arguments, **settings):
        return subprocess.run(
            [self.tree / "scripts/release/run", *arguments],
            env={"PATH": str(self.programs), "HOME": str(self.home), **settings},
            capture_output=True,
            text=True,
            check=False,
        )

    def complaints(self, **settings):
        done = self.check(**settings)
        assert done.returncode == 1, done.stdout
        return [line for line in done.stderr.splitlines() if ": note: " not in line]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_a_machine_that_has_everything_is_told_what_will_be_made(machine):
    done = machine.check(UBUNTU_MIRROR="https://ubuntu.invalid")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "release: wheels for Python 3.9 3.10 3.11 3.12; tried on bullseye bookworm jammy noble\n"
    )


def test_without_an_address_of_ubuntu_s_packages_its_systems_are_left_out(machine):
    done = machine.check()
    assert done.returncode == 0 and "tried on bullseye bookworm\n" in done.stdout
    assert [line for line in done.stderr.splitlines() if "left out" in line] == [
        f"release: note: {suite} is left out: UBUNTU_MIRROR=ADDRESS would say where packages of Ubuntu are"
        for suite in ("jammy", "noble")
    ]


def test_a_system_that_was_asked_for_is_not_left_out(machine):
    (line,) = machine.complaints(RELEASE_ROOTS="jammy")
    assert line == "root: jammy: say where packages of Ubuntu are: UBUNTU_MIRROR=ADDRESS"


def test_missing_interpreters_are_named_at_once(machine):
    for minor in (9, 10, 12):
        machine.without(f"python3.{minor}")
    (line,) = machine.complaints()
    assert line.startswith("release: install Python 3.9 3.10 3.12 with venv")
    done = machine.check(RELEASE_PYTHONS="3.11")
    assert done.stdout == "release: wheels for Python 3.11; tried on bookworm\n"
    (line,) = machine.complaints(RELEASE_PYTHONS="3.11", RELEASE_ROOTS="bullseye")
    assert line == "release: bullseye has Python 3.9, for which no wheel is asked for (RELEASE_PYTHONS)"


def test_a_later_python_builds_the_stable_abi_and_pyenv_s_are_found(machine):
    machine.without("python3.12")
    machine.program("python3.13", "exit 0")
    machine.without("python3.9")
    folder = machine.home / ".pyenv/versions/3.9.18/bin"
    folder.mkdir(parents=True)
    machine.program("python3.10", "exit 0")
    os.link(machine.programs / "python3.10", folder / "python3.9")
    assert machine.check().returncode == 0


def test_a_python_without_venv_is_none(machine):
    machine.program("python3.11", "exit 1")
    (line,) = machine.complaints()
    assert line.startswith("release: install Python 3.11 with venv")


def test_a_check_installs_nothing(machine):
    machine.without("debootstrap")
    installed = machine.home / "installed"
    machine.program("apt-get", f"touch {installed}")
    (line,) = machine.complaints()
    assert line == "release: install debootstrap, which makes the bare systems"
    assert not installed.exists()


def test_everything_that_is_wrong_is_said_not_only_the_first(machine):
    machine.program("id", "echo 1000")
    machine.program("wget", "exit 4")
    machine.without("python3.9")
    lines = machine.complaints(RELEASE_ROOTS="bullseye")
    assert lines[0].startswith("release: become root")
    assert lines[1].startswith("release: install Python 3.9 ")
    assert len(lines) == 4
    for suite, line in zip(("bookworm", "bullseye"), lines[2:]):
        assert line.startswith(f"root: {suite}: ") and line.endswith("or does not answer")


class Steps:
    """A machine on which a release builds and tries nothing, but writes down what it would."""

    def __init__(self, machine):
        self.machine = machine
        self.done = machine.tree.parent / "done"
        self.done.touch()
        for name in ("wheels", "try-wheel", "try-sdist"):
            self.script(name)
        self.script("root", '[ "$1" != --check ] || exit 0')
        self.script("wheels", "mkdir -p dist; touch dist/simplexboost-0.2.0.{whl,tar.gz}")
        machine.program("bill", 'touch "${@: -1}"')
        python = machine.tree / "build/release-tools/bin/python"
        python.parent.mkdir(parents=True)
        python.symlink_to(machine.programs / "bill")
        (machine.tree / ".gitignore").write_text("build/\ndist/\n")
        self.commit()

    def script(self, name, text=""):
        path = self.machine.tree / "scripts/release" / name
        path.write_text(f'#!/bin/bash\nset -e\n{text}\necho "{name} ${{*:1:1}}" >>{self.done}\n')

    def commit(self):
        git = ["git", "-C", self.machine.tree, "-c", "user.name=a", "-c", "user.email=a@b.invalid"]
        for one in (["init", "-q"], ["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "a"]):
            subprocess.run(git + one, check=True)

    def run(self, status=0):
        self.done.write_text("")
        done = self.machine.run()
        assert done.returncode == status, done.stderr
        return self.done.read_text().replace("build/roots/", "").splitlines()


def test_a_release_that_was_cut_short_goes_on_where_it_was(machine):
    steps = Steps(machine)
    steps.script("try-sdist", "exit 1")
    steps.commit()
    began = ["wheels dist", "root bullseye", "try-wheel bullseye", "root bookworm", "try-wheel bookworm"]
    assert steps.run(status=1) == [*began, "root bookworm"]
    # The same commit, as far as its wheels are concerned: what failed is tried again, and nothing else.
    assert steps.run(status=1) == ["root bookworm"]
    steps.script("try-sdist")
    steps.commit()
    assert steps.run() == ["wheels dist", "root bookworm", "try-sdist bookworm"]
    assert steps.run() == []
    sums = (machine.tree / "dist/SHA256SUMS").read_text()
    assert len(sums.splitlines()) == 3 and "SHA256SUMS" not in sums
    (machine.tree / "new").touch()
    assert steps.run()[0] == "wheels dist", "a tree with changes has no name, so its wheels are built"


def test_the_page_names_the_versions_that_wheels_are_built_with():
    page = (ROOT / "docs/release.md").read_text()
    wanted = re.findall(r"^([\w-]+)==([\d.]+)", (RELEASE / "constraints.txt").read_text(), re.M)
    assert len(wanted) >= 9
    assert [f"{name} {version}" for name, version in wanted if f"{name} {version}" not in page] == []
    installs = re.findall(r"pip\"? (install .*)$", (RELEASE / "wheels").read_text(), re.M)
    assert len(installs) == 2 and all("-c $versions" in line for line in installs)


def test_every_extra_has_a_use(machine):
    text = (RELEASE / "extras-use.py").read_text()
    uses = re.findall(r"^def (\w+)\(\):$", text, re.MULTILINE)
    assert sorted(uses) == sorted(set(EXTRAS) - {"all"})


@pytest.mark.parametrize("extra", [one for one in EXTRAS if one != "all"])
def test_what_a_trial_does_with_an_extra(extra, tmp_path):
    done = subprocess.run(
        [sys.executable, RELEASE / "extras-use.py", extra],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{extra}: works\n"
