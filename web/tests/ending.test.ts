/** The end of a round in data and words. */
import { beforeAll, describe, expect, it } from "vitest";
import { asText, isFeast, kindWords, moodOf, ranked, reasonWords, standings, titleWords, summary, type Final } from "../src/ending";
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

  it("is seen in every face, and only the last are sad", () => {
    const moods = (totals: number[], winners: number[]) => all(totals, winners).map((one, _, seats) => moodOf(one, seats));
    expect(moods([70, 58], [0])).toEqual(["joy", "sad"]);
    expect(moods([58, 70, 60], [1])).toEqual(["sad", "joy", "open"]);
    expect(moods([58, 70, 58], [1])).toEqual(["sad", "joy", "sad"]);
    expect(moods([70, 70], [0, 1])).toEqual(["joy", "joy"]);
    expect(moods([3], [])).toEqual(["joy"]);
  });

  it("comes with a kind word for the others", () => {
    expect(kindWords(all([58, 70], [1]), [0], game)).toEqual(["You were 12 behind.", "Best row: red, 63 points."]);
    expect(kindWords(all([-5, 70], [1]), [0], game)[1], "nothing was crossed").toBe("In the next game everybody starts at 0 again.");
    expect(kindWords(all([69, 70], [1]), [0], game)[0]).toBe("So close: only 1 behind.");
    expect(kindWords(all([70, 58, 65], [0]), [0], game)).toEqual(["5 points ahead of Fox."]);
    expect(kindWords(all([70, 58], [0]), [0, 1], game), "several share the device").toEqual(["12 points ahead of Owl."]);
    expect(kindWords(all([70, 70, 3], [0, 1]), [0], game)).toEqual(["70 points each."]);
    expect(kindWords(all([3, 70, 70], [1, 2]), [0], game)[0]).toBe("You were 67 behind.");
    expect(kindWords(all([-5], [0]), [0], game), "nothing was crossed").toEqual([]);
  });

  describe("and names what went well on the sheet of whoever has lost", () => {
    /** What is said to seat 0, from everybody's rows and failed throws, and the rows that seat 0 has locked. */
    function said(rows: number[][], failed = rows.map(() => 1), locks = ""): string | undefined {
      const totals = rows.map((points, seat) => points.reduce((a, b) => a + b) - 5 * failed[seat]!);
      const winners = totals.flatMap((total, seat) => (total === Math.max(...totals) ? [seat] : []));
      const own = { ...sheet(0, failed[0]!), rows: [..."RYGB"].map((colour) => (locks.includes(colour) ? "..a" : "...")) };
      const panels = rows.map((_, seat) => (seat ? sheet(seat, failed[seat]!) : own));
      const ended = final(totals, winners, { panels, result: { totals, rows, over: true, winners, reason: "rows" } });
      expect(winners, "somebody else has won").not.toContain(0);
      return kindWords(standings(ended, game, ["You", "Owl", "Fox"].slice(0, rows.length)), [0], game)[1];
    }

    it.each<[string, Parameters<typeof said>, string]>([
      ["the best row of all", [[[45, 0, 0, 0], [36, 36, 0, 0]]], "But the best row at the table is yours: red, 45 points."],
      ["a best row of one point", [[[0, 0, 1, 0], [0, 0, 0, 0]], [2, 0]], "But the best row at the table is yours: green, 1 point."],
      ["a lock", [[[36, 1, 0, 0], [36, 36, 0, 0]], [1, 1], "R"], "But one lock is yours: red."],
      ["locks", [[[36, 28, 0, 0], [36, 36, 0, 0]], [1, 1], "RY"], "But 2 locks are yours: red and yellow."],
      ["no failed throw", [[[10, 1, 0, 0], [36, 36, 0, 0]], [0, 1]], "But you have not a single failed throw."],
      ["no failed throw of anybody is nothing special", [[[10, 1, 0, 0], [36, 36, 0, 0]], [0, 0]], "Best row: red, 10 points."],
      ["the second place", [[[10, 1, 0, 0], [36, 36, 0, 0], [3, 3, 0, 0]]], "But you are second of 3."],
      ["no second place for two", [[[10, 1, 0, 0], [36, 36, 0, 0], [1, 10, 0, 0]]], "Best row: red, 10 points."],
      ["the most in a row", [[[10, 0, 3, 6], [36, 36, 1, 3]]], "But in one row nobody had more: blue, 6 points."],
      ["of two of these the best", [[[10, 0, 6, 3], [36, 36, 1, 0]]], "But in one row nobody had more: green, 6 points."],
      ["the same in a row is not the most", [[[10, 0, 3, 0], [36, 36, 3, 0]]], "Best row: red, 10 points."],
    ])("%s", (_, sheets, words) => expect(said(...sheets)).toBe(words));
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
    const locked = (seat: number, locks: string): Final["panels"][number] => ({
      ...sheet(seat, 1, "RG"),
      rows: [..."RYGB"].map((colour) => (locks.includes(colour) ? `..${"ab"[seat]}` : "...")),
    });
    const panels = [locked(0, "G"), locked(1, "RG")];
    expect(reason("rows", [0], { panels })).toBe("Closed rows: red (Owl), green (you and Owl). The game is over.");
    expect(reason("rows", [], { panels }), "to others").toBe("Closed rows: red (Owl), green (Ana and Owl). The game is over.");
    const alone = { ...final([1], [0], { panels: [locked(0, "RG")] }) };
    expect(reasonWords(alone, game, ["Ana"], [0]), "who else?").toBe("Closed rows: red, green. The game is over.");
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
