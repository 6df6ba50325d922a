/** A table that lives: the headless state, kept up to date over a line, for components to draw. */
import { roundLog } from "./api";
import { Line, type Command, type LineEnd, type LineState, type Wire } from "./line";
import { forgetTable, randomHex, rememberTable, secret } from "./memory";
import type { Happened, HintView, Message, MoveCode, React, Reaction, Refused } from "./messages";
import type { Part } from "./part";
import { canWithdraw, EMPTY, hear, recalled, sending, type TableState } from "./table";

/** Without the id, which is made when it is sent. */
export type Wish<T = Command> = T extends Command ? Omit<T, "id"> : never;
/** Hears what happened, together with the table before and after. */
export type Emote = React["emote"];
export type Listener = (events: Happened[], before: TableState, after: TableState) => void;

/** Not worth a word if it is refused: there was too much of it, or it came too late. */
const isPassing = (command: Command | undefined): boolean => ["react", "hurry", "chain"].includes(command?.do ?? "");

export class LiveTable {
  state = $state.raw<TableState>(EMPTY);
  line = $state<LineState>("connecting");
  end = $state<LineEnd | null>(null);
  refused = $state.raw<Refused | null>(null);
  code = $state.raw<MoveCode | null>(null);
  /** The last hint, about the decision that it names. */
  hint = $state.raw<HintView | null>(null);
  private wire: Line;
  private again = false;
  private listeners = new Set<Listener>();
  private reactions = new Set<(reaction: Reaction) => void>();
  private redeem: string | null;
  private others: BroadcastChannel | null;

  constructor(
    readonly id: string,
    code: string | null = null,
  ) {
    this.redeem = code;
    this.others = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(`qwixx.${id}`);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.wire = new Line({
      connect: () => new WebSocket(`${scheme}://${location.host}/api/tables/${id}/socket`) as unknown as Wire,
      hello: () => ({ secret: secret(), version: this.state.number || null, code: this.redeem }),
      heard: (message) => this.hear(message),
      changed: (state, end) => {
        this.line = state;
        this.end = end;
        if (end === "removed") forgetTable(id);
      },
    });
    this.wire.open();
    this.others?.addEventListener("message", () => this.comeBack());
    addEventListener("online", this.wake);
    addEventListener("offline", this.drop);
    document.addEventListener("visibilitychange", this.look);
  }

