/** A judged game as it is drawn, and what turned it. */
import { describe, expect, it } from "vitest";
import type { DecisionReview, ReviewView, Step, ThrowReview, Worths } from "../src/messages";
import {
  change,
  chooserOf,
  curve,
  decisionAt,
  heightAt,
  level,
  lossOf,
  placeOf,
  places,
  range,
  ranked,
  summed,
  summedChange,
  tellingEvent,
  thrown as after,
  turningPoints,
  whyNot,
} from "../src/review";
import { speakHere } from "./catalogue";

const step = (dice: string | null, choices: Record<string, string> | null = null): Step =>
  ({ dice, choices, effects: null, active: 0, panels: [], left: null, in_play: "RYGB" }) as unknown as Step;
/** Two turns: two choices at once and one more, then two at once that end the game. */
const story = {
  steps: [
    step(null),
    step("41 3625"),
    step(null, { "0": "R5", "1": "-" }),
    step(null, { "0": "B9" }),
    step("66 1111"),
    step(null, { "0": "-", "1": "Y12" }),
  ],
};
const all = places(story);

const worths = (...win: number[]): Worths => ({ win, points: win.map((one) => 100 * one) });
const thrown = (event: number, before: number, luck: number, after: number): ThrowReview => ({
  event,
  luck: worths(luck, -luck),
  others: worths(0, 0),
  rest: worths(0, 0),
  before: worths(before, 1 - before),
  after: worths(after, 1 - after),
});
const chosen = (event: number, seat: number, loss: number, label: DecisionReview["label"]): DecisionReview => ({
  event,
  seat,
  move: "R5",
  best: loss ? "Y5" : "R5",
  then: null,
  loss: { win: loss, points: 100 * loss },
  label,
  kind: loss ? "row" : null,
  reason: "",
  why: { key: "even" },
  values: { "-": { win: 0.3, points: 30 }, R5: { win: 0.5 - loss, points: 50 }, Y5: { win: 0.5, points: 50 } },
});
const review: ReviewView = {
  format: "qwixx-review/1",
  game: "classic",
  seats: ["Ana", "bot:club"],
  start: worths(0.5, 0.5),
  throws: [thrown(0, 0.5, 0.1, 0.56), thrown(4, 0.56, -0.2, 0)],
  decisions: [
    chosen(1, 0, 0.04, "mistake"),
    chosen(2, 1, 0, "best"),
    chosen(3, 0, 0.02, "inaccuracy"),
    chosen(5, 0, 0.001, "good"),
    chosen(6, 1, 0.09, "blunder"),
  ],
  players: null,
};

describe("moments", () => {
  it("have the events of the record, in its order", () => {
    expect(all.map(({ from, until }) => [from, until])).toEqual([[0, 0], [0, 1], [1, 3], [3, 4], [4, 5], [5, 7]]);
    expect(placeOf(all, 2)?.at).toBe(2);
    expect(placeOf(all, 0)?.at).toBe(1);
    expect(placeOf(all, 7)).toBeUndefined();
  });

  it("lie in their turn: a throw in its middle, the last choices at its end", () => {
    expect(all.map(({ turn, action, x }) => [turn, action, x])).toEqual([
      [0, 0, 0], [1, 0, 0.5], [1, 1, 0.75], [1, 2, 1], [2, 0, 1.5], [2, 1, 2],
    ]);
  });

  it("show the choice of who is looked at, or of who alone has one", () => {
    expect(chooserOf(story.steps[2]!, 1)).toBe(1);
    expect(chooserOf(story.steps[2]!, 2)).toBeNull();
    expect(chooserOf(story.steps[3]!, 1)).toBe(0);
    expect(chooserOf(story.steps[1]!, 0)).toBeNull();
  });

  it("find the choice of a seat", () => {
    expect(decisionAt(review, all[2]!, 1)?.event).toBe(2);
    expect(decisionAt(review, all[3]!, 1)).toBeUndefined();
  });
});

