/** A review as it is being judged: the server tells it turn by turn, and goes on while somebody asks. */
import { Failed, review as ask } from "./api";
import type { ReviewView } from "./messages";

/** Milliseconds between two questions: a server that judges quickly is not asked for every turn. */
const BREATH = 300;

export class Reviewing {
  review = $state.raw<ReviewView | null>(null);
  done = $state(0);
  of = $state(0);
  /** Why it does not go on, as the server's code. */
  problem = $state<string | null>(null);
  private left = false;

  constructor(
    readonly table: string,
    readonly round: number,
  ) {}

  get whole(): boolean {
    return this.of > 0 && this.done === this.of;
  }

  /** Ask until all of it is judged; asking again goes on where it was. */
  async go(): Promise<ReviewView | null> {
    if (this.whole) return this.review;
    this.problem = null;
    try {
      while (!this.left) {
        await this.more();
        if (this.whole) break;
        await new Promise((later) => setTimeout(later, BREATH));
      }
    } catch (error) {
      this.problem = error instanceof Failed ? error.code : "fault";
    }
    return this.whole ? this.review : null;
  }

  /** Nobody looks any more. */
  close(): void {
    this.left = true;
  }

  private async more(): Promise<void> {
    const seen = this.done;
    const { done, of, review } = await ask(this.table, this.round, this.review ? seen : null);
    if (this.left) return;
    const whole = done === of; // then all of it is told, whatever was seen
    const before = whole ? null : this.review;
    this.review = {
      ...review,
      start: before?.start ?? review.start,
      throws: [...(before?.throws ?? []), ...review.throws],
      decisions: [...(before?.decisions ?? []), ...review.decisions],
    };
    [this.done, this.of] = [done, of];
  }
}
