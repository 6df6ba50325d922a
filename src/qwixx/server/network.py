"""The addresses of this machine in the networks it is in,
for other devices to come by. Nothing is sent."""

import socket
import struct
import sys
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address
from typing import Final

# Networks that exist only within this machine: containers, virtual machines. No phone is in them.
WITHIN: Final = (
    "lo",
    "docker",
    "br-",
    "veth",
    "virbr",
    "cni",
    "flannel",
    "lxc",
    "lxd",
    "vmnet",
    "vboxnet",
)
LINUX_ADDRESS_OF: Final = 0x8915  # SIOCGIFADDR


def own_addresses() -> list[str]:
    """Those that others may reach, the one that leads into the world first."""
    return reachable([*_outward(), *_of_interfaces()])


def reachable(found: Iterable[str]) -> list[str]:
    """Each once,
    without those that lead to the asker itself or that a machine without a network gives itself."""
    return [address for address in dict.fromkeys(found) if _leads_here(IPv4Address(address))]


def _leads_here(address: IPv4Address) -> bool:
    return not (address.is_loopback or address.is_link_local or address.is_unspecified)


def _outward() -> Iterator[str]:
    """The address from which this machine would speak to one far away."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return
        yield probe.getsockname()[0]


def _of_interfaces() -> Iterator[str]:
    if sys.platform == "linux":
        yield from _by_asking_each()
        return
    try:
        found = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError:
        return
    yield from (str(place[0]) for *_, place in found)


def _by_asking_each() -> Iterator[str]:
    import fcntl  # noqa: PLC0415 - only where there is one

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            if name.startswith(WITHIN):
                continue
            try:
                answer = fcntl.ioctl(
                    asking, LINUX_ADDRESS_OF, struct.pack("256s", name.encode()[:15])
                )
            except OSError:  # it has none
                continue
            yield socket.inet_ntoa(answer[20:24])
