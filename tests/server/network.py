"""A network between servers and their database that can be cut without a sign: what is sent is taken,
and nothing arrives."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum

from client import free_port


class Cut(Enum):
    """Which way nothing comes through."""

    NONE = "none"
    TO_DATABASE = "to the database"
    FROM_DATABASE = "from the database"
    BOTH = "both ways"


class Network:
    """Passes on to a port what it hears, until it is cut. What is held back comes through when it heals,
    as packets do that are sent again."""

    def __init__(self, port: int) -> None:
        self.port = free_port()
        self._far = port
        self._ways = {way: threading.Event() for way in (Cut.TO_DATABASE, Cut.FROM_DATABASE)}
        self._lines: list[socket.socket] = []
        self._entrance = socket.create_server(("127.0.0.1", self.port))
        self._threads = [threading.Thread(target=self._let_in, daemon=True)]
        self._threads[0].start()
        self.set(Cut.NONE)

    def way_to(self, place: str) -> str:
        """The address of a database, by this network."""
        return place.replace(f":{self._far}/", f":{self.port}/")

    def set(self, cut: Cut) -> None:
        """Cut it, or let it heal."""
        for way, is_open in self._ways.items():
            if cut in (Cut.BOTH, way):
                is_open.clear()
            else:
                is_open.set()

    def end(self) -> None:
        with suppress(OSError):
            self._entrance.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        for line in self._lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        self.set(Cut.NONE)
        for thread in self._threads:
            thread.join()
        for one in (self._entrance, *self._lines):
            one.close()

    def _let_in(self) -> None:
        with suppress(OSError):  # until it is shut
            while True:
                near, _ = self._entrance.accept()
                self._lines.append(near)
                far = socket.socket()
                self._lines.append(far)
                try:
                    far.connect(("127.0.0.1", self._far))
                except OSError:
                    near.shutdown(socket.SHUT_RDWR)
                    continue
                for way in ((near, far, Cut.TO_DATABASE), (far, near, Cut.FROM_DATABASE)):
                    self._threads.append(
                        threading.Thread(target=self._pass_on, args=way, daemon=True)
                    )
                    self._threads[-1].start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, way: Cut) -> None:
        """Everything, the end included, while the way is open."""
        with suppress(OSError):
            while heard := source.recv(65536):
                self._ways[way].wait()
                sink.sendall(heard)
        self._ways[way].wait()
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


@contextmanager
def network_to(port: int) -> Iterator[Network]:
    network = Network(port)
    try:
        yield network
    finally:
        network.end()
