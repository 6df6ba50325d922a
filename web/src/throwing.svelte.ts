/** The dice as they are thrown. While they tumble the table is shown as it was before, so that nothing gives their
 * faces away; when the last one lies, all that has happened since is shown and told at once. */
import type { Listener, LiveTable } from "./live.svelte";
import type { TableState } from "./table";

const FLIGHT = 560;
const APART = 55;
const REST = 90;

/** When a die lies, in milliseconds after the throw, by its place among those thrown. */
export const landing = (order: number): number => FLIGHT + APART * order;

/** The least of a table that is needed, so that tests can bring their own. */
type Source = Pick<LiveTable, "state" | "listen">;

export class Throwing {
  private held = $state.raw<TableState | null>(null);
  private live: Source;
  /** The table as it is shown. */
  state: TableState = $derived.by(() => this.held ?? this.live.state);
  /** No die is in the air: what follows from the throw may be shown. */
  lies = $derived(this.held === null);
  private waiting: Parameters<Listener>[] = [];
  private listeners = new Set<Listener>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stop: () => void;

  constructor(
    live: Source,
    private calm: () => boolean = wantsCalm,
  ) {
    this.live = live;
    this.stop = live.listen(this.hear);
  }

  /** What happened is told once the dice lie that it follows from. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The dice lie: by themselves, or because somebody does not want to wait. */
  finish(): void {
    clearTimeout(this.timer);
    this.held = null;
    for (const news of this.waiting.splice(0)) for (const listener of this.listeners) listener(...news);
  }

  close(): void {
    clearTimeout(this.timer);
    this.stop();
    this.waiting = [];
    this.listeners.clear();
  }

  private hear: Listener = (...news) => {
    const [events, before, after] = news;
    const thrown = events[0]?.kind === "rolled";
    if (thrown && this.held) this.finish();
    this.waiting.push(news);
    if (thrown && before.play && events.filter((event) => event.kind === "rolled").length === 1 && !this.calm())
      this.begin(before, after);
    else if (!this.held) this.finish();
  };

  private begin(before: TableState, after: TableState): void {
    const { dice, throws } = after;
    this.held = { ...before, dice, throws, done: {}, throwing: true };
    const last = [...(dice ?? "")].filter((die) => /\d/.test(die)).length - 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.finish(), landing(last) + REST);
  }
}

/** Nobody sees it, or whoever does wants no motion. */
function wantsCalm(): boolean {
  return document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;
}
