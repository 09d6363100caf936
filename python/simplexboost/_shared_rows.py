"""Judged rows that several processes share, brought to the first of them (bindings/peers.h)."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

NOBODY = -1
NOTHING = memoryview(bytearray())

#: Codes of labels, their offsets where a row has several, weights, and values, rows x classes.
Rows = tuple[np.ndarray, Any, Any, np.ndarray]


def gathered_rows(peers: Any, mine: Rows) -> Rows | None:
    """The rows of all ranks, in their order, on the first; None on the others."""
    if peers.rank > 0:
        _given(peers, 0, mine)
        return None
    return _joined([mine, *(_taken(peers, rank) for rank in range(1, peers.size))])


def gathered_everywhere(peers: Any, mine: np.ndarray) -> np.ndarray:
    """The values of all ranks, in their order, on each of them."""
    if peers.rank > 0:
        _given(peers, 0, mine)
        return np.asarray(_taken(peers, 0))
    others = range(1, peers.size)
    whole = np.concatenate([mine, *(_taken(peers, rank) for rank in others)])
    for rank in others:
        _given(peers, rank, whole)
    return whole


def _given(peers: Any, rank: int, what: Any) -> None:
    data = pickle.dumps(what, protocol=5)
    size = np.array([len(data)], dtype=np.int64)
    peers.exchange(size.data.cast("B"), rank, NOTHING, NOBODY)
    peers.exchange(memoryview(data), rank, NOTHING, NOBODY)


def _taken(peers: Any, rank: int) -> Any:
    size = np.zeros(1, dtype=np.int64)
    peers.exchange(NOTHING, NOBODY, size.data.cast("B"), rank)
    taken = bytearray(int(size[0]))
    peers.exchange(NOTHING, NOBODY, memoryview(taken), rank)
    return pickle.loads(taken)


def share_out(peers: Any, values: np.ndarray) -> None:
    """Replaces the values by those of the first rank."""
    for rank in range(1, peers.size):
        if peers.rank == 0:
            peers.exchange(values.data.cast("B"), rank, NOTHING, NOBODY)
        elif peers.rank == rank:
            peers.exchange(NOTHING, NOBODY, values.data.cast("B"), 0)


def _joined(shares: list[Rows]) -> Rows:
    """Ranks without rows know of no weights."""
    shares = [one for one in shares if len(one[3]) > 0] or shares[:1]
    offsets, weights = shares[0][1:3]
    if offsets is not None:
        counts = np.concatenate([np.diff(one[1]) for one in shares])
        offsets = np.concatenate([[0], np.cumsum(counts)])
    if weights is not None:
        weights = np.concatenate([one[2] for one in shares])
    codes, values = (np.concatenate([one[i] for one in shares]) for i in (0, 3))
    return codes, offsets, weights, values
