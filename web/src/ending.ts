/** The end of a round: who has how many points for what, and what is said of it. Nothing here draws or knows a rule. */
import type { Mood } from "./faces";
import { list, signed, t } from "./language.svelte";
import type { GameView, PanelView, ResultView } from "./messages";
import { colours, failedOf, panelOf, picture } from "./picture";
import { isMe } from "./table";

/** The last moment of a round, as a table or the story of it tells it. */
export interface Final {
  panels: PanelView[];
  left: number[] | null;
  /** The seat whose turn ended it. */
  active: number;
  result: ResultView;
}

/** What a seat has got, and for what: the points of its rows, then what its failed throws cost. */
export interface Standing {
  seat: number;
  name: string;
  rows: number[];
  penalty: number;
  /** The rows whose locks it has. */
  locks: string[];
  total: number;
  won: boolean;
}

/** Everybody's points, in the order of the seats. */
export function standings(final: Final, game: GameView, names: string[]): Standing[] {
  const { totals, rows, winners } = final.result;
  const drawn = picture(final, game);
  return names.map((name, seat) => ({
    seat,
    name,
    rows: rows[seat] ?? [],
    penalty: -game.cost * failedOf(drawn, seat) || 0, // never a minus before a nought
    locks: panelOf(drawn, seat).strips.flatMap(({ colour, cells }) => (cells.at(-1)?.owner === seat ? [colour] : [])),
    total: totals[seat] ?? 0,
    won: winners?.includes(seat) ?? false,
  }));
}

/** The most points first; equal ones in the order of the seats. */
export const ranked = (all: Standing[]): Standing[] => [...all].sort((a, b) => b.total - a.total);

/** How somebody takes it: glad to have won or to have played alone, sad to be the last. */
export function moodOf({ won, total }: Standing, all: Standing[]): Mood {
  if (won || all.length === 1) return "joy";
  return all.every((one) => one.total >= total) ? "sad" : "open";
}

/** Who has won, as it is said to whoever sits here. */
export function titleWords(all: Standing[], yours: number[]): string {
  const winners = all.filter((one) => one.won);
  if (all.length === 1) return t("end.alone", { n: all[0]!.total });
  if (winners.length > 1) return t("end.shared", { names: list(winners.map((one) => one.name)) });
  return isMe(yours, winners[0]?.seat) ? t("end.you") : t("end.won", { name: winners[0]?.name ?? "" });
}

const CLOSE = 5; // points that one throw more might have brought

/** By how much, and a kind word for whoever has not won. */
export function kindWords(all: Standing[], yours: number[], game: GameView): string[] {
  const [best, next] = ranked(all);
  const me = yours.length === 1 ? all[yours[0]!] : undefined;
  if (!best) return [];
  if (!next) return bestRow(best, game);
  if (all.filter((one) => one.won).length > 1 && (!me || me.won)) return [t("end.each", { n: best.total })];
  if (!me || me.won) return [t("end.ahead", { n: best.total - next.total, name: next.name })];
  const n = best.total - me.total;
  return [t(n <= CLOSE ? "end.close" : "end.behind", { n }), consolation(me, all, game)];
}

/** What went well for somebody who has not won: the rarest of what their sheet shows. */
function consolation(me: Standing, all: Standing[], game: GameView): string {
  const others = all.filter((one) => one !== me);
  const names = colours(game).map((colour) => t(`colour.${colour}`));
  const bestOf = (rows: number[]): number => Math.max(0, ...rows);
  const mine = bestOf(me.rows);
  if (others.every((one) => bestOf(one.rows) < mine))
    return t("end.kind.row", { row: names[me.rows.indexOf(mine)] ?? "", n: mine });
  if (me.locks.length)
    return t("end.kind.locks", { n: me.locks.length, rows: list(me.locks.map((colour) => t(`colour.${colour}`))) });
  if (!me.penalty && others.some((one) => one.penalty)) return t("end.kind.unfailed");
  if (others.length > 1 && others.filter((one) => one.total >= me.total).length === 1)
    return t("end.kind.second", { n: all.length });
  const ahead = me.rows.map((points, i) => (others.every((one) => (one.rows[i] ?? 0) < points) ? points : 0));
  const n = bestOf(ahead);
  if (n) return t("end.kind.ahead", { row: names[ahead.indexOf(n)] ?? "", n });
  return bestRow(me, game)[0] ?? t("end.kind.again");
}

