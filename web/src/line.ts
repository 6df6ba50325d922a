/** A line to one table that comes back by itself: a socket, hello, commands sent until they are answered. */
import type { Message, Request } from "./messages";

export type Command = Exclude<Request, { do: "hello" } | { do: "ping" } | { do: "link" }>;
export type LineState = "connecting" | "up" | "down";
/** Why a line ended for good. */
export type LineEnd = "gone" | "unwatched" | "moved" | "removed" | "bad" | "unreadable";

/** The least of a WebSocket that a line needs, so that tests can bring their own. */
export interface Wire {
  onopen: (() => void) | null;
  onmessage: ((event: { data: string }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface LineOptions {
  connect: () => Wire;
  /** Who says hello, and what was seen last. */
  hello: () => { secret: string | null; version: number | null; code: string | null };
  heard: (message: Message) => void;
  changed: (state: LineState, end: LineEnd | null) => void;
}

/** What is meant for this moment alone: without a line it comes to nothing, and it is never sent again. */
const AT_ONCE: Command["do"][] = ["react", "hurry", "hint"];
/** What may take the server a while: that it does not answer at once says nothing about the line. */
const SLOW: Command["do"][] = ["hint"];
const ENDS: Record<number, LineEnd> = {
  4400: "bad",
  4403: "unwatched",
  4404: "gone",
  4409: "moved",
  4410: "removed",
  4500: "unreadable",
};
const SILENCE = 15_000;
const ANSWER = 5_000;
const FIRST_WAIT = 250;
const LONGEST_WAIT = 5_000;

export class Line {
  private wire: Wire | null = null;
  private waiting = new Map<string, Command>();
  private tries = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private watch: ReturnType<typeof setTimeout> | undefined;
  private ended = false;
  private welcomed = false;

  constructor(private options: LineOptions) {}

  open(): void {
    if (this.ended || this.wire) return;
    clearTimeout(this.retry);
    this.options.changed("connecting", null);
    const wire = this.options.connect();
    this.wire = wire;
    wire.onopen = () => wire.send(JSON.stringify({ do: "hello", ...this.options.hello() }));
    wire.onmessage = (event) => wire === this.wire && this.hear(JSON.parse(event.data) as Message);
    wire.onclose = (event) => wire === this.wire && this.lost(event.code);
    this.expect(ANSWER);
  }

  /** Send a command, now or as soon as the line is up; it is repeated until it is answered. */
  send(command: Command): void {
    if (!this.welcomed && AT_ONCE.includes(command.do)) return;
    this.waiting.set(command.id, command);
    if (this.welcomed) {
      this.wire?.send(JSON.stringify(command));
      if (!SLOW.includes(command.do)) this.expect(ANSWER);
    }
  }

  /** Something for this moment alone that is not answered. */
  tell(message: Exclude<Request, Command>): void {
    if (this.welcomed) this.wire?.send(JSON.stringify(message));
  }

  /** The command behind an answer, which is over with it. */
  answered(id: string | null | undefined): Command | undefined {
    const command = id ? this.waiting.get(id) : undefined;
    if (id) this.waiting.delete(id);
    return command;
  }

  /** Come back at once: the network or the reader has returned. */
  wake(): void {
    if (this.ended) return;
    if (this.welcomed) this.ping();
    else if (!this.wire) this.open();
  }

  /** The network is known to be gone. */
  drop(): void {
    if (!this.wire || this.ended) return;
    this.wire.onclose = null;
    this.wire.close();
    this.lost(1006);
  }

  close(): void {
    this.ended = true;
    clearTimeout(this.retry);
    clearTimeout(this.watch);
    const wire = this.wire;
    this.wire = null;
    wire?.close();
  }

  private hear(message: Message): void {
    this.expect(SILENCE);
    if (message.type === "pong") return;
    const first = message.type === "welcome" && !this.welcomed;
    if (first) {
      this.welcomed = true;
      this.tries = 0;
    }
    this.options.heard(message);
    if (first) {
      this.options.changed("up", null);
      for (const command of this.waiting.values()) this.wire?.send(JSON.stringify(command));
      if (this.waiting.size) this.expect(ANSWER);
    }
  }

  private lost(code: number): void {
    this.wire = null;
    this.welcomed = false;
    for (const [id, command] of this.waiting) if (AT_ONCE.includes(command.do)) this.waiting.delete(id);
    clearTimeout(this.watch);
    const end = ENDS[code] ?? null;
    this.ended = end !== null;
    this.options.changed("down", end);
    if (end) return;
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.tries++);
    this.retry = setTimeout(() => this.open(), wait * (0.7 + 0.6 * Math.random()));
  }

  /** Something is heard within this time, or the line is asked, or held for dead. */
  private expect(ms: number): void {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => (ms === SILENCE ? this.ping() : this.drop()), ms);
  }

  private ping(): void {
    this.wire?.send(JSON.stringify({ do: "ping" }));
    this.expect(ANSWER);
  }
}
