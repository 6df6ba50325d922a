/** What a hint says, as words and bars. The server judges; here nothing is known of the game. */
import { barOf, decimal, percent } from "./figures";
import { t } from "./language.svelte";
import type { GameView, HintView, Worth } from "./messages";
import { moveName } from "./words";

const known = (hint: HintView): Worth[] => Object.values(hint.values).filter((worth) => worth !== null);

/** Where nobody can lose, as alone or just before a sure win, chances say nothing. */
export const tellsChances = (hint: HintView): boolean => known(hint).some(({ win }) => win < 1);

/** How long the bar of a choice is. */
export const share = (hint: HintView, worth: Worth, what: "win" | "points"): number =>
  barOf(worth[what], what, known(hint).map((one) => one[what]));

export const chance = ({ win }: Worth): string => percent(win);
export const points = (worth: Worth): string => decimal(worth.points);

/** What a choice is worth, for those who listen. */
export function worthWords(hint: HintView, move: string): string {
  const worth = hint.values[move];
  if (!worth) return "";
  const words = [t("hint.worth", { points: points(worth) })];
  if (tellsChances(hint)) words.unshift(t("hint.win", { chance: chance(worth) }));
  return words.join(", ");
}

/** The text of a hint's reason. The table passes by itself where that is the only choice, so nobody hears of it. */
export const reasonKey = ({ reason: { key } }: Pick<HintView, "reason">): string => `hint.${key === "only" ? "plain" : key}`;

/** What stands in its gaps that is not drawn as a field. */
export function reasonParams({ best, reason }: Pick<HintView, "best" | "reason">): Record<string, string | number> {
  const { n = 0, other } = reason;
  return {
    n,
    more: decimal(n),
    ...(best === "-" && { best: t("hint.pass") }),
    ...(other === "-" && { other: t("hint.passing") }),
  };
}

/** The whole of it in one sentence. */
export function hintWords(hint: HintView, game: GameView): string {
  const { best, reason } = hint;
  const fields = { best: moveName(game, best), other: moveName(game, reason.other ?? "-") };
  const why = t(reasonKey(hint), { ...fields, ...reasonParams(hint) });
  const worth = worthWords(hint, best);
  return `${t("hint.ask")}: ${why}${worth ? ` (${worth})` : ""}`;
}
