/** Where the points of a game played alone went. */
import { expect, it } from "vitest";
import type { DecisionReview, ReviewView, ThrowReview } from "../src/messages";
import { judged } from "../src/practice";

const none = { win: [0], points: [0] };
const thrown = (event: number, rest: number): ThrowReview => ({
  ...{ event, luck: none, others: none, before: none, after: none },
  rest: { win: [0], points: [rest] },
});
const chosen = (event: number, points: number): DecisionReview => ({
  ...{ event, seat: 0, move: "R5", best: "Y5", then: null, label: "good", kind: null, reason: "", values: {} },
  loss: { win: 0, points },
  why: { key: "plain" },
});
const review = (throws: ThrowReview[], decisions: DecisionReview[]): ReviewView => ({
  ...{ format: "qwixx-review/1", game: "classic", seats: ["Ana"], players: null },
  start: { win: [1], points: [115.483126] },
  throws,
  decisions,
});

it("tells the worst choices with their throws, and what all of them lost", () => {
  const decisions = [chosen(1, 0), chosen(2, 4), chosen(4, 0.05), chosen(5, 7), chosen(7, 1), chosen(8, 2)];
  const found = judged(review([thrown(0, 0), thrown(3, 0), thrown(6, 0)], decisions));
  expect(found.lost).toBeCloseTo(14.05);
  expect(found.worst.map(({ turn, decision }) => [turn, decision.loss.points])).toEqual([
    [2, 7],
    [1, 4],
    [3, 2],
  ]);
  expect([found.mean, found.exact]).toEqual([115.483126, true]);
});

it("calls nothing exact that was corrected, and nothing an error that is none", () => {
  const found = judged(review([thrown(0, 0), thrown(2, -0.4)], [chosen(1, 0), chosen(3, 0.02)]));
  expect([found.exact, found.worst]).toEqual([false, []]);
});
