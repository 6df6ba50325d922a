/** What a hint looks like and says. */
import { describe, expect, it } from "vitest";
import { chance, points, reasonParams, share, tellsChances } from "../src/hints";
import type { HintView, Worth } from "../src/messages";

const hintOf = (values: Record<string, Worth | null>, more: Partial<HintView> = {}): HintView => ({
  type: "hint",
  id: "a",
  seat: 0,
  opened: 1,
  level: "master",
  best: "R5",
  reason: { key: "even", other: "-" },
  values,
  ...more,
});
const worth = (win: number, points: number): Worth => ({ win, points });

describe("bars", () => {
  it.each([0, 0.01, 0.37, 0.6, 1])("of a chance are as long as the chance: %d", (win) => {
    const hint = hintOf({ R5: worth(0.6, 70), "-": worth(win, 60) });
    expect(share(hint, hint.values["-"]!, "win")).toBe(win);
  });

  it("of points are as long as their part of the most", () => {
    const hint = hintOf({ R5: worth(0.6, 70), "-": worth(0.3, 35), B9: worth(0.3, -5) });
    const long = ["R5", "-", "B9"].map((move) => share(hint, hint.values[move]!, "points"));
    expect(long).toEqual([1, 0.5, 0]);
  });

  it("are empty where there is nothing to win", () => {
    const hint = hintOf({ R5: worth(0, -5), "-": worth(0, -10) });
    expect(share(hint, hint.values["R5"]!, "points")).toBe(0);
  });
});

it("tells no chances where nobody can lose, and none where none are known", () => {
  expect(tellsChances(hintOf({ R5: worth(1, 70), "-": worth(1, 60) }))).toBe(false);
  expect(tellsChances(hintOf({ R5: worth(0.5, 70) }))).toBe(true);
  expect(tellsChances(hintOf({ R5: null, "-": null }))).toBe(false);
});

it("writes chances and points in few signs", () => {
  expect(chance(worth(0.617, 0))).toBe("62%");
  expect(points(worth(0, -3.04))).toBe("−3.0");
});

it("names a pass in words, and leaves fields to be drawn", () => {
  expect(Object.keys(reasonParams(hintOf({}))).sort()).toEqual(["more", "n", "other"]);
  const passing = hintOf({}, { best: "-", reason: { key: "leaves_open", n: 2, other: "R5" } });
  expect(Object.keys(reasonParams(passing)).sort()).toEqual(["best", "more", "n"]);
});
