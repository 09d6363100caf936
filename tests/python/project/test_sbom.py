"""The software bill of materials names what the build asks for."""

import json
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


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
    assert all(package["versionInfo"] for package in bill["packages"])
