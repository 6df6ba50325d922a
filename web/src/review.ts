/** A game that was judged, as it is drawn: its curve, its marks, what turned it. Nothing here draws or knows a rule. */
import { decimal, percent, shares } from "./figures";
import { t } from "./language.svelte";
import type { DecisionReview, ReasonView, ReviewView, Step, Story, ThrowReview, Worth, Worths } from "./messages";

/** What a curve tells: chances to win, or points in the end. */
export type Measure = "win" | "points";
export type Label = DecisionReview["label"];

/** Alone there is nobody to win against. */
export const measureOf = (seats: number): Measure => (seats > 1 ? "win" : "points");

/** The labels of choices that one could have made better, the least bad first. */
export const ERRORS: readonly Label[] = ["inaccuracy", "mistake", "blunder"];
export const isError = ({ label }: DecisionReview): boolean => ERRORS.includes(label);

// --- moments ---

/** A moment of the story, and the events of the record that it is made of. */
export interface Place {
  /** Its place in the story. */
  at: number;
  /** The first of its events, and the one after its last. */
  from: number;
  until: number;
  /** The throw it belongs to, counted from 1; the empty table has none. */
  turn: number;
  /** Which action of its turn it is, counted from 1; 0 is the throw itself. */
  action: number;
  /** Where it lies on the curve, in turns. */
  x: number;
}

/** All moments of a story. A throw lies in the middle of its turn on the curve, the last choices at its end. */
export function places(story: Pick<Story, "steps">): Place[] {
  let [from, turn, action] = [0, 0, 0];
  const found = story.steps.map(({ dice, choices }, at): Place => {
    if (dice) [turn, action] = [turn + 1, 0];
    else if (choices) action += 1;
    const until = from + (dice ? 1 : Object.keys(choices ?? {}).length);
    const place = { at, from, until, turn, action, x: 0 };
    from = until;
    return place;
  });
  for (const place of found) {
    const actions = found.findLast((one) => one.turn === place.turn)!.action;
    if (place.turn) place.x = place.turn - 0.5 + (actions ? (0.5 * place.action) / actions : 0.5);
  }
  return found;
}

/** The moment to which an event of the record belongs. */
export const placeOf = (all: Place[], event: number): Place | undefined =>
  all.find(({ from, until }) => event >= from && event < until);

/** A moment in words: which throw it belongs to, and which action of it. */
export function placeWords({ turn, action }: Place): string {
  if (!turn) return t("review.sum.start");
  const which = [[], [t("tray.white")], [t("tray.colour")]][action] ?? [];
  return [t("log.throw", { n: turn }), ...which].join(" · ");
}

/** Who made a choice at a moment. */
export const choosersOf = ({ choices }: Pick<Step, "choices">): number[] => Object.keys(choices ?? {}).map(Number);

/** Whose choice is looked at there: of who is looked at, or of who alone has one. */
export function chooserOf(step: Pick<Step, "choices">, seat: number): number | null {
  const all = choosersOf(step);
  return all.includes(seat) ? seat : all.length === 1 ? all[0]! : null;
}

/** Whether there was anything to choose. */
export const hasChoice = ({ values }: Pick<DecisionReview, "values">): boolean => Object.keys(values).length > 1;

/** A seat's choice at a moment, if it made one and if it is judged. */
export function decisionAt(review: ReviewView, place: Place, seat: number): DecisionReview | undefined {
  const { from, until } = place;
  return review.decisions.find((one) => one.seat === seat && one.event >= from && one.event < until);
}

// --- the curve ---

export interface Spot {
  x: number;
  y: number;
}

/** A seat's curve as far as it is judged: before the game, after each throw if all choose well, after the choices. */
export function curve({ throws }: ReviewView, seat: number, what: Measure): Spot[] {
  const of = (worths: Worths): number => worths[what][seat] ?? 0;
  const [first] = throws;
  if (!first) return [];
  return [
    { x: 0, y: of(first.before) },
    ...throws.flatMap(({ before, luck, after }, turn) => [
      { x: turn + 0.5, y: of(thrown(before, luck)) },
      { x: turn + 1, y: of(after) },
    ]),
  ];
}

/** What luck makes of what everybody had. It is judged for each seat alone, so that chances are shares again. */
export const thrown = (before: Worths, luck: Worths): Worths => ({
  win: shares(before.win.map((win, seat) => win + (luck.win[seat] ?? 0))),
  points: before.points.map((points, seat) => points + (luck.points[seat] ?? 0)),
});

/** How high a curve is at any place of it; nothing where it does not reach. */
export function heightAt(spots: Spot[], x: number): number | null {
  const next = spots.findIndex((spot) => spot.x >= x);
  const [right, left] = [spots[next], spots[Math.max(0, next - 1)]];
  if (!left || !right) return null;
  return right.x === left.x ? right.y : left.y + ((right.y - left.y) * (x - left.x)) / (right.x - left.x);
}

