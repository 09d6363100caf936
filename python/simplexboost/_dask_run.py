"""Starts the ranks of a training on the workers of a Dask cluster, and waits for them.

Dask knows tasks that may be run anywhere and again; a rank is neither. So each is pinned to its worker
and never retried, and while the ranks watch each other (`_dask_peers`), the client watches whether the
scheduler still has the very workers that began: a task whose worker is gone before it has begun would
otherwise wait for that address for ever.
"""

from __future__ import annotations

import contextlib
import secrets
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import dask
import distributed

from ._dask_peers import DEATHS, Session, connect, listen

#: What each rank has: its worker, its partitions, and those of each set to watch.
Share = tuple[str, list[Any], list[list[Any]]]

LOOK = 1.0  # seconds between two looks at the scheduler
PARTS = 60.0  # seconds, or four times the silence, are what the worker of a partition may take
NEWS = 5.0  # seconds that the ranks have to say what they know


class Signs:
    """Signs of life of workers, as the scheduler hears them. A worker that reads, or imports what a
    task needs, may give none for a while."""

    def __init__(self, client: Any, silence: float) -> None:
        self._client = client
        self.silence = silence
        self._last: dict[str, tuple[float, float]] = {}  # the last one, and when it was new here

    def look(self) -> dict[str, Any]:
        """All workers that the scheduler knows, with what it knows of them."""
        workers: dict[str, Any] = self._client.sync(self._client.scheduler.identity)["workers"]
        now = time.monotonic()
        for address, state in workers.items():
            sign = float(state.get("last_seen", 0))
            if self._last.get(address, (None, 0))[0] != sign:
                self._last[address] = (sign, now)
        return workers

    def silent(self, address: str) -> str:
        """What is wrong with one that has given no sign; nothing where it has."""
        if time.monotonic() - self._last[address][1] <= self.silence:
            return ""
        return (
            f"the scheduler has not heard of it for {self.silence:.0f} s (stopped, or its machine or "
            "the network is gone?)"
        )


class PartWatch:
    """Of tasks that Dask may run anywhere: a dead worker's it runs elsewhere, a stopped one's not."""

    def __init__(self, client: Any, futures: list[Any]) -> None:
        self._client = client
        self._keys = {future.key for future in futures}
        self._signs = Signs(client, max(PARTS, 4 * _setting("silence")))

    def missing(self) -> str:
        for address in self._signs.look():
            silent = self._signs.silent(address)
            if silent and self._keys.intersection(self._held(address)):
                return f"worker {address}, which has partitions: {silent}"
        return ""

    def _held(self, address: str) -> list[Any]:
        """What a worker works at, and what others would have to fetch from it."""
        works, has = self._client.processing([address]), self._client.has_what([address])
        return [*works.get(address, ()), *has.get(address, ())]

    def cause(self, futures: list[Any], missing: str = "") -> BaseException:
        told = [one.exception() for one in futures if one.status == "error"]
        return told[0] if told else ConnectionError(missing or "partitions are lost")


class RankWatch:
    """Of the ranks of a training: their workers are there, and the same."""

    def __init__(self, client: Any, session: Session) -> None:
        self._session = session
        self._signs = Signs(client, 2 * session.silence)  # ranks, which say more, come first
        self._folders: dict[str, Any] = {}

    def missing(self) -> str:
        """What is wrong with the first that is missing; nothing where all are there."""
        workers = self._signs.look()
        for rank, address in enumerate(self._session.addresses):
            name = self._session.name(rank)
            if address not in workers:
                return f"{name}: its worker has left the cluster"
            folder = workers[address].get("local_directory")  # a new one for every process
            if self._folders.setdefault(address, folder) != folder:
                return f"{name}: its process was started anew"
            silent = self._signs.silent(address)
            if silent:
                return f"{name}: {silent}"
        return ""

    def cause(self, futures: list[Any], missing: str = "") -> BaseException:
        return _cause(futures, self._session, missing)


@contextlib.contextmanager
def _reserved(client: Any, addresses: list[str]) -> Iterator[None]:
    """No other training has a rank there meanwhile: two that wait for each other's workers would wait
    for ever. All take them in one order; what a client that died had taken is free after a while."""
    with contextlib.ExitStack() as stack:
        for address in sorted(addresses):
            stack.enter_context(
                distributed.Semaphore(
                    name=f"simplexboost-{address}", scheduler_rpc=client.scheduler, loop=client.loop
                )
            )
        yield


