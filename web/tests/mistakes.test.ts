/** When a mistake is asked again. */
import { expect, it } from "vitest";
import type { DecisionReview, ReviewView } from "../src/messages";
import {
  added,
  answered,
  dueOf,
  isRight,
  MOST,
  mistakesIn,
  without,
  type Mistake,
  type Mistakes,
} from "../src/mistakes";

const NONE: Mistakes = { all: [], looked: [] };
const DAY = 86_400_000;
const mistake = (event: number, more: Partial<Mistake> = {}): Mistake => ({
  table: "t",
  round: 1,
  event,
  found: 0,
  due: 0,
  ...more,
});
const values = { R5: { win: 0.5, points: 50 }, Y5: { win: 0.495, points: 50 }, "-": { win: 0.4, points: 48 } };
const decision = (event: number, seat: number, label: string): DecisionReview =>
  ({ event, seat, label, best: "R5", values }) as unknown as DecisionReview;
const review = {
  decisions: [
    decision(1, 0, "best"),
    decision(2, 1, "blunder"),
    decision(5, 0, "inaccuracy"),
    decision(9, 0, "mistake"),
  ],
} as unknown as ReviewView;

it("keeps one's own mistakes of a round, once", () => {
  const fresh = mistakesIn("t", 1, review, [0]);
  expect(fresh.map(({ event }) => event)).toEqual([5, 9]);
  const kept = added(NONE, "t/1", fresh);
  expect(kept.all).toHaveLength(2);
  expect(added(kept, "t/1", fresh)).toBe(kept);
  // What is known by now does not come back with the review.
  expect(added({ all: [], looked: ["t/1"] }, "t/1", fresh).all).toEqual([]);
});

it("keeps no more than so many, the newest", () => {
  let kept = NONE;
  for (let round = 1; round <= 60; round++)
    kept = added(kept, `t/${round}`, [mistake(1, { round }), mistake(2, { round })]);
  expect(kept.all).toHaveLength(MOST);
  expect(kept.all[0]).toMatchObject({ round: 60, event: 1 });
  for (let round = 61; round <= 500; round++) kept = added(kept, `t/${round}`, []);
  expect(kept.looked.length).toBeLessThan(200);
});

it("asks what was missed again soon, and what was found later each time, until it is known", () => {
  const [one, two] = [mistake(5), mistake(9)];
  let kept: Mistakes = { all: [one, two], looked: [] };
  expect(dueOf(kept, 0)).toEqual([one, two]);
  kept = answered(kept, one, false, 1000);
  expect(dueOf(kept, 2000)).toEqual([two]);
  expect(dueOf(kept, DAY / 24)).toHaveLength(2);

  let now = 0;
  const waits: number[] = [];
  while (kept.all.some(({ event }) => event === 9)) {
    kept = answered(kept, two, true, now);
    const due = kept.all.find(({ event }) => event === 9)?.due;
    if (due === undefined) break;
    waits.push((due - now) / DAY);
    now = due;
  }
  expect(waits).toEqual([1, 3, 7, 21]);
  expect(kept.all.map(({ event }) => event)).toEqual([5]);
  expect(answered({ all: [{ ...two, found: 3 }], looked: [] }, two, false, 0).all[0]).toMatchObject({ found: 0 });
});

it("lets go of what cannot be asked any more", () => {
  expect(without({ all: [mistake(5), mistake(9)], looked: [] }, mistake(5)).all).toEqual([mistake(9)]);
});

it("takes the best choice for right, and what is as good", () => {
  const [one] = review.decisions;
  expect(isRight(one!, "R5", 2)).toBe(true);
  expect(isRight(one!, "Y5", 2)).toBe(true);
  expect(isRight(one!, "-", 2)).toBe(false);
  // Alone, points count.
  expect(isRight(one!, "-", 1)).toBe(false);
  expect(isRight(one!, "Y5", 1)).toBe(true);
});
