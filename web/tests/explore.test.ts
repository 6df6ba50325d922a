/** Positions in links, dice by taps, and the words of a rule. */
import { describe, expect, it } from "vitest";
import { asHint, decode, encode, explorePath, ruleText, someThrow, turned } from "../src/explore";
import type { RulesText } from "../src/rules";

const POSITION = { game: "classic", active: 1, phase: "white", dice: "41 3625", sheets: [{ R: [5], locks: "" }] };

describe("a position in a link", () => {
  it("comes back as it was", () => {
    expect(decode(encode(POSITION), "classic")).toEqual(POSITION);
    expect(encode(POSITION)).toMatch(/^[\w-]+$/);
    expect(explorePath(POSITION)).toBe(`/explore/classic/${encode(POSITION)}`);
    expect(decode(encode({ game: "classic", name: "Żaneta ♦ ?>" }), "classic")).toEqual({
      game: "classic",
      name: "Żaneta ♦ ?>",
    });
  });

  it.each(["", "!", "eyJ", encode(POSITION).slice(3), "a".repeat(2001), encode({ game: "duel" }), btoa("[1]"), "bnVsbA"])(
    "%s is none",
    (code) => expect(decode(code, "classic")).toBeNull(),
  );
});

describe("dice by taps", () => {
  it("turn to the next face and back, and round", () => {
    expect(turned("41 3625", 0, 1, 6)).toBe("51 3625");
    expect(turned("41 3625", 1, -1, 6)).toBe("46 3625");
    expect(turned("41 3625", 3, 1, 6)).toBe("41 3125");
    expect(turned("41 .625", 5, 1, 6)).toBe("41 .626");
  });

  it("lie there at once, all that are in play", () => {
    expect(someThrow("RY.B", 6)).toMatch(/^[1-6]{2} [1-6]{2}\.[1-6]$/);
    expect(someThrow("RYGB", 6, () => 0.999)).toBe("66 6666");
    expect(someThrow("RYGB", 6, () => 0)).toBe("11 1111");
  });
});

it("tells of choices as hints do, where there are some", () => {
  expect(asHint({ win: [0.5, 0.5], points: [1, 2] }, 0)).toBeNull();
  const values = { "-": { win: 0.4, points: 60 }, R5: { win: 0.5, points: 61 } };
  expect(asHint({ values, best: "R5", why: { key: "skips_none", n: 2, other: "-" } }, 1)).toMatchObject({
    best: "R5",
    seat: 1,
    values,
    reason: { key: "skips_none" },
  });
});

it("finds what the rules say under a number", () => {
  const blocks = [
    { p: "First (C5). You may cross it only with five (C6). More." },
    { p: "The game ends (C9):" },
    { list: ["with four failed throws (C10);", "with two rows (C11)."] },
  ];
  const rules = [{ sections: [{ id: "x", heading: "", blocks }] } as unknown as RulesText];
  expect(ruleText(rules, "C6")).toBe("You may cross it only with five (C6).");
  expect(ruleText(rules, "C10")).toBe("The game ends (C9): with four failed throws (C10).");
  expect(ruleText(rules, "C9")).toBe("The game ends (C9): with four failed throws (C10); with two rows (C11).");
  expect(ruleText(rules, "C7")).toBeNull();
});
