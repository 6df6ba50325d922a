/** Pictures are what the law's own guide draws, moment by moment, made from the few bytes that the server tells. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GameView } from "../src/messages";
import * as drawing from "../src/picture";

interface Drawn {
  games: GameView[];
  moments: { game: string; told: drawing.Shown; drawn: drawing.Panel[]; failed: number[] }[];
}
const law = JSON.parse(readFileSync(join(import.meta.dirname, "pictures.json"), "utf8")) as Drawn;
const classic = law.games.find((one) => one.id === "classic")!;

it.each(law.games.map((game) => [game.id, game] as const))("%s looks as the law says", (id, game) => {
  const moments = law.moments.filter((one) => one.game === id);
  expect(moments.length).toBeGreaterThan(20);
  for (const { told, drawn, failed } of moments) {
    const found = drawing.picture(told, game);
    expect(found.panels).toEqual(drawn);
    expect(failed.map((_, seat) => drawing.failedOf(found, seat))).toEqual(failed);
  }
});

describe("a game that no file of the page knows", () => {
  const tiny: GameView = {
    ...classic,
    id: "tiny",
    title: "Tiny",
    family: "tiny",
    faces: 8,
    failed: 2,
    pieces: 9,
    rows: [
      { colour: "B", fields: ["B2", "G9", "B16"] },
      { colour: "G", fields: ["G3", "B4", "G2", "G12", "B15"] },
    ],
  };
  const board = drawing.panel({ rows: [".a.b", "c--.Ac"], closed: "B", stacks: { G9: 11 }, failed: "ac" }, tiny);

  it("is drawn from what is printed: rows of any length, each field in its own colour", () => {
    expect(drawing.blank(tiny).strips.map((strip) => strip.cells.map((cell) => cell.field))).toEqual([
      ["B2", "G9", "B16", null],
      ["G3", "B4", "G2", "G12", "B15", null],
    ]);
    expect(board.strips.map((strip) => strip.cells.map((cell) => cell.colour).join(""))).toEqual(["BGBB", "GBGGBG"]);
    expect(board.strips[0]!.cells.map((cell) => cell.label)).toEqual(["2", "9", "16", "lock"]);
    expect(drawing.colours(tiny)).toEqual(["B", "G"]);
    expect(drawing.rowOf(tiny, "B15")).toBe("G");
  });

  it("has marks of as many seats as sit there, stacks of any height, locks and failed throws", () => {
    expect(board).toMatchObject({ seat: null, failed: [0, 2] });
    expect(board.strips.map((strip) => strip.closed)).toEqual([true, false]);
    const [upper, lower] = board.strips.map((strip) => strip.cells);
    expect(upper!.map((cell) => [cell.owner, cell.height])).toEqual([
      [null, 0],
      [0, 11],
      [null, 0],
      [1, 1],
    ]);
    expect(lower!.map((cell) => cell.owner)).toEqual([2, null, null, null, 0, 2]);
    expect(lower!.map((cell) => cell.gone)).toEqual([false, true, true, false, false, false]);
    expect(lower!.findIndex((cell) => cell.foremost)).toBe(4);
  });
});

describe("what a move would skip", () => {
  const panel = drawing.panel(
    { rows: ["-a-A........", ".".repeat(12), ".".repeat(12), ".".repeat(12)], seat: 0 },
    classic,
  );

  it("is shown on one's own sheet: as many free cells before it as the law says", () => {
    expect([...drawing.skippedBy(panel, "R9", 3)]).toEqual(["R6", "R7", "R8"]);
    expect([...drawing.skippedBy(panel, "R6", 0)]).toEqual([]);
    expect([...drawing.skippedBy(panel, "Y3", 1)]).toEqual(["Y2"]);
  });

  it("is not shown on a board that others enter too, nor of a field that is not there", () => {
    expect([...drawing.skippedBy({ ...panel, seat: null }, "R9", 3)]).toEqual([]);
    expect([...drawing.skippedBy(panel, "-", 0)]).toEqual([]);
    expect([...drawing.skippedBy(panel, "R99", 3)]).toEqual([]);
  });
});

it("reads dice as they are written", () => {
  expect(drawing.readDice("41 36.5")).toEqual({ whites: [4, 1], coloured: [3, 6, null, 5] });
});

it("takes dice off the table that have left the game", () => {
  expect(drawing.stillInPlay("41 3625", "RYGB")).toBe("41 3625");
  expect(drawing.stillInPlay("41 3625", ".Y.B")).toBe("41 .6.5");
  expect(drawing.stillInPlay("41 36.5", "RYGB")).toBe("41 36.5");
});
