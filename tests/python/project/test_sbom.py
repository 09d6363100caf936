"""The software bill of materials names what the build asks for."""

import importlib.machinery
import importlib.util
import json
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


# Of the wheels, by whether it is their bill: what the system brings that they are used on has any version there,
# and zig's is known where the release's tools are installed. A build without MPI has no version of it.
MAY_BE_UNKNOWN = {
    False: {"Open MPI"},
    True: {"glibc", "numpy", "scikit-learn", "libc++ and libunwind of zig", "compiler_rt of zig"},
}


@pytest.mark.parametrize("kind", [[], ["--wheel"]], ids=["build", "wheel"])
def test_names_every_library_of_the_build(tmp_path, kind):
    subprocess.run([sys.executable, ROOT / "scripts/sbom", *kind, tmp_path], check=True)
    bill = json.loads((tmp_path / "sbom.spdx.json").read_text())
    assert bill["spdxVersion"] == "SPDX-2.3"
    names = {package["name"] for package in bill["packages"]}
    libraries = (ROOT / "cmake/libraries.cmake").read_text()
    wanted = re.findall(r"find_package\((\w+) REQUIRED\)", libraries)
    assert {"ZLIB", "fmt", "CLI11", "tomlplusplus"} <= set(wanted)
    assert {name.lower() for name in wanted} - {"threads"} <= {name.lower() for name in names}
    ids = {package["SPDXID"] for package in bill["packages"]} | {"SPDXRef-DOCUMENT"}
    for relation in bill["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= ids
    # Nothing that the build takes from this machine is without a version.
    unknown = {package["name"] for package in bill["packages"] if package["versionInfo"] in ("", "NOASSERTION")}
    assert unknown <= MAY_BE_UNKNOWN[bool(kind)]


def wheel_parts():
    """What stands in the wheels' bill: name -> how it is used."""
    path = str(ROOT / "scripts/sbom")
    loader = importlib.machinery.SourceFileLoader("sbom", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("sbom", loader))
    loader.exec_module(module)
    return {name: use for name, _, _, use in module.WHEEL_PARTS}


def test_notices_of_all_that_wheels_hold_go_with_them():
    notices = (ROOT / "THIRD-PARTY").read_text()
    headings = re.findall(r"^={80}\n(.+)\n={80}$", notices, re.MULTILINE)
    held = [name for name, use in wheel_parts().items() if use == "STATIC_LINK"]
    assert len(held) >= 6 and sorted(held) == sorted(headings)
    for text in notices.split("=" * 80 + "\n")[2::2]:
        assert "licen" in text.lower() or "permission" in text.lower() or "warranty" in text.lower()
    project = (ROOT / "pyproject.toml").read_text()
    assert 'wheel.license-files = ["LICENSE", "THIRD-PARTY"]' in project
    left_out = re.search(r"^sdist.exclude = (.*)$", project, re.MULTILINE)[1]
    assert "THIRD" not in left_out and "LICENSE" not in left_out
    ignored = subprocess.run(["git", "check-ignore", "THIRD-PARTY"], cwd=ROOT, capture_output=True, check=False)
    assert ignored.returncode != 0, "the source distribution leaves out what git ignores"
