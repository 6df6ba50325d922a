/** The proof of the dice, checked where the player sits. Own SHA-256: the browser's is missing where a page comes by plain http. */

import { hex } from "./memory";

const SCHEME = "qwixx-dice/2";
/** Of records in which only the first round's starter was drawn. */
const OLD_SCHEME = "qwixx-dice/1";
const ROUNDS = roundConstants();

/** Fractional parts of cube roots (and square roots) of the first primes, as the standard defines them. */
function roundConstants(): { k: Uint32Array; h: Uint32Array } {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const part = (x: number) => ((x - Math.floor(x)) * 2 ** 32) >>> 0;
  return {
    k: Uint32Array.from(primes, (p) => part(Math.cbrt(p))),
    h: Uint32Array.from(primes.slice(0, 8), (p) => part(Math.sqrt(p))),
  };
}

export function sha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((message.length + 8) >> 6) + 1) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, message.length << 3);
  view.setUint32(padded.length - 8, message.length >>> 29);
  const state = ROUNDS.h.slice();
  const w = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i);
    mix(state, w);
  }
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => out.setUint32(4 * i, word));
  return new Uint8Array(out.buffer);
}

function mix(state: Uint32Array, w: Uint32Array): void {
  const turn = (x: number, n: number) => (x >>> n) | (x << (32 - n));
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15]!;
    const b = w[i - 2]!;
    w[i] = w[i - 16]! + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + w[i - 7]! + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS.k[i]! + w[i]!) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = state[i]! + word));
}

export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = joined(
    block.map((byte) => byte ^ 0x36),
    message,
  );
  return sha256(
    joined(
      block.map((byte) => byte ^ 0x5c),
      sha256(inner),
    ),
  );
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

const unhex = (text: string): Uint8Array => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A record as the server gives it, as far as the proof needs it. */
export interface ProvedRecord {
  seats: string[];
  first: number;
  events: string[];
  proof?: {
    scheme?: string;
    key?: string;
    commitment?: string;
    table?: string;
    round?: number;
    contributions?: Record<string, string>;
  };
}

/** What this page saw before the game, to hold against the record. */
export interface Seen {
  commitment?: string | undefined;
  entropy?: string[] | undefined;
}

export type Verdict =
  | { ok: true; throws: number; own: boolean }
  | { ok: false; why: "missing" | "commitment" | "promise" | "contribution" | "first" }
  | { ok: false; why: "throw"; throw: number };

/** What is thrown: so many dice, each with so many faces. */
export interface DiceSet {
  dice: number;
  faces: number;
}

/** Compute every throw of a finished round again from the revealed key. */
export function checkDice(record: ProvedRecord, { dice, faces }: DiceSet, seen: Seen = {}): Verdict {
  const { scheme, key, commitment, table, round, contributions } = record.proof ?? {};
  const known = scheme === SCHEME || scheme === OLD_SCHEME;
  if (!known || !key || !commitment || !table || !round || !contributions) return { ok: false, why: "missing" };
  if (hex(sha256(unhex(key))) !== commitment) return { ok: false, why: "commitment" };
  if (seen.commitment !== undefined && seen.commitment !== commitment) return { ok: false, why: "promise" };
  const all = Object.values(contributions);
  if (!(seen.entropy ?? []).every((own) => all.includes(own))) return { ok: false, why: "contribution" };
  const source = new Source(unhex(key), `${scheme}|${table}|${round}|${brought(contributions)}|`);
  const drawn = scheme !== OLD_SCHEME || round === 1;
  if (drawn && source.first(record.seats.length) !== record.first) return { ok: false, why: "first" };
  const throws = record.events.filter((event) => !event.includes(":"));
  const wrong = throws.findIndex((text, n) => !matches(text, source.throw(n, dice, faces)));
  if (wrong >= 0) return { ok: false, why: "throw", throw: wrong + 1 };
  return { ok: true, throws: throws.length, own: Boolean(seen.entropy?.length) };
}

function brought(contributions: Record<string, string>): string {
  const seats = Object.keys(contributions).sort((a, b) => Number(a) - Number(b));
  return seats.map((seat) => `${seat}:${contributions[seat]}`).join(",");
}

/** The shown dice are the computed ones; a die that has left is a dot. */
function matches(text: string, dice: number[]): boolean {
  const shown = text.replace(" ", "");
  return shown.length === dice.length && [...shown].every((die, i) => die === "." || Number(die) === dice[i]);
}

class Source {
  constructor(
    private key: Uint8Array,
    private context: string,
  ) {}

  throw(n: number, dice: number, faces: number): number[] {
    return this.values(`roll ${n}`, faces, dice).map((value) => value + 1);
  }

  first(seats: number): number {
    return this.values("first", seats, 1)[0]!;
  }

  /** So many numbers from 0 up to `below`, each as likely as the next: bytes that would favour some are left out. */
  private values(use: string, below: number, count: number): number[] {
    const [found, limit]: [number[], number] = [[], 256 - (256 % below)];
    for (let n = 0; found.length < count; n++) {
      const bytes = hmac(this.key, utf8(`${this.context}${use}|${n}`));
      found.push(
        ...Array.from(
          bytes.filter((byte) => byte < limit),
          (byte) => byte % below,
        ),
      );
    }
    return found.slice(0, count);
  }
}
