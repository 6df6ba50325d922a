/** The proof of the dice, against the standard and against a record of the server's. */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hex } from "../src/memory";
import { checkDice, hmac, sha256, type DiceSet, type ProvedRecord } from "../src/proof";

type Proved = ProvedRecord & { proof: NonNullable<ProvedRecord["proof"]> };
interface Round extends DiceSet {
  record: Proved;
}
const rounds = JSON.parse(readFileSync(join(import.meta.dirname, "proved.json"), "utf8")) as Round[];

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

describe.each(rounds)("a record of $dice dice with $faces faces", (round) => {
  const record = (): Proved => structuredClone(round.record);
  const throws = record().events.filter((event) => !event.includes(":")).length;

  it("of the server is proved", () => {
    expect(checkDice(record(), round)).toEqual({ ok: true, throws, own: false });
  });

  it("is held against what was seen before the game", () => {
    const { commitment, contributions } = record().proof;
    const own = Object.values(contributions!);
    expect(checkDice(record(), round, { commitment, entropy: own })).toEqual({ ok: true, throws, own: true });
    expect(checkDice(record(), round, { commitment: "00" })).toEqual({ ok: false, why: "promise" });
    expect(checkDice(record(), round, { entropy: ["ab"] })).toEqual({ ok: false, why: "contribution" });
  });

  it("with a changed throw names it", () => {
    const changed = record();
    const at = changed.events.findIndex((event, i) => i > 0 && !event.includes(":"));
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
