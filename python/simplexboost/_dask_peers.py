"""The workers of a Dask cluster as the ranks of one training.

Messages go over direct lines where there are some (`_dask_lines`), else over Dask's own connections
between workers: they reach whom Dask reaches, encrypted where Dask encrypts. Each rank asks the worker of
the next one every half second whether it lives. The worker's event loop answers, not the training, so
that one which is busy, or has not begun yet, is not taken for dead; one that was killed, or stopped, or
started anew is named to all others, which end then.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import threading
import time
from dataclasses import dataclass
from typing import Any

from distributed import Worker, get_worker
from distributed.core import Status
from distributed.protocol.serialize import to_serialize

from ._dask_lines import LineAddress, Lines, line_host

OPERATION = "simplexboost_message"
QUESTION = "simplexboost_alive"
BEAT = 0.5  # seconds
NOBODY = -1

Address = tuple[str, int]  # a training and a rank of it

# Of this process: those that were announced to it, and those that are over, with the reason why they
# failed if they did.
_known: set[Address] = set()
_ended: dict[Address, str] = {}
_inboxes: dict[Address, Inbox] = {}
_lines: dict[str, Lines] = {}  # by the address of the worker
_inboxes_lock = threading.Lock()


@dataclass(frozen=True)
class Session:
    """One training: its name, the workers of its ranks, and how long they wait, in seconds."""

    key: str
    addresses: list[str]
    secret: bytes = b""  # that ranks know each other by on direct lines; none: through Dask alone
    silence: float = 15  # for one that does not answer
    patience: float = 1800  # in one exchange with one that lives

    def name(self, rank: int) -> str:
        return f"rank {rank} ({self.addresses[rank]})"


#: How what is said of a rank that others find dead begins.
DEATHS = ("its process ", "no sign of life ")
_ENDS = {"ended": "it ended before the others"}
_WORKING = (Status.running, Status.paused, Status.closing_gracefully)


class Inbox:
    """What others have sent to a rank of one training, which may not have begun yet."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.messages: dict[int, collections.deque[Any]] = collections.defaultdict(
            collections.deque
        )
        self.gone: set[int] = set()  # those that are done
        self.reason = ""  # why one has failed

    def take(self, kind: str, sender: int, data: Any) -> None:
        with self.changed:
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


def _alive(session: str, to: int) -> str:
    """What a worker says of a rank: "ended", "lives", or "new" where it was not told of it."""
    address = (session, to)
    return "ended" if address in _ended else "lives" if address in _known else "new"


def listen(session: Session, rank: int) -> LineAddress | None:
    """Lets the worker that runs this take messages for a rank; all do before the first is sent.
    Returns where it can be called directly, if that can be."""
    worker = get_worker()
    worker.handlers[OPERATION] = _take_message
    worker.handlers[QUESTION] = _alive
    _known.add((session.key, rank))
    host = line_host(worker.address) if session.secret else ""
    if not host:
        return None
    with _inboxes_lock:  # a worker has one training at a time: what is there was left behind
        before = _lines.pop(worker.address, None)
    if before is not None:
        before.close()
    try:
        lines = Lines(rank, host, session.secret)
    except OSError:
        return None
    _lines[worker.address] = lines
    return lines.address


def connect(session: Session, rank: int, addresses: list[LineAddress]) -> bool:
    """Opens the direct lines to others; whether all are there."""
    return _lines[session.addresses[rank]].connect(addresses)


def _forget(address: Address, reason: str) -> None:
    """The training is over for this rank."""
    with _inboxes_lock:
        _ended[address] = reason
        _inboxes.pop(address, None)


