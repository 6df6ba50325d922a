/** The end of a round in data and words. */
import { beforeAll, describe, expect, it } from "vitest";
import { asText, isFeast, kindWords, ranked, reasonWords, standings, titleWords, summary, type Final } from "../src/ending";
import { lateWords } from "../src/lateWords";
import type { GameView } from "../src/messages";
import { speakHere, withWords } from "./catalogue";

beforeAll(async () => {
  await speakHere("en");
  await withWords(() => lateWords("end"));
});

const row = (colour: string): GameView["rows"][number] => ({ colour, fields: [`${colour}2`, `${colour}3`] });
const game: GameView = {
  id: "any", title: "Any", fewest: 1, most: 5, family: "any", rows: ["R", "Y", "G", "B"].map(row), faces: 6, points: [1, 3], failed: 4, cost: 5, to_lock: 5,
  pieces: null, sealed: true, levels: [],
};
const sheet = (seat: number, failed: number, closed = ""): Final["panels"][number] => ({ rows: [], seat, closed, failed: "abc"[seat]!.repeat(failed) });

function final(totals: number[], winners: number[], change: Partial<Final> = {}): Final {
  const rows = totals.map((total) => [total + 5, 0, 0, 0]);
  const panels = totals.map((_, seat) => sheet(seat, 1, "RG"));
  return { panels, left: null, active: 0, result: { totals, rows, over: true, winners, reason: "rows" }, ...change };
}
const all = (totals: number[], winners: number[], names = ["You", "Owl", "Fox"].slice(0, totals.length)) => standings(final(totals, winners), game, names);

describe("who has won", () => {
  it("is said to whoever sits here", () => {
    expect(titleWords(all([70, 58], [0]), [0])).toBe("You win!");
    expect(titleWords(all([58, 70], [1]), [0])).toBe("Owl wins");
    expect(titleWords(all([58, 70], [1]), [])).toBe("Owl wins");
    expect(titleWords(all([70, 70, 3], [0, 1]), [0])).toBe("You and Owl share the win");
    expect(titleWords(all([72], [0]), [0])).toBe("72 points");
  });

  it("comes with a kind word for the others", () => {
    expect(kindWords(all([58, 70], [1]), [0], game)).toEqual(["You were 12 behind.", "Best row: red, 63 points."]);
    expect(kindWords(all([69, 70], [1]), [0], game)[0]).toBe("So close: only 1 behind.");
    expect(kindWords(all([70, 58, 65], [0]), [0], game)).toEqual(["5 points ahead of Fox."]);
    expect(kindWords(all([70, 58], [0]), [0, 1], game), "several share the device").toEqual(["12 points ahead of Owl."]);
    expect(kindWords(all([70, 70, 3], [0, 1]), [0], game)).toEqual(["70 points each."]);
    expect(kindWords(all([3, 70, 70], [1, 2]), [0], game)[0]).toBe("You were 67 behind.");
    expect(kindWords(all([-5], [0]), [0], game), "nothing was crossed").toEqual([]);
  });

  it("brings confetti, but never for a loss", () => {
    expect(isFeast(all([70, 58], [0]), [0])).toBe(true);
    expect(isFeast(all([70, 70], [0, 1]), [1])).toBe(true);
    expect(isFeast(all([58, 70], [1]), [0])).toBe(false);
    expect(isFeast(all([58, 70], [1]), []), "whoever watches has not lost").toBe(true);
    expect(isFeast(all([72], [0]), [0]), "alone there is nobody to beat").toBe(false);
  });
});

describe("why it was over", () => {
  const reason = (why: Final["result"]["reason"], yours: number[], change: Partial<Final> = {}): string =>
    reasonWords(final([1, 2], [1], { ...change, result: { ...final([1, 2], [1]).result, reason: why } }), game, ["Ana", "Owl"], yours);

  it("names the rows, or whose doing it was", () => {
    expect(reason("rows", [0])).toBe("Closed rows: red and green. The game is over.");
    expect(reason("failed", [0])).toBe("You marked your failed throw number 4: the game is over.");
    expect(reason("failed", [0], { active: 1 })).toBe("Owl marked failed throw number 4: the game is over.");
    expect(reason("failed", [1], { panels: [{ rows: [], failed: "aabb" }] })).toBe("Ana marked failed throw number 4 of both together: the game is over.");
    expect(reason("pieces", [1], { active: 1 })).toBe("You placed your last piece: the game is over.");
  });
});

it("has no minus before a nought, and sorts equal points by seat", () => {
  const none = standings(final([5, 5], [0, 1], { panels: [sheet(0, 0), sheet(1, 2)] }), game, ["Ana", "Owl"]);
  expect(none.map((one) => Object.is(one.penalty, 0))).toEqual([true, false]);
  expect(none[1]!.penalty).toBe(-10);
  expect(ranked(none).map((one) => one.seat)).toEqual([0, 1]);
});

it("is told to others by names, with every number", () => {
  const result = summary(final([58, 70], [1]), game, "Qwixx", ["Ana", "Owl"]);
  expect(asText(result, "http://here/table/x/1")).toBe(
    "Qwixx · Owl wins\nOwl 70: ▲75 ●0 ■0 ◆0 −5\nAna 58: ▲63 ●0 ■0 ◆0 −5\nhttp://here/table/x/1",
  );
  expect(asText(result, null)).not.toContain("http");
});
