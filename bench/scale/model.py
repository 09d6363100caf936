"""What N machines send in a round, and how long that takes: the model of docs/scale.md."""

from __future__ import annotations

import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Training:
    rows: float
    classes: int
    features: int = 100
    bins: int = 256
    leaves: int = 31
    channels: int = 11
    row_sums: int = 4  # of one number a block of 1,024 rows
    calls: int = 12  # beside those of the batches
    batch: int = 8  # nodes whose histograms are summed in one call


def bytes_sent(work: Training, machines: int) -> float:
    """By each machine, in a round of one tree."""
    others = machines - 1
    share = others / machines
    histograms = 4 * work.leaves * work.features * work.bins * work.channels * share
    splits = 50 * work.leaves * others
    children = 4 * work.leaves * work.channels * others
    leaves = 32 * work.leaves * work.classes * share
    blocks = 8 * work.row_sums * work.rows / 1024 * share
    return histograms + splits + children + leaves + blocks


def batches(work: Training) -> int:
    """Of a tree that is grown best first: one node, two, four, and then `batch` at a time."""
    count, cut = 0, 0
    while cut < work.leaves - 1:
        cut += min(2**count, work.batch)
        count += 1
    return count + 1


def seconds(work: Training, machines: int, speed: float = 2.5e9, latency: float = 20e-6) -> float:
    if machines == 1:
        return 0
    steps = math.ceil(math.log2(machines))
    messages = batches(work) * (2 * steps + steps + machines - 1) + work.calls * 2 * steps
    return bytes_sent(work, machines) / speed + messages * latency


def table() -> str:
    lines = [
        "| machines | rows | K = 10 | K = 1,000 | K = 10,000 |",
        "| --- | --- | --- | --- | --- |",
    ]
    for machines in (2, 8, 64, 256):
        for rows in (1e7, 1e10):
            cells = []
            for classes in (10, 1000, 10_000):
                work = Training(rows, classes)
                sent = bytes_sent(work, machines) / 1e6
                cells.append(f"{sent:,.0f} MB, {1000 * seconds(work, machines):,.0f} ms")
            power = round(math.log10(rows))
            lines.append(f"| {machines} | 10^{power} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
