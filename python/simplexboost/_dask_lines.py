"""Direct lines between the ranks of one training on a Dask cluster.

Dask's own connections go through the event loops of both workers, a millisecond of the processor a
message; a round has hundreds of messages. Where Dask does not encrypt, ranks also have a connection of
`multiprocessing` to each other, a fiftieth of that. They know each other by a secret that the client deals
out. Who cannot be reached so is reached through Dask.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from distributed.comm import get_address_host, parse_address

REACH = 5.0  # seconds to reach another rank
INLINE = 1 << 16  # bytes that the system takes without waiting for who reads them

LineAddress = tuple[str, int]


def line_host(address: str) -> str:
    """Where the worker of this address can be reached directly; empty where only through Dask."""
    scheme, _ = parse_address(address)
    host = get_address_host(address) if scheme == "tcp" else ""
    return host if host.count(".") == 3 else ""  # as numbers, of version 4


def _hang_up(line: Connection) -> None:
    """Whoever reads or writes there is woken."""
    with contextlib.suppress(OSError, ValueError), socket.socket(fileno=line.fileno()) as end:
        try:
            end.shutdown(socket.SHUT_RDWR)
        finally:
            end.detach()


class Lines:
    """The lines of one rank: those that others open, and those that it opens."""

    def __init__(self, rank: int, host: str, secret: bytes) -> None:
        self._rank = rank
        self._secret = secret
        self._listener = Listener((host, 0), family="AF_INET", backlog=256, authkey=secret)
        self.address: LineAddress = self._listener.address  # type: ignore[assignment]
        self._changed = threading.Condition()
        self._lines: dict[int, Connection] = {}
        self._closed = False
        self._sending: threading.Thread | None = None
        threading.Thread(target=self._accept, daemon=True, name="simplexboost-lines").start()

    def _accept(self) -> None:
        while not self._closed:
            try:
                line = self._listener.accept()
                self._take(int.from_bytes(line.recv_bytes(8), "big"), line)
            except (AuthenticationError, EOFError, OSError):
                time.sleep(0.01)  # somebody else, or the end

    def _take(self, rank: int, line: Connection) -> None:
        with self._changed:
            self._lines[rank] = line
            self._changed.notify_all()

    def connect(self, addresses: list[LineAddress]) -> bool:
        """Opens the lines to the ranks before this one; whether all could be."""
        try:
            for rank, address in enumerate(addresses[: self._rank]):
                socket.create_connection(
                    address, timeout=REACH
                ).close()  # Client() would wait longer
                line = Client(address, authkey=self._secret)
                line.send_bytes(self._rank.to_bytes(8, "big"))
                self._take(rank, line)
        except (AuthenticationError, EOFError, OSError):
            return False
        with self._changed:
            everybody = len(addresses) - 1
            return self._changed.wait_for(lambda: len(self._lines) >= everybody, REACH)

    def send(self, to: int, out: Any) -> None:
        """Where it is long, by a thread, so that what comes in meanwhile can be taken."""
        self.await_sent()
        if len(out) <= INLINE:
            self._lines[to].send_bytes(out)
            return
        copy = bytes(out)  # the memory is the training's own again when the exchange is over
        self._sending = threading.Thread(target=self._send_long, args=(to, copy), daemon=True)
        self._sending.start()

    def _send_long(self, to: int, data: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):  # who waits for an answer notices
            self._lines[to].send_bytes(data)

    def await_sent(self) -> None:
        if self._sending is not None:
            self._sending.join()
            self._sending = None

    def receive(self, sender: int, into: Any, check: Callable[[], None]) -> int:
        """Fills the memory, and says how many bytes there were; check() is called every second."""
        line = self._lines[sender]
        while not line.poll(1):
            check()
        return line.recv_bytes_into(into)

    def hang_up(self) -> None:
        for line in list(self._lines.values()):
            _hang_up(line)

    def close(self) -> None:
        self._closed = True
        self.hang_up()
        with contextlib.suppress(OSError):  # wakes who accepts
            socket.create_connection(self.address, timeout=1).close()
        for line in self._lines.values():
            line.close()
        self._listener.close()