function bestRow({ rows }: Standing, game: GameView): string[] {
  const n = Math.max(0, ...rows);
  const row = colours(game)[rows.indexOf(n)];
  return n > 0 && row ? [t("end.best", { row: t(`colour.${row}`), n })] : [];
}

/** Why it was over, and by whose doing; `told` if its last failed throw has been told already. */
export function reasonWords(final: Final, game: GameView, names: string[], yours: number[], told = false): string {
  const { reason } = final.result;
  if (reason === "rows") {
    const all = standings(final, game, names);
    const called = ({ seat, name }: Standing): string => (isMe(yours, seat) ? t("say.you") : name);
    const rows = [...(final.panels[0]?.closed ?? "")].map((colour) => {
      const closers = all.length > 1 ? all.filter((one) => one.locks.includes(colour)).map(called) : [];
      return closers.length ? `${t(`colour.${colour}`)} (${list(closers)})` : t(`colour.${colour}`);
    });
    return t("end.reason.rows", { rows: rows.join(", ") });
  }
  const me = isMe(yours, final.active);
  const name = names[final.active] ?? "";
  if (reason === "pieces") return t(me ? "end.reason.pieces.you" : "end.reason.pieces", { name });
  const whose = typeof final.panels[0]?.seat === "number" ? "own" : "shared";
  if (told) return t(`end.reason.failed.${whose}.told`, { n: game.failed });
  return t(me ? `end.reason.failed.${whose}.you` : `end.reason.failed.${whose}`, { name, n: game.failed });
}

/** Whether there is reason for confetti here: one has won, or nobody here has lost. */
export function isFeast(all: Standing[], yours: number[]): boolean {
  return all.length > 1 && (!yours.length || all.some((one) => one.won && yours.includes(one.seat)));
}

// --- to show to others ---

const SIGNS: Record<string, string> = { R: "▲", Y: "●", G: "■", B: "◆" };
export const sign = (colour: string): string => SIGNS[colour] ?? colour;

/** A result as a picture or a few lines of text tell it, to those who were not there. */
export interface Summary {
  game: string;
  title: string;
  reason: string;
  colours: string[];
  /** Of a failed throw. */
  cost: number;
  standings: Standing[];
}

/** Nobody is `you` to those who were not there. Whoever shares it without having a name tells it of themselves. */
export function summary(
  final: Final,
  game: GameView,
  title: string,
  people: string[],
  nameless: number | null = null,
): Summary {
  const names = people.map((name, seat) => (seat === nameless ? t("share.me") : name));
  const all = standings(final, game, names);
  return {
    game: title,
    title: sharedTitle(all, nameless),
    reason: final.active === nameless && final.result.reason !== "rows" ? "" : reasonWords(final, game, names, []),
    colours: colours(game),
    cost: game.cost,
    standings: ranked(all),
  };
}

function sharedTitle(all: Standing[], nameless: number | null): string {
  const winners = all.filter((one) => one.won);
  if (all.length === 1 || winners.every((one) => one.seat !== nameless)) return titleWords(all, []);
  return t(winners.length > 1 ? "share.tied" : "share.won");
}

/** One line of points: `▲36 ●21 ■45 ◆10 −5`. */
export function pointsText({ rows, penalty }: Standing, colours: string[]): string {
  const parts = rows.map((points, i) => `${sign(colours[i] ?? "")}${points}`);
  return [...parts, ...(penalty ? [signed(penalty)] : [])].join(" ");
}

/** The result in a few lines that go into any message, with the link if others can open it. */
export function asText({ game, title, colours, standings }: Summary, link: string | null): string {
  const lines = standings.map((one) => `${one.name} ${signed(one.total)}: ${pointsText(one, colours)}`);
  return [`${game} · ${title}`, ...lines, ...(link ? [link] : [])].join("\n");
}
