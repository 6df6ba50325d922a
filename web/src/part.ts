/** This page's part in the dice of a table: it commits to its chain, brings links by itself, and keeps what was promised. */
import { Chains } from "./chains";
import type { Line } from "./line";
import type { LiveTable } from "./live.svelte";
import { promised, rememberPromise } from "./memory";
import type { Ask } from "./messages";

export class Part {
  private chains = new Chains();
  /** The round for which this browser has told its chain, where its seats came without it. */
  private committed = 0;

  constructor(
    private live: Pick<LiveTable, "state" | "send">,
    private wire: Pick<Line, "tell">,
  ) {}

  ready(seat: number): void {
    const { table } = this.live.state;
    if (table) this.live.send({ do: "ready", seat, chain: this.chains.end(table) });
  }

  /** The link for a throw of one's own. */
  link(): string | null {
    const { table, play } = this.live.state;
    return table && play?.digest ? this.chains.forThrow(table, play.thrown, play.digest) : null;
  }

  /** The dice are thrown: this page's link goes into it, but only for what it was told to have happened before. */
  answer(ask: Ask): void {
    const { table, play } = this.live.state;
    if (ask.throw !== null && (play?.phase !== "roll" || play.digest !== ask.digest)) return;
    const link = table && this.chains.answer(table, ask);
    if (link) this.wire.tell({ do: "link", throw: ask.throw, link });
  }

  /** What was told in the end is kept; where one's seats came here without this browser's chain, it is told. */
  settle(): void {
    const { table, play, yours } = this.live.state;
    if (!table) return;
    const known = promised(table.id, table.round);
    if (table.status === "over" && play?.digest && known && known.digest === undefined)
      rememberPromise({ ...known, digest: play.digest });
    const seats = table.status === "playing" ? yours : yours.filter((seat) => table.seats[seat]?.ready);
    if (table.status === "over" || this.committed === table.round || this.chains.isKnown(table, seats)) return;
    this.committed = table.round;
    this.live.send({ do: "chain", chain: this.chains.end(table) });
  }
}