class DaskPeers:
    """What the library asks of an object that connects ranks (bindings/peers.h)."""

    def __init__(self, worker: Worker, session: Session, rank: int, direct: bool) -> None:
        self.rank = rank
        self.size = len(session.addresses)
        self.patience = session.patience
        self.name = session.name
        self._worker = worker
        self._session = session
        if _alive(session.key, rank) != "lives":
            # Dask runs a task once more where data that it was given are lost with another worker,
            # and where a worker of the same address comes back.
            reason = _ended.get((session.key, rank)) or "its process was started anew"
            raise ConnectionError(reason if ": " in reason else f"{self.name(rank)}: {reason}")
        self._inbox = _inbox((session.key, rank))
        lines = _lines.pop(worker.address, None)
        self._direct = lines if direct else None
        if lines is not None and not direct:
            lines.close()
        self._connections: dict[tuple[int, bool], Any] = {}
        self._locks: dict[tuple[int, bool], asyncio.Lock] = {}
        loop: Any = worker.loop
        self._loop = loop.asyncio_loop
        self._closed = False
        self._watch = asyncio.run_coroutine_threadsafe(self._watch_others(), self._loop)

    def exchange(self, out: memoryview, to: int, into: memoryview, sender: int) -> None:
        if self._direct is not None:
            self._exchange_directly(self._direct, out, to, into, sender)
            return
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

    def _exchange_directly(
        self, lines: Lines, out: memoryview, to: int, into: memoryview, sender: int
    ) -> None:
        deadline = time.monotonic() + self._session.patience

        def check() -> None:
            self._check()
            if time.monotonic() > deadline:
                self._accuse_late(other)

        other = sender if sender != NOBODY else to
        try:
            if to != NOBODY:
                lines.send(to, out, check)
            if sender != NOBODY:
                lines.receive(sender, into, check)
            lines.await_sent()
        except (EOFError, OSError) as error:
            lines.hang_up()  # a thread that sends ends before the memory is the training's again
            with contextlib.suppress(Exception):
                lines.await_sent()
            if type(error) is ConnectionError:  # of check(), which has said it all
                raise
            self._give_up(other, error)

    def _give_up(self, other: int, error: Exception) -> None:
        """A line is broken: the other rank, or who ended it, may be about to say why."""
        with self._inbox.changed:
            self._inbox.changed.wait_for(lambda: bool(self._inbox.reason), 3)
        self._accuse(other, f"its process ended or cannot be reached ({error!r})")
        raise ConnectionError(self._inbox.reason)

    def _check(self) -> None:
        """Raises where there is nothing to wait for."""
        if self._inbox.reason:
            raise ConnectionError(self._inbox.reason)
        # Without an event loop nobody would bring a message, or bad news.
        if not self._loop.is_running() or self._worker.status not in _WORKING:
            raise ConnectionError(f"{self.name(self.rank)}: its worker was closed")

    def _accuse_late(self, sender: int) -> None:
        waited = f"{self._session.patience:.0f} s"
        self._accuse(sender, f"has kept {self.name(self.rank)} waiting for {waited}")
        raise ConnectionError(self._inbox.reason)

    def _await_message(self, sender: int) -> Any:
        inbox = self._inbox
        deadline = time.monotonic() + self._session.patience
        with inbox.changed:
            while not inbox.messages[sender]:
                self._check()
                if time.monotonic() > deadline:
                    break
                inbox.changed.wait(1)
            else:
                return inbox.messages[sender].popleft()
        self._accuse_late(sender)

    def _await_sent(self, sending: Any, to: int) -> None:
        try:
            sending.result(self._session.patience)
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
        if self._direct is not None:
            self._direct.hang_up()
        asyncio.run_coroutine_threadsafe(self._tell_all("fail", self._inbox.reason), self._loop)

    # On the worker's event loop.

    async def _send(self, to: int, kind: str, data: Any = None) -> None:
        """In order; signs of life do not wait for long messages."""
        way = (to, kind == "data")
        lock = self._locks.setdefault(way, asyncio.Lock())
        async with lock:
            if way not in self._connections:
                self._connections[way] = await self._worker.rpc.connect(self._session.addresses[to])
            message = {"op": OPERATION, "reply": False, "session": self._session.key, "to": to}
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
        """Asks the worker of the next rank, again and again; the ring has all of them."""
        after = (self.rank + 1) % self.size
        question = {"op": QUESTION, "reply": True, "session": self._session.key, "to": after}
        connection: Any = None

        async def ask() -> str:
            nonlocal connection
            if connection is None:
                connection = await self._worker.rpc.connect(self._session.addresses[after])
            await connection.write(question)
            return str(await connection.read())

        def misses() -> bool:
            return after not in self._inbox.gone and not self._closed

        while self.size > 1 and misses() and not self._inbox.reason:
            begin = time.monotonic()
            try:
                answer = await asyncio.wait_for(ask(), self._session.silence)
                if answer == "ended":
                    await asyncio.sleep(2)  # its own word may be on the way
                if answer != "lives" and misses():
                    self._accuse(after, _ENDS.get(answer, "its process was started anew"))
            except (asyncio.TimeoutError, TimeoutError):
                # Where it took longer, this process is the one that slept.
                if misses() and time.monotonic() - begin < self._session.silence + 2:
                    self._accuse(after, self._silent_text())
                connection = None
            except Exception as error:
                if misses():
                    self._accuse(after, f"its process ended or cannot be reached ({error!r})")
            await asyncio.sleep(BEAT)
        if connection is not None:
            connection.abort()

    def _silent_text(self) -> str:
        return (
            f"no sign of life for {self._session.silence:.0f} s (stopped, overloaded, or its machine or the "
            "network is gone?)"
        )

    def close(self) -> None:
        """Says good-bye, and gives the connections back."""
        self._closed = True
        closing = asyncio.run_coroutine_threadsafe(self._close(), self._loop)
        try:
            closing.result(10)
        except Exception:  # whoever is gone does not miss it
            closing.cancel()
        if self._direct is not None:
            self._direct.close()
        _forget((self._session.key, self.rank), self._inbox.reason)

    async def _close(self) -> None:
        if not self._inbox.reason:
            await self._tell_all("bye")
        for connection in self._connections.values():
            connection.abort()
