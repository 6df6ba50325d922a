/** The proof of the dice, checked where the player sits: every throw is computed again from what the record tells, and
 * held against what this browser saw and gave. Nobody is asked. docs/protocol.md has the recipe. */
import { hmac, sha256, unhex, utf8 } from "./hash";
import { hex } from "./memory";

const SCHEME = "qwixx-dice/3";
/** Of records whose host could choose and foresee; the older one drew only the first round's starter. */
const OPEN_SCHEME = "qwixx-dice/2";
const OLD_SCHEME = "qwixx-dice/1";
const MOST_SKIPPED = 64;

/** A record as the server gives it, as far as the proof needs it. */
export interface ProvedRecord {
  game: string;
  seats: string[];
  first: number;
  /** The position it went on from, if it did not begin with the empty table. */
  start?: unknown;
  events: string[];
  times?: number[];
  hints?: number[];
  result?: unknown;
  proof?: {
    scheme?: string;
    key?: string;
    commitment?: string;
    table?: string;
    round?: number;
    contributions?: Record<string, string>;
    chains?: Chain[];
    links?: Links[];
    digest?: string;
    signature?: { by: string; value: string };
  };
}

export interface Chain {
  end: string;
  seats: number[];
  since: number;
}
/** Of one throw, by the place of their chain. */
export type Links = Record<string, string>;

/** What this page saw and gave, to hold against the record. */
export interface Seen {
  commitment?: string | undefined;
  /** The end of this browser's chain. */
  end?: string | undefined;
  /** What was to have happened before each throw that it gave a link for. */
  given?: Record<string, [place: number, digest: string]> | undefined;
  /** Of the whole record, as it was told in the end. */
  digest?: string | undefined;
}

/** Whose pages took part in a throw, and whose had promised to and were left out: by seat. */
export interface Part {
  brought: number[];
  missing: number[];
}

export type Verdict =
  | { ok: true; throws: number; own: boolean; older: boolean; parts: Part[]; leftOut: number }
  | { ok: false; why: "missing" | "commitment" | "promise" | "contribution" | "first" | "cut" | "end" | "told" }
  | { ok: false; why: "throw"; throw: number };

/** What is thrown: so many dice, each with so many faces. */
export interface DiceSet {
  dice: number;
  faces: number;
}

/** Compute every throw of a finished round again from the revealed key. */
export function checkDice(record: ProvedRecord, set: DiceSet, seen: Seen = {}): Verdict {
  const { scheme, key, commitment, table, round } = record.proof ?? {};
  const known = [SCHEME, OPEN_SCHEME, OLD_SCHEME].includes(scheme ?? "");
  if (!known || !key || !commitment || !table || !round) return { ok: false, why: "missing" };
  if (hex(sha256(unhex(key))) !== commitment) return { ok: false, why: "commitment" };
  if (seen.commitment !== undefined && seen.commitment !== commitment) return { ok: false, why: "promise" };
  const source = new Source(unhex(key), `${scheme}|${table}|${round}`);
  return scheme === SCHEME ? checkSealed(record, source, set, seen) : checkOpen(record, source, set);
}

/** Go through a record as the game went, and see that every throw follows from all before it. */
function checkSealed(record: ProvedRecord, source: Source, set: DiceSet, seen: Seen): Verdict {
  const { chains, links, digest, table, round, commitment } = record.proof!;
  const { events, times, seats } = record;
  if (!chains || !links?.length || times?.length !== events.length) return { ok: false, why: "missing" };
  if (seen.end !== undefined && !chains.some(({ end }) => end === seen.end)) return { ok: false, why: "contribution" };
  const sealed = new Sealed(chains, seen.end);
  sealed.add(`${SCHEME}|${table}|${round}|${record.game}`);
  seats.forEach((name, seat) => sealed.add(`seat|${seat}|${name.startsWith("bot:") ? "bot:" : name}`));
  if (record.start) sealed.add(`start|${canonical(record.start)}`);
  sealed.add(`commitment|${commitment}`);
  sealed.addChains(0);
  let leftOut = 0;
  /** Whether this browser gave its link for what the record tells; if it is not in it, that is counted. */
  const asGiven = (name: string, taken: Links): boolean => {
    const given = seen.given?.[name];
    if (given && !sealed.hasOwn(taken)) leftOut += 1;
    return !given || given[1] === sealed.digest;
  };
  const [draw, ...rest] = links as [Links, ...Links[]];
  if (!record.start) {
    if (!sealed.takes(draw, 0)) return { ok: false, why: "first" };
    if (!asGiven("first", draw)) return { ok: false, why: "told" };
    if (source.values("first", sealed.into(draw), seats.length, 1)[0] !== record.first) return { ok: false, why: "first" };
  } else if (Object.keys(draw).length) return { ok: false, why: "first" };
  const parts = record.start ? [] : [sealed.part(draw, 0)];
  sealed.note(draw);
  sealed.add(`first|${record.first}|${written(draw)}`);
  let n = 0;
  for (const [i, event] of events.entries()) {
    if (event.includes(":")) {
      sealed.add(`choice|${event}|${times[i]}`);
      continue;
    }
    const taken = rest[n];
    sealed.addChains(n);
    if (!taken || !sealed.takes(taken, n)) return { ok: false, why: "throw", throw: n + 1 };
    if (!asGiven(String(n), taken)) return { ok: false, why: "told" };
    const dice = source.values(`throw ${n}`, sealed.into(taken), set.faces, set.dice).map((value) => value + 1);
    if (!matches(event, dice)) return { ok: false, why: "throw", throw: n + 1 };
    parts.push(sealed.part(taken, n));
    sealed.note(taken);
    sealed.add(`throw|${event}|${times[i]}|${written(taken)}`);
    n += 1;
  }
  if (n !== rest.length || !record.result) return { ok: false, why: "cut" };
  sealed.add(`end|${canonical({ hints: record.hints ?? null, result: record.result, seats })}`);
  if (sealed.digest !== digest) return { ok: false, why: "end" };
  if (seen.digest !== undefined && seen.digest !== digest) return { ok: false, why: "told" };
  return { ok: true, throws: n, own: Boolean(seen.end) && sealed.own, older: false, parts, leftOut };
}

