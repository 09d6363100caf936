"""What SECURITY.md says of how the command is built, by what the linker wrote down."""

import re
import subprocess

import pytest


@pytest.fixture(scope="module")
def told(binary):
    return lambda *words: subprocess.run(
        ["readelf", "--wide", *words, binary], check=True, capture_output=True, text=True
    ).stdout


def test_relocations_are_read_only_before_the_command_begins(told):
    assert "GNU_RELRO" in told("--program-headers")
    assert re.search(r"FLAGS.*\b(BIND_NOW|NOW)\b", told("--dynamic"))


def test_it_can_lie_anywhere_in_memory_and_its_stack_runs_no_code(told):
    assert re.search(r"Type:\s+DYN", told("--file-header"))
    assert re.search(r"GNU_STACK .* RW ", told("--program-headers"))


def test_stacks_are_protected_and_library_calls_fortified(told):
    symbols = told("--dyn-syms")
    assert re.search(r"\bUND __stack_chk_fail\b", symbols)
    fortified = set(re.findall(r"\bUND (__\w+_chk)\b", symbols)) - {"__stack_chk_fail"}
    assert fortified, "no call of the C library that checks sizes"
