"""Two processes on a network of a chosen speed: two network namespaces of this machine (as root).

    python bench/scale/network.py [--rates 1gbit 10gbit] [--commands PATH ...] [--rows N] [--features D]

Trains newton with 31 leaves and best bins of 255 by one thread each, and tells the seconds of a round; several
commands, as of two versions, take turns. Their models must have the same bytes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterator

import numpy as np
from run import ENVIRONMENT

FIGURES = ("train_seconds", "sent_bytes")
BRIDGE = "sbx-bridge"
SPACES = ("sbx-0", "sbx-1")
AGENT = """#!/bin/sh
space=sbx-$((${1##*.} - 1)); shift
exec ip netns exec $space sh -c "$*"
"""


def ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=not check)


@contextlib.contextmanager
def network(rate: str) -> Iterator[None]:
    """Spaces 0 and 1 have the addresses 10.77.0.1 and 10.77.0.2."""
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("addr", "add", "10.77.0.254/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for i, space in enumerate(SPACES):
            ip("netns", "add", space)
            ip("link", "add", f"{space}-out", "type", "veth", "peer", "name", "inside")
            ip("link", "set", "inside", "netns", space)
            ip("link", "set", f"{space}-out", "master", BRIDGE, "up")
            ip("-n", space, "addr", "add", f"10.77.0.{i + 1}/24", "dev", "inside")
            for device in ("inside", "lo"):
                ip("-n", space, "link", "set", device, "up")
            bucket = ["rate", rate, "burst", "1mb", "latency", "20ms"]
            shape = ["tc", "qdisc", "add", "dev", "inside", "root", "tbf", *bucket]
            subprocess.run(["ip", "netns", "exec", space, *shape], check=True)
        yield
    finally:
        for space in SPACES:
            ip("link", "del", f"{space}-out", check=False)
            ip("netns", "del", space, check=False)
        ip("link", "del", BRIDGE, check=False)


def seconds(command: str, data: pathlib.Path, folder: pathlib.Path, rounds: int) -> dict:
    agent = folder / "agent"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    start = ["mpirun", "-n", "2", "-H", "10.77.0.1:1,10.77.0.2:1"]
    settings = {"plm_rsh_agent": str(agent), "btl": "tcp,self"}
    settings |= {"btl_tcp_if_include": "10.77.0.0/24", "oob_tcp_if_include": "10.77.0.0/24"}
    for name, value in settings.items():
        start += ["--mca", name, value]
    words = ["train", data, "-m", folder / "network.sb", "--quality", "fast", "--rounds", rounds]
    words += ["--leaves", 31, "--max-bins", 255, "--thresholds", "best", "--threads", 1, "--json"]
    done = subprocess.run(
        [*start, command, *map(str, words)],
        env={**ENVIRONMENT, **os.environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.strip().splitlines()[-1])


def write_rows(data: pathlib.Path, rows: int, features: int, classes: int) -> None:
    """Noise and a class by the sum of the first features."""
    dice = np.random.default_rng(1)
    X = dice.normal(size=(rows, features)).round(3)
    codes = np.digitize(
        X[:, :8].sum(axis=1) + dice.normal(size=rows), np.linspace(-4, 4, classes - 1)
    )
    head = ",".join([*(f"x{j}" for j in range(features)), "class"])
    np.savetxt(data, np.column_stack([X, codes]), "%g", ",", header=head, comments="")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rates", nargs="*", default=["1gbit", "10gbit"])
    parser.add_argument("--commands", nargs="*", default=["build/release/simplexboost"])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument(
        "--data", type=pathlib.Path, help="a file to keep the rows in; else made anew"
    )
    arguments = parser.parse_args()
    print("| rate | command | seconds a round | MB sent a round | \n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = arguments.data or folder / "network.csv"
        if not data.exists():
            write_rows(data, arguments.rows, arguments.features, 10)
        models = set()
        for rate in arguments.rates:
            with network(rate):
                runs: dict[tuple[str, int], list[dict]] = {}
                for _ in range(arguments.repeats):
                    for command in arguments.commands:
                        for rounds in (2, arguments.rounds):
                            run = seconds(command, data, folder, rounds)
                            runs.setdefault((command, rounds), []).append(run)
                        models.add((folder / "network.sb").read_bytes())
            for command in arguments.commands:
                few, many = (
                    {key: min(run[key] for run in runs[command, rounds]) for key in FIGURES}
                    for rounds in (2, arguments.rounds)
                )
                round_seconds, sent = (
                    (many[key] - few[key]) / (arguments.rounds - 2) for key in FIGURES
                )
                print(
                    f"| {rate} | {command} | {round_seconds:.3f} | {sent / 1e6:.1f} |", flush=True
                )
        if len(models) > 1:
            print("models differ")


if __name__ == "__main__":
    main()
