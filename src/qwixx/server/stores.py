"""Which store an address names: a file is SQLite's, `postgresql://…` a database for several processes."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from qwixx.core.errors import QwixxError
from qwixx.core.extras import need
from qwixx.server.signing import Signer
from qwixx.server.sqlite import SqliteReader, SqliteStore
from qwixx.server.store import Store

POSTGRES: Final = re.compile("postgres(?:ql)?://")


def is_shared(db: str) -> bool:
    """Whether several processes can use it."""
    return POSTGRES.match(db) is not None


def shown(db: str) -> str:
    """An address without its password."""
    if not is_shared(db):
        return db
    parts = urlsplit(db)
    where = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{where}{parts.path}"


def open_store(db: str) -> Store:
    """To write to; what cannot be used is told in a sentence."""
    try:
        if not is_shared(db):
            return SqliteStore(Path(db))
        need("postgres")
        from qwixx.server.postgres import PostgresStore  # noqa: PLC0415 - an extra

        return PostgresStore(db)
    except QwixxError:
        raise
    except Exception as error:  # noqa: BLE001 - a database can fail in many ways, and each is told
        raise QwixxError(
            f"the database {shown(db)} cannot be used: {error or repr(error)}"
        ) from None


def open_reader(db: str) -> SqliteReader | Store:
    """To read from, while servers write to it or not."""
    return open_store(db) if is_shared(db) else SqliteReader(Path(db))


def signer(db: str, store: Store, known: bytes | None = None) -> Signer:
    """The server's key: beside a file, and in a database for all who use it; there a known one is put
    if there is none yet, else a new one."""
    if not is_shared(db):
        return Signer.beside(Path(db))
    from qwixx.server.postgres import PostgresStore  # noqa: PLC0415 - as above

    assert isinstance(store, PostgresStore)
    return Signer(store.secret(known or Signer().seed))
