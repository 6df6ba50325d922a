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
  it("are whole for the best and short for the worst, if the difference is worth a look", () => {
    const hint = hintOf({ R5: worth(0.6, 70), "-": worth(0.3, 60), B9: worth(0.45, 65) });
    expect(share(hint, hint.values["R5"]!, "win")).toBe(1);
    expect(share(hint, hint.values["-"]!, "win")).toBeCloseTo(0.12);
    expect(share(hint, hint.values["B9"]!, "points")).toBeCloseTo(0.56);
  });

  it("are nearly alike where the choices are", () => {
    const hint = hintOf({ R5: worth(0.6, 70), "-": worth(0.599, 69.9) });
    expect(share(hint, hint.values["-"]!, "win")).toBeGreaterThan(0.95);
    expect(share(hint, hint.values["-"]!, "points")).toBeGreaterThan(0.95);
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
