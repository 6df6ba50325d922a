/** Whether a record was signed by the key that it names. Loaded only where that is asked. */
import { hashes, verify } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { sha256, unhex, utf8 } from "./hash";
import { hex, read, write } from "./memory";

hashes.sha512 = sha512;

export interface Signature {
  by: string;
  value: string;
}

export function isSigned(digest: string, { by, value }: Signature): boolean {
  try {
    return verify(unhex(value), utf8(`qwixx-record|${digest}`), unhex(by));
  } catch {
    return false;
  }
}

/** Of a server's key, for people to compare. */
export const fingerprint = (by: string): string => hex(sha256(unhex(by))).slice(0, 16).match(/..../g)!.join(" ");

/** The key that this server signs with, as this browser saw it first: of a server it did not know, the one it has now. */
export function serverKey(now: string): string {
  const known = read("server", "");
  if (!known) write("server", now);
  return known || now;
}