  close(): void {
    removeEventListener("online", this.wake);
    removeEventListener("offline", this.drop);
    document.removeEventListener("visibilitychange", this.look);
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.others?.close();
    this.wire.close();
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  send(wish: Wish): void {
    const command = { ...wish, id: randomHex(12) } as Command;
    this.refused = null;
    this.state = sending(this.state, command);
    if (this.coming) this.coming.state = sending(this.coming.state, command);
    if (command.do === "rematch") this.again = true;
    this.wire.send(command);
  }

  choose(seat: number, move: string): void {
    this.send({ do: "choose", seat, move, seen: this.state.number });
  }

  roll(seat: number): void {
    if (!this.state.throwing) this.send({ do: "roll", seat, seen: this.state.number, link: this.part?.link() ?? null });
  }

  /** Take back a choice that is still sealed. */
  withdraw(seat: number): void {
    if (canWithdraw(this.state, seat)) this.send({ do: "withdraw", seat, seen: this.state.number });
  }

  /** Show the others how one feels. */
  react(seat: number, emote: Emote): void {
    this.send({ do: "react", seat, emote });
  }

  /** Bots that pause go on at once. */
  hurry(): void {
    this.send({ do: "hurry" });
  }

  /** Ask what would be best for an own seat. */
  askHint(seat: number): void {
    this.send({ do: "hint", seat, seen: this.state.number });
  }

  /** Hears how somebody at the table feels, oneself included. */
  onReaction(listener: (reaction: Reaction) => void): () => void {
    this.reactions.add(listener);
    return () => this.reactions.delete(listener);
  }

  /** Ready to begin, with what this browser's part in the dice will come from. */
  ready(seat: number): void {
    this.withPart((part) => part.ready(seat));
  }

  /** This browser's part in the dice is not needed to draw a table, and comes after it. */
  private withPart(work: (part: Part) => void): void {
    if (this.part) work(this.part);
    else void import("./part").then(({ Part }) => work((this.part ??= new Part(this, this.wire))));
  }

  /** A code from another device brings its seats here. */
  moveHere(code: string): void {
    this.redeem = code;
    this.comeBack();
  }

  /** Come back to one's seat, where a bot has stood in. */
  comeBack(): void {
    this.wire.drop();
    this.wire.wake();
  }

  /** The log of the round from its beginning, if this page came later; whether it is whole now. Whoever else wants it
   * meanwhile waits for the same answer. */
  recall(): Promise<boolean> {
    this.recalling ??= this.askLog().finally(() => (this.recalling = null));
    return this.recalling;
  }

  private recalling: Promise<boolean> | null = null;

  private async askLog(): Promise<boolean> {
    if (this.state.logged || !this.state.table) return true;
    const found = await roundLog(this.id).catch(() => null);
    if (!found) return false;
    this.state = recalled(this.state, found);
    if (this.coming) this.coming.state = recalled(this.coming.state, found);
    return this.state.logged;
  }

  private hear(message: Message): void {
    const answers = "id" in message ? this.wire.answered(message.id) : undefined;
    if (message.type === "event" && answers) this.note(answers);
    if (message.type === "reaction") {
      for (const listener of this.reactions) listener(message);
      return;
    }
    if (message.type === "hint") {
      this.hint = message;
      return;
    }
    if (message.type === "ask") {
      this.withPart((part) => part.answer(message));
      return;
    }
    // A welcome tells all since what was said in the hello: events that were to come with others are in it again.
    const known = (message.type === "welcome" ? null : this.coming?.state) ?? this.state;
    const next = hear(known, message, answers, Date.now());
    const events = [...(this.coming?.events ?? []), ...(message.type === "event" ? [message] : [])];
    if (message.type === "event" && message.more) {
      this.coming = { state: next, events }; // what it changes comes with the next event
      return;
    }
    const before = this.state;
    this.coming = null;
    this.state = next;
    if (message.type === "welcome") this.redeem = null;
    if (message.type === "event") this.refused = null;
    if (message.type === "refused" && message.code !== "stale" && !isPassing(answers)) this.refuse(message);
    if (message.type === "code") this.showCode(message);
    if (next.torn) this.comeBack();
    else this.settle();
    const heard = message.type === "welcome" ? (message.missed ?? []) : events;
    if (heard.length) for (const listener of this.listeners) listener(heard, before, next);
  }

  private refuse(message: Refused): void {
    this.refused = message;
    this.later("refused", () => (this.refused = null), 5);
  }

  private showCode(message: MoveCode): void {
    this.code = message;
    this.later("code", () => (this.code = null), message.seconds);
  }

  /** Each has a timer of its own: a refusal must not keep an old code in sight. */
  private later(what: string, work: () => void, seconds: number): void {
    clearTimeout(this.timers.get(what));
    this.timers.set(what, setTimeout(work, seconds * 1000));
  }

  /** An own command was carried out: other tabs hear of seats. */
  private note(command: Command): void {
    const table = this.state.table;
    if (!table || !("seat" in command || command.do === "sit")) return;
    if (command.do === "sit" || command.do === "leave") this.others?.postMessage(command.do);
    if (command.do === "leave" && table.status !== "playing") forgetTable(table.id);
  }

  /** What follows without a tap: being ready for the first round, and for one that was asked for here. */
  private settle(): void {
    const { table, yours } = this.state;
    if (!table) return;
    const left = yours.every((seat) => table.seats[seat]?.stand_in);
    if (yours.length) rememberTable({ id: table.id, game: table.game, at: Date.now(), left });
    if (table.status === "playing") this.again = false;
    if (yours.length) this.withPart((part) => part.settle());
    for (const key of this.asked) if (!yours.some((seat) => key === `${table.round}:${seat}`)) this.asked.delete(key);
    if (table.status !== "gathering" || (table.round > 1 && !this.again)) return;
    for (const seat of yours) {
      const key = `${table.round}:${seat}`;
      if (table.seats[seat]?.ready || this.asked.has(key)) continue;
      this.asked.add(key);
      this.ready(seat);
    }
  }

  private asked = new Set<string>();
  private part: Part | null = null;
  private timers = new Map<string, ReturnType<typeof setTimeout>>();
  private coming: { state: TableState; events: Happened[] } | null = null;
  private wake = (): void => this.wire.wake();
  private drop = (): void => this.wire.drop();
  private look = (): void => {
    if (document.visibilityState === "visible") this.wire.wake();
  };
}
