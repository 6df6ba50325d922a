/** A position that is set up and looked at: the server says what can be, and what it is worth. */
import { Failed, inPosition, moment, post } from "./api";
import { decode, encode, type Position, type Seated } from "./explore";
import type { Explored, GameView, Moment, PositionWanted, ValuesWanted } from "./messages";

/** What a position is worth. */
const values = (wanted: ValuesWanted, signal: AbortSignal): Promise<Explored> => post("/api/values", wanted, signal);

type Edit = NonNullable<PositionWanted["edits"]>[number];
export interface Trouble {
  code: string;
  rule: string | null;
}

/** What the parts of the explorer draw. */
export interface ExploredTable {
  exploring: Exploring;
  game: GameView;
  at: Moment;
  seated: Seated;
}

/** Milliseconds: several taps are judged once. */
const PATIENCE = 160;
/** And again, after too many taps. */
const LATER = 1500;

const troubleOf = (error: unknown): Trouble =>
  error instanceof Failed ? { code: error.code, rule: error.rule } : { code: "fault", rule: null };

export class Exploring {
  /** The last position that can be. */
  at = $state.raw<Moment | null>(null);
  /** Why the last thing tried cannot be. */
  refused = $state.raw<Trouble | null>(null);
  /** Nothing is there to be shown. */
  lost = $state.raw<Trouble | null>(null);
  judged = $state.raw<Explored | null>(null);
  judging = $state(false);
  unjudged = $state.raw<Trouble | null>(null);
  /** Whose choice is looked at, where several have one. */
  seat = $state(0);
  private line: Promise<void> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asking: AbortController | null = null;
  private closed = false;

  constructor(
    private game: string,
    /** The position is another one: where to write it down, and whether one may want to come back to the one before. */
    private changed: (code: string, step: boolean) => void,
  ) {}

  get position(): Position | null {
    return this.at?.position ?? null;
  }

  get code(): string | null {
    return this.position && encode(this.position);
  }

  /** The position of a link, or an empty table. */
  open(code: string | null, players: number): Promise<void> {
    return this.next(async () => {
      if (code !== null && code === this.code) return;
      this.lost = null;
      const position = code === null ? null : decode(code, this.game);
      if (code !== null && !position) this.lost = { code: "bad_link", rule: null };
      else
        await this.show(
          position ? inPosition({ position }) : moment({ game: this.game, players, events: [] }),
          false,
          (trouble) => (this.lost = trouble),
        );
    });
  }

  /** Change what lies there; taps that come fast take effect one after the other. */
  edit(...edits: Edit[]): Promise<void> {
    return this.next(async () => {
      if (this.position) await this.show(inPosition({ position: this.position, edits }), false);
    });
  }

  /** A choice is made, and all others who have one pass. */
  take(seat: number, move: string): Promise<void> {
    return this.next(async () => {
      if (!this.position || !this.at) return;
      const events = this.at.to_act.map((one) => `${one}:${one === seat ? move : "-"}`);
      await this.show(inPosition({ position: this.position, events }), true);
    });
  }

  /** The table before the throw that lies there. */
  async beforeThrow(): Promise<Position | null> {
    await this.line;
    if (!this.position) return null;
    return (await inPosition({ position: this.position, edits: [{ do: "dice", dice: null }] })).position ?? null;
  }

  look(seat: number): void {
    this.seat = seat;
    this.judgeSoon();
  }

  judgeAgain(): void {
    this.judgeSoon();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.asking?.abort();
  }

  private next(work: () => Promise<void>): Promise<void> {
    this.line = this.line.then(work);
    return this.line;
  }

  private async show(
    asked: Promise<Moment>,
    step: boolean,
    fail: (trouble: Trouble) => void = (trouble) => (this.refused = trouble),
  ): Promise<void> {
    try {
      const found = await asked;
      if (this.closed) return;
      this.at = found;
      this.refused = null;
      if (!found.to_act.includes(this.seat)) this.seat = found.to_act[0] ?? found.active;
      if (this.code) this.changed(this.code, step);
      this.judgeSoon();
    } catch (error) {
      if (!this.closed) fail(troubleOf(error));
    }
  }

  /** What was judged before is another position's: it goes at once, and its place stays. */
  private judgeSoon(after = PATIENCE): void {
    clearTimeout(this.timer);
    this.asking?.abort();
    this.judged = null;
    this.unjudged = null;
    this.judging = true;
    this.timer = setTimeout(() => void this.judge(), after);
  }

  private async judge(): Promise<void> {
    const { position, at } = this;
    if (!position || !at) return;
    const asking = new AbortController();
    this.asking = asking;
    const seat = at.to_act.length ? { seat: this.seat } : {};
    try {
      const found = await values({ position, throws: true, ...seat }, asking.signal);
      if (asking.signal.aborted) return;
      this.judged = found;
      this.judging = false;
    } catch (error) {
      if (asking.signal.aborted) return;
      const trouble = troubleOf(error);
      if (trouble.code === "too_fast") this.judgeSoon(LATER);
      else [this.unjudged, this.judging] = [trouble, false];
    }
  }
}
