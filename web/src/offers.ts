/** The dice as an addition table: coloured ones on top, white ones at the side, each sum where they meet. Which sums
 * can be chosen is told by the server; here they only find their places. */
import type { MoveView, Play } from "./messages";
import { readDice } from "./picture";

/** A place of the table: what can be chosen there, or the sum that cannot. */
export interface Place {
  offer: MoveView | null;
  sum: number | null;
}

/** The dice behind a choice: places of the whites among the whites, and of a coloured die, if it takes one. */
export interface Making {
  whites: number[];
  coloured: number | null;
}

const numberOf = (move: string): number => Number(move.slice(1));

export const whiteSum = (dice: string): number => readDice(dice).whites.reduce((a, b) => a + b, 0);

/** The dice that make a move; none for a pass, or where no two of them add up to it. */
export function making(move: string, dice: string, phase: Play["phase"], colours: string[]): Making | null {
  if (move === "-") return null;
  const { whites, coloured } = readDice(dice);
  if (phase === "white") return { whites: whites.map((_, i) => i), coloured: null };
  const die = colours.indexOf(move[0]!);
  const white = whites.findIndex((one) => one + (coloured[die] ?? NaN) === numberOf(move));
  return white < 0 ? null : { whites: [white], coloured: die };
}

/** A choice by its dice, as one adds them up: `4 + 6`. */
export function sumOf(move: string, dice: string, phase: Play["phase"], colours: string[]): string {
  const made = making(move, dice, phase, colours);
  if (!made) return "";
  const { whites, coloured } = readDice(dice);
  const faces = [...made.whites.map((i) => whites[i]), ...(made.coloured === null ? [] : [coloured[made.coloured]])];
  return faces.join(" + ");
}

/** The places of each coloured die, top to bottom: one in the white action, one for each white die in the other. */
export function places(dice: string, phase: Play["phase"], colours: string[], moves: MoveView[]): Place[][] {
  const { whites, coloured } = readDice(dice);
  return colours.map((colour, i) => {
    const mine = moves.filter((one) => one.move[0] === colour);
    const die = coloured[i] ?? null;
    const sums =
      phase === "white" ? [whiteSum(dice)] : [...new Set(whites.map((white) => (die === null ? null : white + die)))];
    const found = sums.map((sum) => ({ offer: mine.find((one) => numberOf(one.move) === sum) ?? null, sum }));
    const others = mine.filter((one) => !found.some(({ offer }) => offer === one));
    const shut = die === null && !mine.length; // its row is closed: there is nothing to add
    return [...found, ...others.map((offer) => ({ offer, sum: null }))].map((one) =>
      shut ? { ...one, sum: null } : one,
    );
  });
}
