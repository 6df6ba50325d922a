"""The names that a server answers to.

A page elsewhere can have its own name lead to this machine (DNS rebinding) and would then count as
a page of ours. So only names are answered to that nobody else can have: addresses in numbers,
localhost, the machine's own name, and those of the sites that whoever runs the server has named.
"""

import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]{1,253})(?::[0-9]{1,5})?", re.IGNORECASE)


def names_of(origins: Iterable[str], machine: str | None = None) -> frozenset[str]:
    """The names besides addresses: of this machine in its own network, and of these sites."""
    own = (socket.gethostname() if machine is None else machine).lower().rstrip(".")
    sites = {urlsplit(origin).hostname or "" for origin in origins}
    return frozenset({"localhost", own, f"{own}.local"} | sites) - {"", ".local"}


def answered(host: str, names: frozenset[str]) -> bool:
    """Whether a server with these names answers to what a request calls it."""
    found = HOST.fullmatch(host)
    if found is None:
        return False
    name = found[1].lower().rstrip(".")
    return name in names or name.endswith(".localhost") or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def refusal(host: str, scheme: str) -> str:
    """What to say to whoever calls the server by another name, and what would change it."""
    named = host.lower() if HOST.fullmatch(host) else "NAME"
    secure = "https" if scheme in ("https", "wss") else "http"
    return (
        f'this server does not answer to the name "{named}": come by its address in numbers; '
        f"or, if the name is its own, whoever runs it adds --origin {secure}://{named}"
    )
