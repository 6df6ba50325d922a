/** Chances and points in figures, as the reader's language writes them. */
import { language } from "./language.svelte";

const digitsOf = (digits: number) => ({ minimumFractionDigits: digits, maximumFractionDigits: digits });
const withMinus = (figure: string): string => figure.replace("-", "−");

export const percent = (win: number, digits = 0): string =>
  withMinus(win.toLocaleString(language(), { style: "percent", ...digitsOf(digits) }));
export const decimal = (n: number, digits = 1): string => withMinus(n.toLocaleString(language(), digitsOf(digits)));

/** Chances that do not come to a whole, as shares of it. */
export function shares(wins: number[]): number[] {
  const most = wins.map((win) => Math.max(0, win));
  const all = most.reduce((sum, win) => sum + win, 0);
  return most.map((win) => (all > 0 ? win / all : 1 / wins.length));
}

/** How long a bar is, up to 1. All begin at nought: a chance is its part of the whole, points are theirs of the most. */
export function barOf(value: number, what: "win" | "points", all: number[]): number {
  const whole = what === "win" ? 1 : Math.max(...all);
  return whole > 0 ? Math.min(1, Math.max(0, value / whole)) : 0;
}
