/** A table that follows a script instead of a line, drawn by the parts that draw any other. The server keeps the law. */
import { moment } from "./api";
import type { Lesson, Step } from "./lessons";
import type { Listener, LiveTable } from "./live.svelte";
import type { Happened, Moment, Play, SeatView, Welcome } from "./messages";
import { EMPTY, hear, type TableState } from "./table";

/** A place in the lesson that one can go back to. */
interface Place {
  step: number;
  events: string[];
  state: TableState;
  onward: Play | null;
}

const isThrow = (event: string): boolean => !event.includes(":");

export class ScriptedTable {
  state = $state.raw<TableState>(EMPTY);
  at = $state(0);
  /** The server is being asked. */
  busy = $state(false);
  lost = $state(false);
  private events: string[] = [];
  private past = $state.raw<Place[]>([]);
  private listeners = new Set<Listener>();
  private again: (() => Promise<void>) | null = null;
  /** What is really next, while a throw is still told of that ended a turn. */
  private onward: Play | null = null;

  constructor(
    readonly game: string,
    readonly lesson: Lesson,
    private seats: SeatView[],
  ) {
    void this.attempt(() => this.begin());
  }

  /** What a table's parts ask of a live one. The parts use what is here: the rest is about lines and seats. */
  get live(): LiveTable {
    return this as unknown as LiveTable;
  }

  get step(): Step {
    return this.lesson.steps[this.at]!;
  }

  get canGoBack(): boolean {
    return this.past.length > 0;
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The learner throws: what the script says falls. */
  roll(_seat: number): void {
    if (this.step.dice) this.go([this.step.dice]);
  }

  /** The learner chooses something that was asked for, and the others choose with them. */
  choose(seat: number, move: string): void {
    const others = Object.entries(this.step.others ?? {}).map(([other, choice]) => `${other}:${choice}`);
    this.go([`${seat}:${move}`, ...others]);
  }

  /** Nothing waits here that could be hurried, and nothing is sealed for long. */
  hurry(): void {}
  withdraw(): void {}
  /** All of it has happened here. */
  async recall(): Promise<boolean> {
    return true;
  }

  /** On to the next step, where nothing was asked. */
  next(): void {
    this.go([]);
  }

  back(): void {
    const before = this.past.at(-1);
    if (!before || this.busy) return;
    this.past = this.past.slice(0, -1);
    this.again = null;
    this.lost = false;
    [this.at, this.events, this.state, this.onward] = [before.step, before.events, before.state, before.onward];
  }

  retry(): void {
    if (this.again) void this.attempt(this.again);
  }

  private go(events: string[]): void {
    if (!this.busy && this.at < this.lesson.steps.length - 1) void this.attempt(() => this.proceed(events));
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.again = work;
    try {
      await work();
      this.lost = false;
    } catch {
      this.lost = true;
    }
    this.busy = false;
  }

  private async begin(): Promise<void> {
    const play = await this.ask(this.step.events ?? []);
    this.events = this.step.events ?? [];
    this.state = hear(EMPTY, this.welcome(play), undefined, Date.now());
  }

  /** What the learner did, and then what the next step begins with. */
  private async proceed(own: string[]): Promise<void> {
    const here = { step: this.at, events: this.events, state: this.state, onward: this.onward };
    const more = this.lesson.steps[this.at + 1]!.events ?? [];
    const done = own.length ? await this.ask([...here.events, ...own]) : null;
    const then = more.length ? await this.ask([...here.events, ...own, ...more]) : null;
    if (this.onward) this.state = { ...this.state, play: this.onward };
    this.onward = null;
    this.past = [...this.past, here];
    this.events = [...here.events, ...own, ...more];
    this.at += 1;
    if (done) this.hear(own, done, null);
    if (then) this.hear(more, then, this.step.happens ? "only" : null);
    this.linger();
  }

  /** While the learner reads about a throw it is still the turn of whoever threw, and one sees what the dice add up to. */
  private linger(): void {
    const { play } = this.state;
    const { dice, good, happens } = this.step;
    if (!play || dice || good || !happens) return;
    this.onward = play;
    const { dice: thrown } = this.state;
    this.state = { ...this.state, play: { ...play, active: this.thrower(play), phase: "colour", dice: thrown, to_act: [], moves: {} } };
  }

  private ask(events: string[]): Promise<Moment> {
    const { players, first } = this.lesson;
    return moment({ game: this.game, players, first, events });
  }

  /** The last throw and the last choices of what happened, as the table would tell them: also why the learner passed, if
   * that was not their own choice. */
  private hear(events: string[], play: Moment, forced: "only" | null): void {
    const before = this.state;
    const heard: Happened[] = [];
    const note = (event: Partial<Happened>): void => {
      const number = before.number + heard.length + 1;
      heard.push({ type: "event", kind: "chose", at: Date.now(), number, ...event });
    };
    const thrown = events.findLast(isThrow);
    if (thrown) note({ kind: "rolled", dice: thrown, seat: this.thrower(play) });
    if (play.revealed) {
      const { seat } = this.lesson;
      const why = play.revealed[seat] === "-" ? forced : null;
      note({ seat, why, revealed: play.revealed, effects: play.effects, chosen: play.chosen });
    }
    heard.at(-1)!.play = play;
    this.state = heard.reduce((state, event) => hear(state, event, undefined, Date.now()), before);
    for (const listener of this.listeners) listener(heard, before, this.state);
  }

  /** Whose throw the last one was: the turn has passed on if it is to be thrown again. */
  private thrower(play: Pick<Play, "phase" | "active">): number {
    const { players } = this.lesson;
    return play.phase === "roll" ? (play.active + players - 1) % players : play.active;
  }

  private welcome(play: Moment): Welcome {
    const { seat, first } = this.lesson;
    const here = this.seats.map(() => true);
    const table = {
      id: "",
      game: this.game,
      status: "playing" as const,
      round: 1,
      seats: this.seats,
      options: {},
      commitment: "",
      first,
      proof: null,
    };
    return {
      type: "welcome",
      number: 0,
      now: Date.now(),
      table,
      play,
      chosen: play.chosen,
      yours: [seat],
      creator: false,
      mine: {},
      here,
      since: here.map(() => null),
      missed: null,
    };
  }
}
