/** The dice as an addition table. */
import { describe, expect, it } from "vitest";
import type { MoveView } from "../src/messages";
import { making, places, sumOf, whiteSum } from "../src/offers";

const COLOURS = ["R", "Y", "G", "B"];
const move = (name: string): MoveView => ({ move: name, effects: {} });
const names = (columns: ReturnType<typeof places>): (string | number | null)[][] =>
  columns.map((column) => column.map(({ offer, sum }) => offer?.move ?? sum));

describe("places", () => {
  it("has one for each row in the white action", () => {
    expect(whiteSum("41 3625")).toBe(5);
    expect(names(places("41 3625", "white", COLOURS, [move("R5"), move("G5")]))).toEqual([["R5"], [5], ["G5"], [5]]);
  });

  it("has one for each white die in the other, and one where both are the same", () => {
    const offers = [move("R7"), move("B6"), move("Y10")];
    expect(names(places("41 3625", "colour", COLOURS, offers))).toEqual([
      ["R7", 4],
      ["Y10", 7],
      [6, 3],
      [9, "B6"],
    ]);
    expect(names(places("44 3625", "colour", COLOURS, [move("R7")]))[0]).toEqual(["R7"]);
  });

  it("is empty where the die has left the game", () => {
    expect(names(places("41 36.5", "colour", COLOURS, []))[2]).toEqual([null]);
    expect(names(places("41 36.5", "white", COLOURS, []))[2]).toEqual([null]);
  });

  it("leaves out nothing that is offered, whatever a game adds up", () => {
    expect(names(places("41 3625", "colour", COLOURS, [move("R12")]))[0]).toEqual([7, 4, "R12"]);
  });
});

it("names the dice of a choice", () => {
  expect(making("B10", "41 3625", "colour", COLOURS)).toBeNull();
  expect(making("B9", "41 3625", "colour", COLOURS)).toEqual({ whites: [0], coloured: 3 });
  expect(sumOf("B9", "41 3625", "colour", COLOURS)).toBe("4 + 5");
  expect(sumOf("R5", "41 3625", "white", COLOURS)).toBe("4 + 1");
  expect(sumOf("-", "41 3625", "white", COLOURS)).toBe("");
});
