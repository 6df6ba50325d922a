/** One's own mistakes, to learn from: found in reviews, kept in this browser, asked again until they are known. */
import { bounds } from "../../src/qwixx/study/grades.json";
import { read, write } from "./memory";
import type { DecisionReview, ReviewView } from "./messages";
import { isError, lossOf, measureOf } from "./review";

/** A choice of one's own that could have been better: which it is, how often it was found since, when it is due. */
export interface Mistake {
  table: string;
  round: number;
  event: number;
  found: number;
  due: number;
}

/** All of them, the newest first, and the rounds that were looked through. */
export interface Mistakes {
  all: Mistake[];
  looked: string[];
}

export const mistakes = (): Mistakes => read<Mistakes>("mistakes", { all: [], looked: [] });
export const keepMistakes = (kept: Mistakes): void => write("mistakes", kept);

export const MOST = 80;
export const MOST_ROUNDS = 120;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** What was missed comes again soon; what was found, each time later, until it is known. */
const SOON = 10 * MINUTE;
const LATER = [DAY, 3 * DAY, 7 * DAY, 21 * DAY];

export const roundKey = (table: string, round: number): string => `${table}/${round}`;
export const same = (a: Mistake, b: Mistake): boolean =>
  a.table === b.table && a.round === b.round && a.event === b.event;

/** The mistakes of some seats in a round, in the order of the game. */
export function mistakesIn(table: string, round: number, review: ReviewView, seats: number[]): Mistake[] {
  return review.decisions
    .filter((one) => seats.includes(one.seat) && isError(one))
    .map(({ event }) => ({ table, round, event, found: 0, due: 0 }));
}

/** Those of a round come in front, once; the oldest give way. */
export function added(kept: Mistakes, key: string, fresh: Mistake[]): Mistakes {
  if (kept.looked.includes(key)) return kept;
  return { all: [...fresh, ...kept.all].slice(0, MOST), looked: [key, ...kept.looked].slice(0, MOST_ROUNDS) };
}

/** What is to be asked now, what waits longest first. */
export const dueOf = ({ all }: Mistakes, now: number): Mistake[] =>
  all.filter(({ due }) => due <= now).sort((a, b) => a.due - b.due);

/** One was tried: it comes again, or is known and put away. */
export function answered(kept: Mistakes, tried: Mistake, right: boolean, now: number): Mistakes {
  const all = kept.all.flatMap((one): Mistake[] => {
    if (!same(one, tried)) return [one];
    if (!right) return [{ ...one, found: 0, due: now + SOON }];
    const wait = LATER[one.found];
    return wait === undefined ? [] : [{ ...one, found: one.found + 1, due: now + wait }];
  });
  return { ...kept, all };
}

/** One of them cannot be asked any more: its game is gone. */
export const without = (kept: Mistakes, gone: Mistake): Mistakes => ({
  ...kept,
  all: kept.all.filter((one) => !same(one, gone)),
});

/** Whether a choice is as good as right: it loses less than what is called an inaccuracy. */
export function isRight(decision: DecisionReview, move: string, seats: number): boolean {
  const what = measureOf(seats);
  return move === decision.best || lossOf(decision, move, what) < bounds[what].inaccuracy;
}

/** A review was read: what was wrong in it is kept for later. */
export function reviewed(table: string, round: number, review: ReviewView, yours: number[]): void {
  const fresh = mistakesIn(table, round, review, yours);
  if (yours.length) keepMistakes(added(mistakes(), roundKey(table, round), fresh));
}
