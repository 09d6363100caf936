"""The workers of a Dask cluster as the ranks of one training.

Messages go over Dask's own connections between workers: they reach whom Dask reaches, encrypted where
Dask encrypts, and need no further port or library. A rank tells the next one every half second that
it lives; one that dies or falls silent is named to all others, which end then.
"""

from __future__ import annotations

import asyncio
import collections
import threading
import time
from typing import Any

import dask
from distributed import Worker
from distributed.protocol.serialize import to_serialize

OPERATION = "simplexboost_message"
BEAT = 0.5  # seconds
NOBODY = -1

Address = tuple[str, int]  # a training and a rank of it

_inboxes: dict[Address, Inbox] = {}
_ended: collections.deque[Address] = collections.deque(maxlen=1000)
_inboxes_lock = threading.Lock()


def _setting(name: str, default: float) -> float:
    return float(dask.config.get(f"simplexboost.{name}", default))


class Inbox:
    """What others have sent to a rank of one training, which may not have begun yet."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.messages: dict[int, collections.deque[Any]] = collections.defaultdict(
            collections.deque
        )
        self.signs: dict[int, float] = {}  # when a rank last gave a sign of life
        self.gone: set[int] = set()  # those that are done
        self.reason = ""  # why one has failed

    def take(self, kind: str, sender: int, data: Any) -> None:
        with self.changed:
            self.signs[sender] = time.monotonic()
            if kind == "data":
                self.messages[sender].append(data)
            elif kind == "bye":
                self.gone.add(sender)
            elif kind == "fail":
                self.reason = self.reason or data
            self.changed.notify_all()


def _inbox(address: Address) -> Inbox:
    with _inboxes_lock:
        return _inboxes.setdefault(address, Inbox())


def _take_message(session: str, to: int, kind: str, sender: int, data: Any = None) -> None:
    if (session, to) not in _ended:
        _inbox((session, to)).take(kind, sender, data)


def listen(dask_worker: Worker) -> None:
    """Lets a worker take messages; to be run on all before the first is sent."""
    dask_worker.handlers[OPERATION] = _take_message


def _forget(address: Address) -> None:
    """The training is over for this rank."""
    with _inboxes_lock:
        _ended.append(address)
        _inboxes.pop(address, None)


class DaskPeers:
    """What the library asks of an object that connects ranks (bindings/peers.h)."""

    def __init__(self, worker: Worker, session: str, rank: int, addresses: list[str]) -> None:
        self.rank = rank
        self.size = len(addresses)
        self._worker = worker
        self._session = session
        self._addresses = addresses
        self._inbox = _inbox((session, rank))
        self._silence = _setting("silence", 15)
        self._patience = _setting("patience", 1800)
        self._connections: dict[tuple[int, bool], Any] = {}
        self._locks: dict[tuple[int, bool], asyncio.Lock] = {}
        loop: Any = worker.loop
        self._loop = loop.asyncio_loop
        self._begin = time.monotonic()
        self._closed = False
        self._watch = asyncio.run_coroutine_threadsafe(self._watch_others(), self._loop)

    def name(self, rank: int) -> str:
        return f"rank {rank} ({self._addresses[rank]})"

    def exchange(self, out: memoryview, to: int, into: memoryview, sender: int) -> None:
        sending = None
        if to != NOBODY:
            # The memory is the training's own again when this returns.
            sending = asyncio.run_coroutine_threadsafe(
                self._send(to, "data", to_serialize(bytes(out))), self._loop
            )
        if sender != NOBODY:
            data = self._await_message(sender)
            if len(data) != len(into):
                raise ConnectionError(f"{self.name(sender)}: a message of another length")
            into[:] = data
        elif sending is not None:
            self._await_sent(sending, to)

    def _await_message(self, sender: int) -> Any:
        inbox = self._inbox
        deadline = time.monotonic() + self._patience
        with inbox.changed:
            while not inbox.messages[sender]:
                if inbox.reason:
                    raise ConnectionError(inbox.reason)
                if not inbox.changed.wait(deadline - time.monotonic()):
                    break
            else:
                return inbox.messages[sender].popleft()
        self._accuse(sender, f"has kept {self.name(self.rank)} waiting for {self._patience:.0f} s")
        raise ConnectionError(inbox.reason)

    def _await_sent(self, sending: Any, to: int) -> None:
        try:
            sending.result(self._patience)
        except Exception as error:
            self._accuse(to, f"cannot be reached: {error}")
        if self._inbox.reason:
            raise ConnectionError(self._inbox.reason)

    def fail(self, reason: str) -> None:
        """This rank cannot go on."""
        self._accuse(self.rank, reason)

    def _accuse(self, culprit: int, why: str) -> None:
        with self._inbox.changed:
            if self._inbox.reason:
                return
            self._inbox.reason = f"{self.name(culprit)}: {why}"
            self._inbox.changed.notify_all()
        asyncio.run_coroutine_threadsafe(self._tell_all("fail", self._inbox.reason), self._loop)

    # On the worker's event loop.

    async def _send(self, to: int, kind: str, data: Any = None) -> None:
        """In order; signs of life do not wait for long messages."""
        way = (to, kind == "data")
        lock = self._locks.setdefault(way, asyncio.Lock())
        async with lock:
            if way not in self._connections:
                self._connections[way] = await self._worker.rpc.connect(self._addresses[to])
            message = {"op": OPERATION, "reply": False, "session": self._session, "to": to}
            message |= {"kind": kind, "sender": self.rank, "data": data}
            try:
                await self._connections[way].write(message)
            except Exception as error:
                if kind == "data" and to not in self._inbox.gone:
                    self._accuse(to, f"cannot be reached: {error}")
                raise

    async def _tell_all(self, kind: str, data: Any = None) -> None:
        others = [r for r in range(self.size) if r != self.rank]
        tellings = [asyncio.wait_for(self._send(r, kind, data), 5) for r in others]
        await asyncio.gather(*tellings, return_exceptions=True)

    async def _watch_others(self) -> None:
        after, before = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        while not self._closed and self.size > 1 and not self._inbox.reason:
            try:
                await asyncio.wait_for(self._send(after, "life"), self._silence)
            except Exception as error:
                if after not in self._inbox.gone and not self._closed:
                    self._accuse(after, f"its process ended or cannot be reached ({error!r})")
            sign = self._inbox.signs.get(before, self._begin)
            # One that has not begun yet may wait for a free thread of its worker.
            limit = self._silence if before in self._inbox.signs else self._patience
            if time.monotonic() - sign > limit and before not in self._inbox.gone:
                self._accuse(
                    before,
                    f"no sign of life for {limit:.0f} s (stopped, overloaded, or its machine or the "
                    "network is gone?)",
                )
            await asyncio.sleep(BEAT)

    def close(self) -> None:
        """Says good-bye, and gives the connections back."""
        self._closed = True
        closing = asyncio.run_coroutine_threadsafe(self._close(), self._loop)
        try:
            closing.result(10)
        except Exception:  # whoever is gone does not miss it
            closing.cancel()
        _forget((self._session, self.rank))

    async def _close(self) -> None:
        if not self._inbox.reason:
            await self._tell_all("bye")
        for connection in self._connections.values():
            connection.abort()
