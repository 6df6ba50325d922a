/** The rules as people read them, of each game that has some, in the reader's language. */
import type { PanelView } from "./messages";

export interface Block {
  p?: string;
  list?: string[];
  /** The sheet as it is printed, with these words below. */
  sheet?: string;
  /** A way to the rules of another game. */
  more?: { game: string; words: string };
  board?: string;
  caption?: string;
  table?: { head: string[]; rows: string[][] };
}

export interface RulesText {
  title: string;
  lead: string;
  /** For whom, how long, by whom. */
  facts?: string;
  /** All of it on one screen. */
  summary?: string[];
  /** The words on printed sheets. */
  printed?: string;
  /** What a thing on the sheet means. */
  explain: Record<string, string>;
  sections: { id: string; heading: string; blocks: Block[] }[];
}

export type Examples = Record<string, { dice: string | null; panel: PanelView; moves: string[] }>;

const texts = import.meta.glob<string>("./games/*/rules.*.json", { eager: true, query: "?url", import: "default" });
const boards = import.meta.glob<string>("./games/*/examples.json", { eager: true, query: "?url", import: "default" });

const read = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;

/** None, if the game has no rules for people. */
export async function rulesOf(game: string, language: string): Promise<RulesText | null> {
  const url = texts[`./games/${game}/rules.${language}.json`];
  return url ? read(url) : null;
}

export async function examplesOf(game: string): Promise<Examples> {
  const url = boards[`./games/${game}/examples.json`];
  return url ? read(url) : {};
}
