"""A person's hash chains, as a page keeps them: nobody else can know the next link."""

import hashlib
import hmac
import secrets
from typing import Any

LENGTH = 512


class Chains:
    """The chains of one browser; its tabs share them."""

    def __init__(self) -> None:
        self.own = secrets.token_hex(32)  # never sent
        self._kept: dict[str, list[str]] = {}
        # Which link was given for what: never one for two.
        self.given: dict[tuple[str, int], str] = {}

    def of(self, table: dict[str, Any]) -> list[str]:
        """The chain for a round, its end first."""
        name = f"qwixx-chain|{table['id']}|{table['round']}|{table['commitment']}"
        if name not in self._kept:
            link = hmac.digest(bytes.fromhex(self.own), name.encode(), "sha256")
            links = [link.hex()]
            for _ in range(LENGTH):
                link = hashlib.sha256(link).digest()
                links.append(link.hex())
            self._kept[name] = links[::-1]
        return self._kept[name]

    def end(self, table: dict[str, Any]) -> str:
        return self.of(table)[0]

    def next(self, table: dict[str, Any], digest: str, last: str | None = None) -> str | None:
        """The first link after the last one known that was given for nothing else."""
        chain = self.of(table)
        if last is not None and last not in chain:
            return None  # somebody else's
        place = chain.index(last) + 1 if last is not None else 1
        while self.given.setdefault((chain[0], place), digest) != digest:
            place += 1
        return chain[place]
