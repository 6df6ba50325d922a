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
