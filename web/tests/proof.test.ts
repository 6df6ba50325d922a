/** The proof of the dice, against the standard and against records of the server's. */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hmac, sha256 } from "../src/hash";
import { hex } from "../src/memory";
import { checkDice, type DiceSet, type ProvedRecord, type Seen } from "../src/proof";
import { fingerprint, isSigned } from "../src/signature";

type Proved = ProvedRecord & { proof: NonNullable<ProvedRecord["proof"]> };
interface Round extends DiceSet {
  record: Proved;
}
const rounds = JSON.parse(readFileSync(join(import.meta.dirname, "proved.json"), "utf8")) as Round[];
const sealed = rounds.filter(({ record }) => record.proof.scheme === "qwixx-dice/3");
const isThrow = (event: string): boolean => !event.includes(":");

describe("the hash", () => {
  it.each([0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1000])("of %i bytes is the standard's", (length) => {
    const bytes = randomBytes(length);
    expect(hex(sha256(bytes))).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  it.each([0, 16, 32, 64, 65, 200])("with a key of %i bytes is the standard's", (length) => {
    const [key, text] = [randomBytes(length), randomBytes(77)];
    expect(hex(hmac(key, text))).toBe(createHmac("sha256", key).update(text).digest("hex"));
  });
});

describe.each(rounds)("a record of $record.proof.scheme with $dice dice of $faces faces", (round) => {
  const record = (): Proved => structuredClone(round.record);
  const throws = record().events.filter(isThrow).length;

  it("of the server is proved", () => {
    const older = record().proof.scheme !== "qwixx-dice/3";
    expect(checkDice(record(), round)).toMatchObject({ ok: true, throws, own: false, older, leftOut: 0 });
  });

  it("is held against what was seen before the game", () => {
    const { commitment } = record().proof;
    expect(checkDice(record(), round, { commitment })).toMatchObject({ ok: true });
    expect(checkDice(record(), round, { commitment: "00" })).toEqual({ ok: false, why: "promise" });
  });

  it("with a changed throw names it", () => {
    const changed = record();
    const at = changed.events.findIndex((event, i) => i > 0 && isThrow(event));
    const [whites, rest] = changed.events[at]!.split(" ");
    changed.events[at] = `${whites === "11" ? "12" : "11"} ${rest}`;
    expect(checkDice(changed, round)).toEqual({ ok: false, why: "throw", throw: 2 });
  });

  it("with another key, starter or none is not proved", () => {
    expect(checkDice({ ...record(), proof: { ...record().proof, key: "00".repeat(32) } }, round)).toEqual({
      ok: false,
      why: "commitment",
    });
    expect(checkDice({ ...record(), first: (record().first + 1) % record().seats.length }, round)).toEqual({
      ok: false,
      why: "first",
    });
    const { key: _, ...hidden } = record().proof;
    expect(checkDice({ ...record(), proof: hidden }, round)).toEqual({ ok: false, why: "missing" });
  });

  it("thrown with dice of another kind is not proved", () => {
    expect(checkDice(record(), { ...round, faces: round.faces + 1 })).toMatchObject({ ok: false, why: "throw" });
    expect(checkDice(record(), { ...round, dice: round.dice + 1 })).toMatchObject({ ok: false, why: "throw" });
  });
});

describe.each(sealed)("a sealed record with $dice dice of $faces faces", (round) => {
  const record = (): Proved => structuredClone(round.record);
  const check = (change: (changed: Proved) => void, seen: Seen = {}): ReturnType<typeof checkDice> => {
    const changed = record();
    change(changed);
    return checkDice(changed, round, seen);
  };

  it("says who took part in what", () => {
    const found = checkDice(record(), round);
    const parts = found.ok ? found.parts : [];
    expect(parts).toHaveLength(record().proof.links!.length);
    expect(parts.some(({ brought, missing }) => brought.length && !missing.length)).toBe(true);
    expect(parts.some(({ brought }) => !brought.length)).toBe(true);
    for (const [i, { brought, missing }] of parts.entries()) {
      expect(brought.length, `part ${i}`).toBe(Object.keys(record().proof.links![i]!).length);
      expect([...brought, ...missing].toSorted()).toEqual(record().seats.slice(0, -1).map((_, seat) => seat));
    }
  });

  it("is held against what this browser gave", () => {
    const { end } = record().proof.chains![0]!;
    expect(check(() => {}, { end })).toMatchObject({ ok: true, own: true, leftOut: 0 });
    expect(check(() => {}, { end: "ab".repeat(32) })).toEqual({ ok: false, why: "contribution" });
    expect(check(() => {}, { end, digest: record().proof.digest })).toMatchObject({ ok: true });
    expect(check(() => {}, { end, digest: "00" })).toEqual({ ok: false, why: "told" });
    expect(check(() => {}, { end, given: { "1": [3, "00"] } })).toEqual({ ok: false, why: "told" });
  });

  it("shows what was changed at the next throw that somebody took part in, or in the end", () => {
    expect(check((one) => (one.seats[0] = "Eve"))).toMatchObject({ ok: false });
    expect(check((one) => one.times![0]!++)).toEqual({ ok: false, why: "throw", throw: 2 });
    expect(check((one) => one.times!.splice(-1, 1, 7))).toEqual({ ok: false, why: "end" });
    expect(check((one) => (one.hints = [3]))).toEqual({ ok: false, why: "end" });
    expect(check((one) => (one.start = { game: "classic" }))).toMatchObject({ ok: false });
    expect(check((one) => delete one.result)).toEqual({ ok: false, why: "cut" });
    expect(check((one) => one.proof.chains!.pop())).toMatchObject({ ok: false });
    expect(check((one) => (one.proof.links![1] = {}))).toMatchObject({ ok: false, why: "throw", throw: 1 });
  });

  it("is signed by its server", () => {
    const { digest, signature } = record().proof;
    expect(isSigned(digest!, signature!)).toBe(true);
    expect(isSigned("00".repeat(32), signature!)).toBe(false);
    expect(isSigned(digest!, { ...signature!, value: "ab".repeat(64) })).toBe(false);
    expect(isSigned(digest!, { by: "zz", value: "" })).toBe(false);
    expect(fingerprint(signature!.by)).toMatch(/^([0-9a-f]{4} ?){4}$/);
  });
});
