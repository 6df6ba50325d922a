"""Reviews of finished rounds: made once, by other processes, and kept on disk."""

import asyncio
import functools
import logging
from typing import Final

import msgspec

from qwixx.core.record import Record
from qwixx.server.cache import PackedCache
from qwixx.server.limits import Limits
from qwixx.server.store import Store
from qwixx.server.studies import Studies
from qwixx.server.writer import Writer

logger: Final = logging.getLogger("qwixx.server")


class Reviews:
    """Those that are done, and how far the others are."""

    def __init__(self, limits: Limits, studies: Studies, store: Store, writer: Writer) -> None:
        self._studies = studies
        self._store = store
        self._writer = writer
        self._ready = PackedCache(1000 * limits.review_kilobytes)

    async def of(
        self, table: str, record: Record, seen: int | None, address: str
    ) -> tuple[bytes, bool]:
        """The review of a finished round, and whether it is packed, which it is if it is done."""
        proof = record.more["proof"]
        # A finished round never changes, and no other has its commitment.
        key, number = proof["commitment"], proof["round"]
        kept = self._ready.kept(key)
        if kept is None and not self._studies.knows(key):
            kept = await asyncio.to_thread(self._store.kept_review, table, number)
        if kept is not None:
            self._ready.keep(key, kept)
            return kept, True
        done, of, found, kept = await self._studies.review(address, key, record, seen)
        if kept is None:
            progress = {"round": number, "done": done, "of": of, "review": found}
            return msgspec.json.encode(progress), False
        if self._studies.knows(key):  # of all who waited for it the first to hear keeps it
            self._ready.keep(key, kept)
            self._writer.between(functools.partial(self._keep, table, number, kept))
            self._studies.forget(key)
        return kept, True

    def _keep(self, table: str, number: int, packed_review: bytes) -> None:
        """On the writer's thread. One that is not kept can be made again: no reason to end."""
        try:
            self._store.keep_review(table, number, packed_review)
        except Exception:
            logger.exception("a review was not kept", extra={"table": table})
