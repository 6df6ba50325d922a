/** One's own mistakes, asked one after the other: found in the reviews of a round or of all games this browser knows. */
import { Failed, inPosition, myTables } from "./api";
import { finishedRound, type FinishedRound } from "./finished";
import {
  answered,
  dueOf,
  isRight,
  keepMistakes,
  mistakes,
  mistakesIn,
  reviewed,
  roundKey,
  same,
  without,
  type Mistake,
} from "./mistakes";
import type { DecisionReview, Moment, ReviewView } from "./messages";
import { placeOf, places, type Place } from "./review";
import { Reviewing } from "./reviewing.svelte";

const MOST_ROUNDS = 24; // that are looked through in one visit
/** Why a round cannot be had, today or ever. */
const GONE = ["no_table", "not_yours", "bad_request", "unreadable"];

const codeOf = (error: unknown): string => (error instanceof Failed ? error.code : "fault");

/** A judged round, fetched once. */
interface Judged {
  found: FinishedRound;
  review: ReviewView;
}

/** A mistake as it is asked: the table as it was, and what was chosen. */
export interface Puzzle extends Judged {
  mistake: Mistake;
  decision: DecisionReview;
  place: Place;
  moment: Moment;
}

export class Puzzling {
  queue = $state.raw<Mistake[]>([]);
  /** Which of them is asked; before the first there is none. */
  at = $state(-1);
  puzzle = $state.raw<Puzzle | null>(null);
  tried = $state<string | null>(null);
  right = $derived.by(() => {
    const { puzzle, tried } = this;
    return puzzle !== null && tried !== null && isRight(puzzle.decision, tried, puzzle.found.story.seats.length);
  });
  solved = $state(0);
  problem = $state<string | null>(null);
  looking = $state(true);
  /** Which round is looked through, and of how many; and how far its review is. */
  rounds = $state({ n: 0, most: 0 });
  reading = $state.raw<Reviewing | null>(null);
  private known = new Map<string, Promise<Judged>>();
  private left = false;

  constructor(
    /** None: all games. */
    private table: string | null,
    private round: number,
  ) {}

  close(): void {
    this.left = true;
    this.reading?.close();
  }

  /** Find what there is to ask; the first is asked as soon as it is found. */
  async search(): Promise<void> {
    this.problem = null;
    this.looking = true;
    try {
      if (this.table === null) await this.searchAll();
      else await this.searchIn([[this.table, this.round]]);
    } catch (error) {
      this.problem = codeOf(error);
    }
    this.looking = false;
  }

  private async searchAll(): Promise<void> {
    this.enter(dueOf(mistakes(), Date.now()));
    const { looked } = mistakes();
    const all = (await myTables()).tables.flatMap(({ table, round, status }) => {
      const last = status === "over" ? round : round - 1;
      return Array.from({ length: last }, (_, i): [string, number] => [table, last - i]);
    });
    const unread = all.filter(([table, round]) => !looked.includes(roundKey(table, round))).slice(0, MOST_ROUNDS);
    // A game that is gone or that nobody can judge stands in nobody's way.
    await this.searchIn(unread, GONE);
  }

  private async searchIn(all: [string, number][], passedOver: string[] = []): Promise<void> {
    for (const [i, [table, round]] of all.entries()) {
      if (this.left) return;
      this.rounds = { n: i + 1, most: all.length };
      try {
        const { found, review } = await this.judged(table, round);
        this.enter(mistakesIn(table, round, review, found.yours));
      } catch (error) {
        if (!passedOver.includes(codeOf(error))) throw error;
      }
    }
  }

  private enter(fresh: Mistake[]): void {
    this.queue = [...this.queue, ...fresh.filter((one) => !this.queue.some((other) => same(one, other)))];
    if (this.at < 0 && this.queue.length) void this.next();
  }

  private judged(table: string, round: number): Promise<Judged> {
    const key = roundKey(table, round);
    const asked = this.known.get(key) ?? this.judge(table, round);
    this.known.set(key, asked);
    asked.catch(() => this.known.delete(key));
    return asked;
  }

  private async judge(table: string, round: number): Promise<Judged> {
    const found = await finishedRound(table, round);
    const judging = new Reviewing(table, round);
    this.reading = judging;
    const review = await judging.go();
    if (!review) throw new Failed(judging.problem ?? "not_now");
    reviewed(table, round, review, found.yours);
    return { found, review };
  }

  /** On to the next one; after the last there is none. */
  async next(): Promise<void> {
    this.at += 1;
    this.puzzle = null;
    this.tried = null;
    const mistake = this.queue[this.at];
    if (mistake) await this.open(mistake);
  }

  private async open(mistake: Mistake): Promise<void> {
    this.problem = null;
    try {
      const { found, review } = await this.judged(mistake.table, mistake.round);
      const place = placeOf(places(found.story), mistake.event);
      const decision = review.decisions.find((one) => one.event === mistake.event);
      // The moment before: nothing of what was sealed then is in it.
      const before = place && found.story.steps[place.at - 1];
      if (!place || !decision || !before) throw new Failed("no_table");
      const moment = await inPosition({ position: before.position });
      if (this.queue[this.at] === mistake) this.puzzle = { found, review, mistake, decision, place, moment };
    } catch (error) {
      const code = codeOf(error);
      if (!GONE.includes(code)) this.problem = code;
      else {
        keepMistakes(without(mistakes(), mistake));
        await this.next();
      }
    }
  }

  retry(): void {
    const mistake = this.queue[this.at];
    void (mistake ? this.open(mistake) : this.search());
  }

  /** The first try at a puzzle counts; what was missed comes once more in this visit. */
  attempt(move: string): void {
    if (!this.puzzle || this.tried !== null) return;
    this.tried = move;
    const { mistake } = this.puzzle;
    const again = this.queue.slice(0, this.at).some((one) => same(one, mistake));
    if (this.right) this.solved += 1;
    else if (!again) this.queue = [...this.queue, mistake];
    if (!again) keepMistakes(answered(mistakes(), mistake, this.right, Date.now()));
  }

  /** What is not due yet, all the same. */
  more(): Promise<void> {
    this.queue = [...this.queue, ...mistakes().all];
    return this.next();
  }
}