describe("the curve", () => {
  it("goes from the start through every throw to the end", () => {
    const spots = curve(review, 0, "win");
    expect(spots.map(({ x }) => x)).toEqual([0, 0.5, 1, 1.5, 2]);
    expect(spots.map(({ y }) => y.toFixed(2))).toEqual(["0.50", "0.60", "0.56", "0.36", "0.00"]);
    expect(curve({ ...review, throws: [] }, 0, "win")).toEqual([]);
  });

  it("shows shares of one win after a throw, whose luck was judged for each seat alone", () => {
    expect(after(worths(0.4, 0.6), worths(0.2, 0.05)).win.map((one) => one.toFixed(2))).toEqual(["0.48", "0.52"]);
    expect(after(worths(0.9, 0.1), worths(0.1, -0.2)).win).toEqual([1, 0]);
    expect(after(worths(0, 1), worths(0, -1)).win).toEqual([0.5, 0.5]);
    expect(after(worths(0.4, 0.6), worths(0.2, 0.05)).points[0]).toBeCloseTo(60);
  });

  it("has a height everywhere as far as it is judged", () => {
    const spots = curve({ ...review, throws: review.throws.slice(0, 1) }, 1, "win");
    expect(heightAt(spots, 0)).toBeCloseTo(0.5);
    expect(heightAt(spots, 0.75)).toBeCloseTo(0.42);
    expect(heightAt(spots, 1.5)).toBeNull();
    expect(heightAt([], 0)).toBeNull();
  });

  it("is drawn from nought, or from below it, to a round number", () => {
    expect(range([[{ x: 0, y: 0.3 }]], "win")).toEqual({ low: 0, high: 1 });
    expect(range([[{ x: 0, y: -3 }, { x: 1, y: 81 }]], "points")).toEqual({ low: -20, high: 100 });
    expect(range([], "points")).toEqual({ low: 0, high: 40 });
  });
});

describe("turning points", () => {
  it("are a seat's errors and the throws that changed much, in the order of the game", () => {
    const points = turningPoints(review, all, 0);
    expect(points.map(({ event }) => event)).toEqual([0, 1, 3, 4]);
    expect(points.map(({ decision }) => decision?.label)).toEqual([undefined, "mistake", "inaccuracy", undefined]);
    expect(points[3]!.worth).toBeCloseTo(-0.2);
    expect(tellingEvent(points)).toBe(1);
  });

  it("are few", () => {
    const many = Array.from({ length: 30 }, (_, i) => chosen(i % 7, 0, 0.01 * (i + 1), "mistake"));
    const told = turningPoints({ ...review, decisions: many }, all, 0).filter(({ decision }) => decision);
    expect(told).toHaveLength(6);
    expect(Math.min(...told.map(({ worth }) => -worth))).toBeCloseTo(0.25);
  });

  it("are the throws where no choice cost anything, and nowhere where nothing turned", () => {
    const calm = { ...review, decisions: [] };
    expect(tellingEvent(turningPoints(calm, all, 0))).toBe(4);
    expect(tellingEvent(turningPoints({ ...calm, throws: [] }, all, 0))).toBeNull();
  });
});

describe("a try", () => {
  const decision = { ...chosen(1, 0, 0.04, "mistake"), why: { key: "saves" as const } };
  it("is told why another was better than itself, not than what was chosen then", () => {
    expect(whyNot(decision, "R5")).toEqual({ key: "saves" });
    expect(whyNot(decision, "Y5")).toEqual({ key: "saves" });
    expect(whyNot(decision, "-")).toEqual({ key: "wins", n: 20, other: "-" });
    const with5 = (win: number, points: number) => ({ ...decision, values: { ...decision.values, B5: { win, points } } });
    expect(whyNot(with5(0.499, 48.8), "B5")).toEqual({ key: "points", n: 1.2, other: "B5" });
    expect(whyNot(with5(0.5, 50), "B5").key).toBe("even");
  });
});

describe("figures", () => {
  it("have their sign, and none for nought", async () => {
    await speakHere("de");
    expect(change(-0.034, "win").replace(/\s/g, " ")).toBe("−3,4 %");
    expect(change(2, "points")).toBe("+2,0");
    expect(change(-0.0001, "win").replace(/\s/g, " ")).toBe("0,0 %");
    expect(change(-0.96, "points", 0)).toBe("−1");
    expect(level(0.617, "win").replace(/\s/g, " ")).toBe("62 %");
    expect(level(-3.04, "points")).toBe("−3,0");
    await speakHere("en");
  });

  it("of a whole game are told in wins, which may be more than one", async () => {
    await speakHere("de");
    expect([summed(1, "win"), summedChange(-1.168, "win"), summedChange(1.41, "win")]).toEqual(["1,00", "−1,17", "+1,41"]);
    expect([summedChange(-0.001, "win"), summedChange(-12.34, "points")]).toEqual(["0,00", "−12,3"]);
    await speakHere("en");
  });

  it("put the best choice first, and take nothing from it", () => {
    const [wrong] = review.decisions;
    expect(ranked(wrong!, "win").map(([move]) => move)).toEqual(["Y5", "R5", "-"]);
    expect(lossOf(wrong!, "R5", "win")).toBeCloseTo(0.04);
    expect(lossOf(wrong!, "Y5", "win")).toBe(0);
    expect(lossOf(wrong!, "R5", "points")).toBe(0);
  });
});
