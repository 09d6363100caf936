"""What N machines send in a round of newton, and how long that takes: the model of docs/scale.md.

    python bench/scale/model.py

It follows the code: src/tree/histogram for a tree, src/base/peers.cpp for what a sum or a gather costs.
`bench/scale/run.py bytes` compares it with what is counted.
"""

from __future__ import annotations

import dataclasses
import functools
import heapq
import math
import random

GATHERED = 1 << 14  # bytes of all ranks up to which a sum is gathered (peers.cpp)
PIECE = 1 << 18  # bytes of a message of a sum by parts (peers.cpp)
AHEAD = 8  # nodes that are cut in one batch, at most (whole_source.cpp)
GROUP = 4  # features of a block, which one rank has as a whole
SPLIT = 49  # bytes of a node's best split
BLOCK = 1024  # rows whose sums are exchanged as one number
ADDITIONS = 32  # the rule for few rows (gathered_source.cpp)


@dataclasses.dataclass(frozen=True)
class Training:
    rows: float
    classes: int
    features: int = 100
    bins: int = 256
    leaves: int = 31
    sketch: int = 6

    @property
    def channels(self) -> int:
        """Count, weight and pulls, as the kernels want them: 4, or a multiple of 8."""
        used = 2 + min(self.sketch or self.classes, self.classes)
        return 4 if used <= 4 else (used + 7) // 8 * 8

    @property
    def gathers(self) -> bool:
        """Whether the statistics of all rows are sent, and no histograms."""
        numbers = self.leaves * self.features * self.bins
        return self.rows * (1 + self.features / ADDITIONS) < numbers


@dataclasses.dataclass(frozen=True)
class Traffic:
    """What the first rank sends."""

    bytes: float = 0
    messages: float = 0

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(self.bytes + other.bytes, self.messages + other.messages)

    def __mul__(self, times: float) -> Traffic:
        return Traffic(self.bytes * times, self.messages * times)


def gather(size: float, machines: int) -> Traffic:
    """`size`: of all ranks together. Who knows how much each has need not ask."""
    return Traffic(size * (machines - 1) / machines, math.ceil(math.log2(machines)))


def gather_any(size: float, machines: int) -> Traffic:
    return gather(8 * machines, machines) + gather(size, machines)


def add_up(size: float, machines: int) -> Traffic:
    """The sums of so many bytes of each, on all."""
    if size * machines <= GATHERED:
        return gather(size * machines, machines)
    return add_parts(size, machines) + gather(size, machines)


def add_parts(size: float, machines: int, own: float | None = None) -> Traffic:
    """Each gets the sums of its part; `own`: of the first one, where parts differ."""
    part = size / machines
    sent = size - (part if own is None else own)
    return Traffic(sent, (machines - 1) * max(1, math.ceil(sent / (machines - 1) / PIECE)))


@functools.cache
def batches_of(leaves: int) -> tuple[float, float]:
    """How many batches of nodes a tree takes that is grown best first, and how many cuts, those in
    vain too: the mean of trees of which each cut gains a random share of the one above it. So many
    nodes are cut at a time as most likely come next (WholeSource::choose_batch). With shares up to 0.9
    both are as counted: of 31 leaves 36 to 38 cuts in 8 to 11 batches, of 128 about 130 in 22."""
    dice = random.Random(1)
    trees = 200
    batches = cuts = 0
    for _ in range(trees):
        queue = [-1.0]  # gains, the best one first
        done: set[float] = set()  # of those that were cut, maybe ahead
        for room in range(leaves - 1, 0, -1):
            if queue[0] not in done:
                waiting = [gain for gain in sorted(queue) if gain not in done]
                some = waiting[: max(1, min(room // 2, AHEAD))]
                done.update(some)
                batches, cuts = batches + 1, cuts + len(some)
            gain = heapq.heappop(queue)
            for _child in range(2):
                heapq.heappush(queue, gain * dice.uniform(0, 0.9))
    return batches / trees, cuts / trees


def own_share(features: int, machines: int) -> float:
    """Of the features: what the first rank finds the splits of (WholeSource::deal_features)."""
    blocks = math.ceil(features / GROUP)
    mine = sum((2 * block + 1) * machines < 2 * blocks for block in range(blocks))
    return min(mine * GROUP, features) / features


def tree(work: Training, machines: int) -> Traffic:
    """Its splits alone."""
    if work.gathers:
        return gather_any(4 * work.rows * work.channels, machines)
    batches, cuts = batches_of(work.leaves)
    histogram = 4 * work.features * work.bins * work.channels
    sent = gather(4 * work.channels * machines, machines)  # the root's sums
    sent += add_parts(histogram, machines, histogram * own_share(work.features, machines))
    sent += gather_any(SPLIT * machines, machines)
    each = cuts / batches
    one = add_up(4 * work.channels * each, machines)
    one += add_parts(
        histogram * each, machines, histogram * each * own_share(work.features, machines)
    )
    one += gather_any(2 * SPLIT * each * machines, machines)
    return sent + one * batches


def leaf_values(count: int, machines: int) -> Traffic:
    """Two sums of each; where these are many, each rank makes the values of its part of them."""
    if 16 * count * machines <= GATHERED:
        return add_up(16 * count, machines)
    return add_parts(16 * count, machines) + gather_any(4 * count, machines)


def a_round(work: Training, machines: int) -> Traffic:
    if machines == 1:
        return Traffic()
    blocks = work.rows / BLOCK
    sent = tree(work, machines)
    sent += leaf_values(work.leaves * work.classes, machines)
    sent += add_up(8 * work.leaves, machines)  # its rows
    for size in (8, 4 * (work.channels - 1)):  # errors, the sizes of pulls and weights
        sent += gather_any(size * blocks, machines)
    return sent + add_up(8, machines) * 7  # a number, or whether something holds anywhere


def seconds(work: Training, machines: int, speed: float = 2.5e9, latency: float = 20e-6) -> float:
    sent = a_round(work, machines)
    return sent.bytes / speed + sent.messages * latency


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
                sent = a_round(work, machines).bytes / 1e6
                cells.append(f"{sent:,.0f} MB, {1000 * seconds(work, machines):,.0f} ms")
            power = round(math.log10(rows))
            lines.append(f"| {machines} | 10^{power} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
