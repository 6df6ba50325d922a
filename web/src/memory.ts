/** What this browser remembers: who it is, where it sits, how it likes things. Works, forgetfully, where storage is blocked. */
import { FACES } from "./faces";

const fallback = new Map<string, string>();

function get(key: string): string | null {
  try {
    return localStorage.getItem(`qwixx.${key}`) ?? fallback.get(key) ?? null;
  } catch {
    return fallback.get(key) ?? null;
  }
}

function put(key: string, value: string): void {
  fallback.set(key, value);
  try {
    localStorage.setItem(`qwixx.${key}`, value);
  } catch {
    // private windows and full disks: this visit still works
  }
}

/** Something of this browser's, by its name. */
export function read<T>(key: string, otherwise: T): T {
  try {
    return (JSON.parse(get(key) ?? "null") as T | null) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export const write = (key: string, value: unknown): void => put(key, JSON.stringify(value));

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

function random(bytes: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(bytes));
}

/** Random, hexadecimal: the id of a command, say. */
export const randomHex = (bytes: number): string => hex(random(bytes));

/** The secret that holds this browser's seats. It is made here and never stands in an address. */
export function secret(): string {
  const known = get("secret");
  if (known && /^[A-Za-z0-9_-]{22,86}$/.test(known)) return known;
  const made = randomHex(32);
  put("secret", made);
  return made;
}

export interface Settings {
  name: string;
  language: string | null;
  sound: boolean;
  /** The dice are thrown without a tap when it is one's turn. */
  auto: boolean;
  /** Do not show what others say without words. */
  quiet: boolean;
  /** Which pawn one is; empty until one has been chosen. */
  face: string;
  /** What was played last from home: which game, with how many bots, and which, the one chosen last first. */
  game: string;
  count: number;
  company: string[];
}

const USUAL: Settings = {
  name: "",
  language: null,
  sound: false,
  auto: false,
  quiet: false,
  face: "",
  game: "",
  count: 1,
  company: [],
};
export const settings = (): Settings => ({ ...USUAL, ...read<Partial<Settings>>("settings", {}) });
export const keep = (change: Partial<Settings>): void => write("settings", { ...settings(), ...change });

/** What the coach has said and was told to keep to itself. */
export const coached = (): string[] => read<string[]>("coached", []);
export const rememberTip = (tip: string): void => write("coached", [...new Set([...coached(), tip])]);

/** The level itself, or the strongest below it of those that can play a game, both from weak to strong. */
export function levelFor(level: string, all: string[], playing: string[]): string {
  const upTo = all.slice(0, all.indexOf(level) + 1);
  return upTo.findLast((one) => playing.includes(one)) ?? playing[0] ?? "";
}

/** The level to begin with, of those offered from the weakest to the strongest: the one chosen last, or one for a newcomer. */
export function usualLevel(levels: string[]): string {
  const known = [settings().company[0], "greedy"].find((level) => level !== undefined && levels.includes(level));
  return known ?? levels[(levels.length - 1) >> 1] ?? "";
}

/** Who plays along: those chosen as far as they can play, then their neighbours on the ladder, the weaker ones first. */
export function company(chosen: string[], count: number, all: string[], playing: string[]): string[] {
  const wanted = chosen.length ? chosen.map((level) => levelFor(level, all, playing)) : [usualLevel(playing)];
  const [first = ""] = wanted;
  const far = (level: string): number => Math.abs(playing.indexOf(level) - playing.indexOf(first));
  const ladder = playing.toSorted((a, b) => far(a) - far(b));
  const found = [...new Set([...wanted, ...ladder])].filter((level) => playing.includes(level)).slice(0, count);
  // Where there are fewer kinds of bots than seats, some come twice.
  return found.length ? Array.from({ length: count }, (_, i) => found[i % found.length]!) : [];
}

/** One's own pawn: the one chosen, or one that this browser drew by its secret. */
export const myFace = (): string =>
  settings().face || FACES[parseInt(secret().replace(/\W|_/g, "").slice(0, 4), 36) % FACES.length]!;

/** A table this browser sat at. */
export interface KnownTable {
  id: string;
  game: string;
  at: number;
  /** Several people share this device and look at each other's choices. */
  open?: boolean;
  /** One has left, and a bot plays on. */
  left?: boolean;
}

const MOST_TABLES = 12;
const MOST_SAID = 50;

export const tables = (): KnownTable[] => read<KnownTable[]>("tables", []);
export const knownTable = (id: string): KnownTable | undefined => tables().find((table) => table.id === id);
export const forgetTable = (id: string): void =>
  write(
    "tables",
    tables().filter((table) => table.id !== id),
  );

export function rememberTable(table: KnownTable): void {
  const others = tables().filter((one) => one.id !== table.id);
  write("tables", [{ ...knownTable(table.id), ...table }, ...others].slice(0, MOST_TABLES));
}

/** What one has said of somebody at a table, and need not say again. */
export const hasSaid = (what: string): boolean => read<string[]>("said", []).includes(what);
export const rememberSaid = (what: string): void =>
  write("said", [what, ...read<string[]>("said", [])].slice(0, MOST_SAID));

/** What was promised before a round and in it, to hold against its record afterwards. */
export interface Promised {
  table: string;
  round: number;
  commitment: string;
  /** What this browser committed to. */
  end: string;
  /** Which link it gave for a throw, and what was to have happened before it: that is the digest. */
  given: Record<string, [place: number, digest: string]>;
  /** Of the whole record, as it was told in the end. */
  digest?: string;
}

export const promised = (table: string, round: number): Promised | undefined =>
  read<Promised[]>("promised", []).find((one) => one.table === table && one.round === round);

/** A round has been played here to its end. */
export const hasFinished = (): boolean => read<Promised[]>("promised", []).some((one) => one.digest !== undefined);

export function rememberPromise(promise: Promised): void {
  const others = read<Promised[]>("promised", []).filter(
    (one) => one.table !== promise.table || one.round !== promise.round,
  );
  write("promised", [promise, ...others].slice(0, MOST_TABLES));
}

/** The most points of a game played alone, and in which round. */
export interface Best {
  points: number;
  table: string;
  round: number;
}

/** The best round of a game that this browser knows of, this one counted in; of equal ones the first. */
export function bestAfter(game: string, now: Best): Best {
  const known = read<Record<string, Best>>("best", {});
  const best = known[game] && known[game].points >= now.points ? known[game] : now;
  write("best", { ...known, [game]: best });
  return best;
}