/** From where to where a curve is drawn: all chances, or the points that were in it, in round numbers. */
export function range(all: Spot[][], what: Measure): { low: number; high: number } {
  if (what === "win") return { low: 0, high: 1 };
  const heights = all.flat().map(({ y }) => y);
  const [low, high] = [Math.min(0, ...heights), Math.max(40, ...heights)];
  return { low: 20 * Math.floor(low / 20), high: 20 * Math.ceil(high / 20) };
}

// --- what turned the game ---

/** A choice that cost something, or a throw that changed much: how much it gave or took. */
export interface TurningPoint {
  event: number;
  place: Place;
  worth: number;
  decision: DecisionReview | null;
}

const MOST_CHOICES = 6;
const MOST_THROWS = 3;
/** What a throw must give or take at least to be told. */
const TELLING: Record<Measure, number> = { win: 0.08, points: 5 };

/** The worst choices of a seat and the throws that changed most for it, in the order of the game. */
export function turningPoints(review: ReviewView, all: Place[], seat: number): TurningPoint[] {
  const what = measureOf(review.seats.length);
  const point = (event: number, worth: number, decision: DecisionReview | null): TurningPoint[] => {
    const place = placeOf(all, event);
    return place ? [{ event, place, worth, decision }] : [];
  };
  const most = (points: TurningPoint[], number: number): TurningPoint[] =>
    points.toSorted((a, b) => Math.abs(b.worth) - Math.abs(a.worth)).slice(0, number);
  const luckOf = ({ luck }: ThrowReview): number => luck[what][seat] ?? 0;
  const choices = review.decisions
    .filter((one) => one.seat === seat && isError(one))
    .flatMap((one) => point(one.event, -one.loss[what], one));
  const throws = review.throws
    .filter((one) => Math.abs(luckOf(one)) >= TELLING[what])
    .flatMap((one) => point(one.event, luckOf(one), null));
  return [...most(choices, MOST_CHOICES), ...most(throws, MOST_THROWS)].sort((a, b) => a.event - b.event);
}

/** Where somebody begins to read: at the worst choice, or at the throw that changed most; else at the end. */
export function tellingEvent(points: TurningPoint[]): number | null {
  const choices = points.filter((one) => one.decision);
  const worst = (choices.length ? choices : points).toSorted((a, b) => Math.abs(b.worth) - Math.abs(a.worth))[0];
  return worst?.event ?? null;
}

// --- in figures ---

/** Chances or points as they stand. */
export function level(worth: number, what: Measure, digits = what === "win" ? 0 : 1): string {
  return (what === "win" ? percent : decimal)(worth, digits);
}

/** More or fewer, with their sign; nought has none. */
function signed(worth: number, figure: (size: number) => string): string {
  const size = figure(Math.abs(worth));
  return `${!/[1-9]/.test(size) ? "" : worth < 0 ? "−" : "+"}${size}`;
}
export const change = (worth: number, what: Measure, digits = 1): string =>
  signed(worth, (size) => level(size, what, digits));

/** What the throws or choices of a game add up to. That may be more than one win, so that it is told in wins. */
export const summed = (worth: number, what: Measure): string => decimal(worth, what === "win" ? 2 : 1);
export const summedChange = (worth: number, what: Measure): string => signed(worth, (size) => summed(size, what));

/** The choices of a decision, the best first. */
export function ranked({ values, best }: Pick<DecisionReview, "values" | "best">, what: Measure): [string, Worth][] {
  return Object.entries(values).sort(
    ([a, mine], [b, theirs]) => Number(b === best) - Number(a === best) || theirs[what] - mine[what],
  );
}

/** What a choice loses against the best one; never less than nothing. */
export function lossOf({ values, best }: Pick<DecisionReview, "values" | "best">, move: string, what: Measure): number {
  return Math.max(0, (values[best]?.[what] ?? 0) - (values[move]?.[what] ?? 0));
}

/** What a difference must be at least to be worth a word. */
const WORTH_A_WORD: Worth = { win: 0.005, points: 0.1 };

/** Why the best choice is better than one that is tried afterwards: as it was told, if that was made then, else by what
 * both are worth. */
export function whyNot(decision: DecisionReview, tried: string): ReasonView {
  if (tried === decision.best || tried === decision.move) return decision.why;
  const tenths = (n: number): number => Math.round(10 * n) / 10;
  const [win, points] = [lossOf(decision, tried, "win"), lossOf(decision, tried, "points")];
  if (win >= WORTH_A_WORD.win) return { key: "wins", n: tenths(100 * win), other: tried };
  if (points >= WORTH_A_WORD.points) return { key: "points", n: tenths(points), other: tried };
  return { key: "even", n: 0, other: tried };
}
