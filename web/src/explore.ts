/** Positions in links, and what the explorer makes of answers. No rule is in it, and no game. */
import type { Explored, HintView, ReasonView } from "./messages";
import type { RulesText } from "./rules";

/** As the engine writes it; only the server reads what is in it. */
export type Position = Record<string, unknown>;

const LONGEST = 2000;

/** A position as a piece of an address. */
export function encode(position: Position): string {
  const bytes = new TextEncoder().encode(JSON.stringify(position));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The position of a link; none if it is damaged, or of another game. Whether it can be is for the server to say. */
export function decode(code: string, game: string): Position | null {
  if (code.length > LONGEST || !/^[\w-]+$/.test(code)) return null;
  try {
    const bytes = Uint8Array.from(atob(code.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
    const found: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const is = typeof found === "object" && found !== null && (found as Position)["game"] === game;
    return is ? (found as Position) : null;
  } catch {
    return null;
  }
}

/** The finished round from which one came, and the event at which its review was, if it was that. */
export interface Origin {
  table: string;
  round: number;
  event: number | null;
}

/** Who sits at the table that is explored. */
export interface Seated {
  names: string[];
  /** The seat of whoever explores, in the game one came from. */
  mine: number;
  /** They are told by their numbers alone: there are many, and nobody known. */
  numbered: boolean;
  /** All have their pieces on one board. */
  shared: boolean;
}

/** What stands behind a position in the address: from where one came. A link that is copied is without it. */
export const tail = (from: Origin | null): string =>
  from ? `/${[from.table, from.round, ...(from.event === null ? [] : [from.event])].join("/")}` : "";

/** Where a position is explored. */
export const explorePath = (position: Position, from: Origin | null = null): string =>
  `/explore/${position["game"]}/${encode(position)}${tail(from)}`;

/** The throw with another face on one of its dice: the whites are 0 and 1, then the coloured ones. */
export function turned(dice: string, die: number, by: number, faces: number): string {
  const place = die < 2 ? die : die + 1; // after a space
  const face = ((Number(dice[place]) - 1 + by + faces) % faces) + 1;
  return `${dice.slice(0, place)}${face}${dice.slice(place + 1)}`;
}

/** A throw to begin with, of the dice in play (a dot for each that has left): any, or the same for everybody. */
export function someThrow(inPlay: string, faces: number, any?: () => number): string {
  const face = (i: number): number => (any ? Math.floor(any() * faces) : (i * 2 + 2) % faces) + 1;
  const coloured = [...inPlay].map((die, i) => (die === "." ? "." : face(i + 2))).join("");
  return `${face(0)}${face(1)} ${coloured}`;
}

/** What is told of a choice, as hints tell it. */
export function asHint(found: Explored, seat: number): HintView | null {
  const { values, best, why } = found;
  if (!values || best === undefined || best === null) return null;
  const reason: ReasonView = why ?? { key: "plain" };
  return { type: "hint", id: "", seat, opened: 0, level: "master", best, reason, values };
}

/** What the rules say under the number of a rule: its sentences, or its point of a list with what leads to it. */
export function ruleText(rules: RulesText[], id: string): string | null {
  const mark = `(${id})`;
  for (const { blocks } of rules.flatMap((one) => one.sections)) {
    for (const [i, { p, list }] of blocks.entries()) {
      const point = list?.find((text) => text.includes(mark));
      if (point) return `${blocks[i - 1]?.p ?? ""} ${point.replace(/;$/, ".")}`.trim();
      const said = p?.split(/(?<=\([A-Z]\d+\)[.]?) /).find((text) => text.includes(mark));
      if (said) return said.endsWith(":") ? `${said} ${(blocks[i + 1]?.list ?? []).join(" ")}` : said;
    }
  }
  return null;
}
