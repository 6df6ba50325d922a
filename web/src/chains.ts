/** This browser's part in the dice: a hash chain for every round. Its end is told before the round, its links one by one,
 * each for one throw alone. All tabs make the same chain, from a secret that never leaves this browser. */
import { hmac, sha256, unhex, utf8 } from "./hash";
import { hex, promised, randomHex, read, rememberPromise, write, type Promised } from "./memory";
import type { Ask, TableView } from "./messages";

const LENGTH = 512;
/** The draw of who begins, in what is remembered. */
const DRAW = "first";

/** What all chains are made from. It is never sent to anybody. */
function diceSecret(): string {
  const known = read("dice", "");
  if (/^[0-9a-f]{64}$/.test(known)) return known;
  write("dice", randomHex(32));
  return read("dice", "");
}

export class Chains {
  private kept = new Map<string, string[]>();

  /** What one commits to. */
  end(table: TableView): string {
    return this.links(table)[0]!;
  }

  /** Whether the seats that are played from here have this browser's chain, as far as the table knows. */
  isKnown(table: TableView, yours: number[]): boolean {
    const newest = new Map((table.chains ?? []).flatMap(({ end, seats }) => seats.map((seat) => [seat, end] as const)));
    return yours.every((seat) => newest.get(seat) === this.end(table));
  }

  /** The link that was asked for, or none if this is not our chain, or another was given for the same throw already. */
  answer(table: TableView, { round, throw: n, digest, last }: Ask): string | null {
    return round === table.round ? this.next(table, n ?? DRAW, digest, last) : null;
  }

  /** The next link, for a throw of one's own. */
  forThrow(table: TableView, n: number, digest: string): string | null {
    return this.next(table, n, digest, null);
  }

  /** A link is given for one throw and one digest, which is what the server cannot go back on. */
  private next(table: TableView, n: number | string, digest: string, last: string | null): string | null {
    const links = this.links(table);
    const promise = this.promise(table);
    const known = promise.given[n];
    if (known) return known[1] === digest ? links[known[0]]! : null;
    const from = last === null ? 0 : links.indexOf(last);
    const place = 1 + Math.max(from, ...Object.values(promise.given).map(([used]) => used));
    if (from < 0 || place > LENGTH) return null;
    const given = { ...promise.given };
    given[n] = [place, digest];
    rememberPromise({ ...promise, given });
    return links[place]!;
  }

  private promise(table: TableView): Promised {
    const { id, round, commitment } = table;
    const known = promised(id, round);
    return known?.given ? known : { table: id, round, commitment, end: this.end(table), given: {} };
  }

  /** The chain of a round, its end first. */
  private links(table: TableView): string[] {
    const name = `qwixx-chain|${table.id}|${table.round}|${table.commitment}`;
    let links = this.kept.get(name);
    if (!links) {
      let link = hmac(unhex(diceSecret()), utf8(name));
      links = [hex(link)];
      while (links.length <= LENGTH) links.push(hex((link = sha256(link))));
      this.kept.clear();
      this.kept.set(name, links.reverse());
    }
    return links;
  }
}