/** The running digest of a record, and its chains. */
class Sealed {
  digest = "";
  /** Something of this browser's went into the dice. */
  own = false;
  private last: string[];
  private added = 0;

  constructor(
    private chains: Chain[],
    private mine: string | undefined,
  ) {
    this.last = chains.map(({ end }) => end);
  }

  add(line: string): void {
    this.digest = hex(sha256(utf8(`${this.digest}\n${line}`)));
  }

  /** The chains that begin to count in this throw. */
  addChains(n: number): void {
    for (; this.added < this.chains.length && this.chains[this.added]!.since <= n; this.added++) {
      const { end, seats } = this.chains[this.added]!;
      this.add(`chain|${end}|${seats.join(",")}`);
    }
  }

  /** What goes into a throw besides the key: without links nothing that whoever has the key could try out. */
  into(links: Links): string {
    return `${Object.keys(links).length ? this.digest : ""}|${written(links)}`;
  }

  /** Whether all of these are links of chains that count, each after the last one that is known. */
  takes(links: Links, n: number): boolean {
    const live = new Set(this.live(n).values());
    return Object.entries(links).every(([chain, link]) => live.has(Number(chain)) && follows(link, this.last[Number(chain)]!));
  }

  hasOwn(links: Links): boolean {
    return Object.keys(links).some((chain) => this.chains[Number(chain)]?.end === this.mine);
  }

  note(links: Links): void {
    for (const [chain, link] of Object.entries(links)) this.last[Number(chain)] = link;
    this.own ||= this.hasOwn(links);
  }

  part(links: Links, n: number): Part {
    const seats = [...this.live(n)].sort(([a], [b]) => a - b);
    const took = ([, chain]: [number, number]): boolean => String(chain) in links;
    return { brought: seats.filter(took).map(([seat]) => seat), missing: seats.filter((one) => !took(one)).map(([seat]) => seat) };
  }

  /** The newest chain of every seat. */
  private live(n: number): Map<number, number> {
    const counting = this.chains.map((chain, i) => [chain, i] as const).filter(([{ since }]) => since <= n);
    return new Map(counting.flatMap(([{ seats }, i]) => seats.map((seat) => [seat, i] as const)));
  }
}

function follows(link: string, last: string): boolean {
  let hash = unhex(link);
  for (let i = 0; i < MOST_SKIPPED; i++) if (hex((hash = sha256(hash))) === last) return true;
  return false;
}

function written(links: Links): string {
  const chains = Object.keys(links).sort((a, b) => Number(a) - Number(b));
  return chains.map((chain) => `${chain}:${links[chain]}`).join(",");
}

/** JSON with its keys in order and no blanks. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!value || typeof value !== "object") return JSON.stringify(value);
  const all = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${all.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(",")}}`;
}

// --- older records ---

function checkOpen(record: ProvedRecord, source: Source, { dice, faces }: DiceSet): Verdict {
  const { scheme, round, contributions } = record.proof!;
  if (!contributions) return { ok: false, why: "missing" };
  const own = brought(contributions);
  // A game that went on from a position began with the seat whose turn it was there.
  const drawn = !record.start && (scheme !== OLD_SCHEME || round === 1);
  const first = source.values(own, "first", record.seats.length, 1)[0];
  if (drawn && first !== record.first) return { ok: false, why: "first" };
  const throws = record.events.filter((event) => !event.includes(":"));
  const wrong = throws.findIndex(
    (text, n) => !matches(text, source.values(own, `roll ${n}`, faces, dice).map((value) => value + 1)),
  );
  if (wrong >= 0) return { ok: false, why: "throw", throw: wrong + 1 };
  return { ok: true, throws: throws.length, own: false, older: true, parts: [], leftOut: 0 };
}

function brought(contributions: Record<string, string>): string {
  const seats = Object.keys(contributions).sort((a, b) => Number(a) - Number(b));
  return seats.map((seat) => `${seat}:${contributions[seat]}`).join(",");
}

/** The shown dice are the computed ones; a die that has left is a dot. */
function matches(text: string, dice: number[]): boolean {
  const shown = text.replace(" ", "");
  return shown.length === dice.length && [...shown].every((die, i) => die === "." || Number(die) === dice[i]);
}

class Source {
  constructor(
    private key: Uint8Array,
    private context: string,
  ) {}

  /** So many numbers from 0 up to `below`, each as likely as the next: bytes that would favour some are left out. */
  values(use: string, more: string, below: number, count: number): number[] {
    const [found, limit]: [number[], number] = [[], 256 - (256 % below)];
    for (let n = 0; found.length < count; n++) {
      const bytes = hmac(this.key, utf8(`${this.context}|${use}|${more}|${n}`));
      found.push(
        ...Array.from(
          bytes.filter((byte) => byte < limit),
          (byte) => byte % below,
        ),
      );
    }
    return found.slice(0, count);
  }
}
