"""Direct lines between the ranks of one training on a Dask cluster.

Dask's own connections go through the event loops of both workers, a millisecond of the processor a
message; a round has hundreds of messages. Where Dask does not encrypt, ranks also have a connection of
`multiprocessing` to each other, a fiftieth of that. They know each other by a secret that the client deals
out. Who cannot be reached so is reached through Dask.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener

from distributed.comm.addressing import get_address_host, parse_address

REACH = 5.0  # seconds to reach another rank
LOOK = 1.0  # seconds after which who waits looks whether that makes sense
INLINE = 1 << 16  # bytes that the system takes without waiting for who reads them

LineAddress = tuple[str, int]


def line_host(address: str) -> str:
    """Where the worker of this address can be reached directly; empty where only through Dask."""
    scheme, _ = parse_address(address)
    host = get_address_host(address) if scheme == "tcp" else ""
    return host if host.count(".") == 3 else ""  # as numbers, of version 4


class Lines:
    """The lines of one rank: those that others open, and those that it opens."""

    def __init__(self, rank: int, host: str, secret: bytes) -> None:
        self._rank = rank
        self._secret = secret
        self._listener = Listener((host, 0), family="AF_INET", backlog=256, authkey=secret)
        self.address: LineAddress = self._listener.address
        self._changed = threading.Condition()
        self._ends: dict[int, socket.socket] = {}  # of the lines, by rank
        self._closed = False
        self._sending: threading.Thread | None = None
        self._failure: Exception | None = None
        threading.Thread(target=self._accept, daemon=True, name="simplexboost-lines").start()

    def _accept(self) -> None:
        while not self._closed:
            try:
                line = self._listener.accept()
                self._take(int.from_bytes(line.recv_bytes(8), "big"), line)
            except (AuthenticationError, EOFError, OSError):
                time.sleep(0.01)  # somebody else, or the end

    def _take(self, rank: int, line: Connection) -> None:
        """Both know each other now, and how long the messages are: from here on they are bytes alone."""
        end = socket.socket(fileno=os.dup(line.fileno()))
        line.close()
        end.settimeout(LOOK)
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._changed:
            self._ends[rank] = end
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
            return self._changed.wait_for(lambda: len(self._ends) >= everybody, REACH)

    def send(self, to: int, out: memoryview, check: Callable[[], None]) -> None:
        """Where it is long, by a thread, so that what comes in meanwhile can be taken; await_sent()
        is to follow before the memory is written to."""
        if len(out) <= INLINE:
            self._send_all(to, out, check)
            return
        self._sending = threading.Thread(target=self._send_long, args=(to, out, check), daemon=True)
        self._sending.start()

    def _send_all(self, to: int, out: memoryview, check: Callable[[], None]) -> None:
        at = 0
        while at < len(out):
            try:
                at += self._ends[to].send(out[at:])
            except socket.timeout:  # no TimeoutError before Python 3.10
                check()

    def _send_long(self, to: int, out: memoryview, check: Callable[[], None]) -> None:
        try:
            self._send_all(to, out, check)
        except Exception as error:  # for await_sent()
            self._failure = error

    def await_sent(self) -> None:
        if self._sending is not None:
            self._sending.join()
            self._sending = None
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def receive(self, sender: int, into: memoryview, check: Callable[[], None]) -> None:
        """Fills the memory; check() is called every second."""
        at = 0
        while at < len(into):
            try:
                count = self._ends[sender].recv_into(into[at:])
            except socket.timeout:  # no TimeoutError before Python 3.10
                check()
                continue
            if count == 0:
                raise EOFError("the line was hung up")
            at += count

    def hang_up(self) -> None:
        """Whoever reads or writes at a line is woken."""
        for end in list(self._ends.values()):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._closed = True
        self.hang_up()
        with contextlib.suppress(OSError):  # wakes who accepts
            socket.create_connection(self.address, timeout=1).close()
        for end in self._ends.values():
            end.close()
        self._listener.close()