def _all_results(futures: list[Any], watch: RankWatch | PartWatch) -> list[Any]:
    """What tasks return; where one fails or its worker is gone, the error that says why."""
    looked = time.monotonic()
    while True:
        done, pending = _parted(futures, LOOK)
        failed = [one for one in done if one.status != "finished"]
        if failed:
            raise watch.cause(futures)
        if not pending:
            return [one.result() for one in futures]
        if time.monotonic() - looked >= LOOK:
            missing = watch.missing()
            if missing:
                raise watch.cause(futures, missing)
            looked = time.monotonic()


def _parted(futures: list[Any], seconds: float) -> tuple[list[Any], list[Any]]:
    """Those that are done, with or without an error, and the others, after at most so long."""
    pending = [one for one in futures if not one.done()]
    if pending:
        with contextlib.suppress(TimeoutError, distributed.TimeoutError):
            distributed.wait(pending, timeout=seconds, return_when="FIRST_COMPLETED")
    return [one for one in futures if one.done()], [one for one in futures if not one.done()]


def _cause(futures: list[Any], session: Session, missing: str = "") -> BaseException:
    """The error of the rank that was the first to fail: one that is no news of another's."""
    deadline = time.monotonic() + NEWS
    while time.monotonic() < deadline:
        done, pending = _parted(futures, 0.2)
        own = [error for one in done if (error := _own_error(one)) is not None]
        if own:
            return own[0]
        told = [one.exception() for one in done if one.status == "error"]
        # Nothing more will be heard of one that is dead.
        dead = [any(f"{session.name(r)}: {how}" in str(told[:1]) for how in DEATHS)
                for r in range(len(futures))]  # fmt: skip
        if all(gone or one not in pending for one, gone in zip(futures, dead)):
            break
    return told[0] if told else ConnectionError(missing or "a worker is gone")


def _own_error(future: Any) -> BaseException | None:
    error = future.exception() if future.status == "error" else None
    return None if error is None or isinstance(error, ConnectionError) else error


def _setting(name: str) -> float:
    return float(dask.config.get(f"simplexboost.{name}", getattr(Session("", []), name)))


def _new_session(addresses: list[str]) -> Session:
    return Session(
        uuid.uuid4().hex,
        addresses,
        secrets.token_bytes(32) if dask.config.get("simplexboost.direct", True) else b"",
        _setting("silence"),
        _setting("patience"),
    )


def run_parts(
    client: Any, function: Callable[..., Any], parts: list[Any], **more: Any
) -> list[Any]:
    """function(part) of all partitions, wherever Dask runs it."""
    futures = client.map(function, parts, pure=False, **more)
    return _all_results(futures, PartWatch(client, [*parts, *futures]))


def run_ranks(client: Any, plan: list[Share], work: Callable[..., Any], *arguments: Any) -> Any:
    """Runs work(session, rank, direct, parts, eval_parts, *arguments) for every share on its worker,
    all at once, and returns what the first rank does. `direct`: whether there are direct lines."""
    session = _new_session([address for address, _, _ in plan])
    watch = RankWatch(client, session)

    def submit(name: str, function: Callable[..., Any], *given: list[Any]) -> list[Any]:
        return [
            client.submit(
                function, session, rank, *(one[rank] for one in given),
                workers=[address], allow_other_workers=False, pure=False, retries=0,
                key=f"simplexboost-{name}-{session.key}-{rank}",
            )
            for rank, address in enumerate(session.addresses)
        ]  # fmt: skip

    with _reserved(client, session.addresses):
        futures = submit("listen", listen)
        try:
            lines = _all_results(futures, watch)
            direct = len(plan) > 1 and all(lines)
            if direct:
                futures = submit("connect", connect, [lines] * len(plan))
                direct = all(_all_results(futures, watch))
            parts, evals = [share[1] for share in plan], [share[2] for share in plan]
            same = [[one] * len(plan) for one in arguments]
            futures = submit("train", work, [direct] * len(plan), parts, evals, *same)
            return _all_results(futures, watch)[0]
        finally:
            client.cancel(futures, force=True)
