/** Pictures are what the law's own guide draws, position by position. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { GameView } from "../src/messages";
import { picture, readDice, skippedBy, stillInPlay, type Picture, type Position } from "../src/picture";

interface Drawn {
  games: GameView[];
  positions: { position: Position; panels: Picture["panels"]; seats: Picture["seats"] }[];
}
const drawn = JSON.parse(readFileSync(join(import.meta.dirname, "pictures.json"), "utf8")) as Drawn;

it.each(drawn.games.map((game) => [game.id, game] as const))("%s looks as the law says", (id, game) => {
  const positions = drawn.positions.filter((one) => one.position["game"] === id);
  expect(positions.length).toBeGreaterThan(20);
  for (const { position, panels, seats } of positions) {
    const found = picture(position, game);
    expect(found.panels).toEqual(panels);
    expect(found.seats).toEqual(seats);
  }
});

it("shows what a move on one's own sheet would skip", () => {
  const game = drawn.games.find((one) => one.pieces === null)!;
  const sheet = { R: [3, 5], Y: [], G: [], B: [], locks: "", failed: 0 };
  const panel = picture({ sheets: [sheet] }, game).panels[0]!;
  expect([...skippedBy(panel, "R9")]).toEqual(["R6", "R7", "R8"]);
  expect([...skippedBy(panel, "R6")]).toEqual([]);
});

it("reads dice as they are written", () => {
  expect(readDice("41 36.5")).toEqual({ whites: [4, 1], coloured: [3, 6, null, 5] });
});

it("takes dice off the table that have left the game", () => {
  expect(stillInPlay("41 3625", "RYGB")).toBe("41 3625");
  expect(stillInPlay("41 3625", ".Y.B")).toBe("41 .6.5");
  expect(stillInPlay("41 36.5", "RYGB")).toBe("41 36.5");
});
