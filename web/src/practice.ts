/** A game that was played alone, judged: where its points went. Nothing here draws or knows a rule. */
import type { DecisionReview, ReviewView } from "./messages";

export interface Slip {
  decision: DecisionReview;
  /** The throw it was about, counted from 1. */
  turn: number;
}

export interface Judged {
  /** What the choices lost in all, in points. */
  lost: number;
  /** What the best play has in the mean before the first throw. */
  mean: number;
  /** It is known exactly: the judgement found nothing of itself to correct. */
  exact: boolean;
  /** The choices that lost most, the worst first. */
  worst: Slip[];
}

/** Less is within what a judgement may be wrong by, and nobody learns from it. */
const TELLING = 0.1;
const MOST = 3;
/** What floating point alone may come to. */
const ROUNDING = 1e-6;

export function judged({ start, throws, decisions }: ReviewView): Judged {
  const worst = decisions
    .filter(({ loss }) => loss.points >= TELLING)
    .sort((a, b) => b.loss.points - a.loss.points)
    .slice(0, MOST)
    .map((decision) => ({ decision, turn: throws.filter(({ event }) => event < decision.event).length }));
  return {
    lost: decisions.reduce((sum, { loss }) => sum + loss.points, 0),
    mean: start?.points[0] ?? 0,
    exact: throws.every(({ rest }) => Math.abs(rest.points[0] ?? 0) < ROUNDING),
    worst,
  };
}
