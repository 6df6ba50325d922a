"""The server's own key, with which it signs finished records: whoever keeps its fingerprint can tell
that a record comes from the same server, unchanged."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from nacl.exceptions import CryptoError
from nacl.signing import SigningKey, VerifyKey

from qwixx.core.errors import BadRecord, QwixxError
from qwixx.core.parsing import JsonObject
from qwixx.core.record import Record

OWNER_ONLY: Final = 0o600
KEY_DIGITS: Final = 64
SIGNATURE_DIGITS: Final = 128


def _message(digest: str) -> bytes:
    return f"qwixx-record|{digest}".encode()


class Signer:
    """An Ed25519 key."""

    def __init__(self, seed: bytes | None = None) -> None:
        self._key = SigningKey(seed) if seed is not None else SigningKey.generate()

    @classmethod
    def beside(cls, db: Path) -> "Signer":
        """The key that lies beside a database, readable by its owner only; made at the first start."""
        path = db.with_name(f"{db.name}.key")
        try:
            return cls(bytes.fromhex(path.read_text().strip()))
        except FileNotFoundError:
            return cls._new(path)
        except (OSError, ValueError, CryptoError) as error:
            raise QwixxError(f"the server's key {path} cannot be used: {error}") from None

    @classmethod
    def _new(cls, path: Path) -> "Signer":
        signer = cls()
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with os.fdopen(made, "w") as file:
            file.write(f"{signer.seed.hex()}\n")
        return signer

    @property
    def seed(self) -> bytes:
        """All of it: for nobody to see."""
        return bytes(self._key)

    @property
    def public(self) -> str:
        return bytes(self._key.verify_key).hex()

    def signed(self, record: Record) -> Record:
        """A finished record with the signature of its digest; any other as it is."""
        proof = record.more.get("proof", {})
        if "digest" not in proof:
            return record
        value = self._key.sign(_message(proof["digest"])).signature.hex()
        signature = {"by": self.public, "value": value}
        return replace(record, more={**record.more, "proof": {**proof, "signature": signature}})


def fingerprint(public: str) -> str:
    """Of a server's key, for people to compare."""
    digest = hashlib.sha256(bytes.fromhex(public)).hexdigest()[:16]
    return " ".join(digest[place : place + 4] for place in range(0, len(digest), 4))


def signed_by(record: Record, digest: str) -> str | None:
    """The key that signed a record's digest; None if nobody did. A signature that is wrong raises."""
    proof = record.more.get("proof")
    if not isinstance(proof, dict) or "signature" not in proof:
        return None
    given = JsonObject(proof["signature"], "the signature of the record", BadRecord)
    by, value = given.text("by"), given.text("value")
    try:
        if (len(by), len(value)) != (KEY_DIGITS, SIGNATURE_DIGITS):
            raise ValueError
        VerifyKey(bytes.fromhex(by)).verify(_message(digest), bytes.fromhex(value))
    except (ValueError, CryptoError):
        raise BadRecord("the signature of the record is not of the key that it names") from None
    return by
