/** The table as it is shown, which is a little later than it is: while dice tumble it is shown as it was before, so that
 * nothing gives their faces away; and what is to be read is told before the table goes on. What happens meanwhile is shown
 * and told after that, in its order and step by step. */
import type { Listener, LiveTable } from "./live.svelte";
import { asTold, type News, type TableState } from "./table";

const FLIGHT = 470;
const APART = 40;
const REST = 60;
const LEAST = 1600; // milliseconds in which anything told can just be read
const STEP = 600; // milliseconds in which one sees what somebody has chosen
const SHORT = 100; // milliseconds after which two steps are seen as one

/** When a die lies, in milliseconds after the throw, by its place among those thrown. */
export const landing = (order: number): number => FLIGHT + APART * order;

/** The least of a table that is needed, so that tests can bring their own. */
type Source = Pick<LiveTable, "state" | "listen">;

const isThrow = ([events]: News): boolean => events[0]?.kind === "rolled";

export class Throwing {
  private held = $state.raw<TableState | null>(null);
  private airborne = $state(false);
  /** What is being told, while the table waits to go on. */
  told = $state.raw<News | null>(null);
  private live: Source;
  /** The table as it is shown. */
  state: TableState = $derived.by(() => this.held ?? this.live.state);
  /** No die is in the air: what follows from the throw may be shown. */
  lies = $derived(!this.airborne);
  /** The table is shown as it is: one can do something. */
  settled = $derived(this.held === null);
  /** The throw that is in the air. */
  private flying: News | null = null;
  private waiting: News[] = [];
  private listeners = new Set<Listener>();
  private throwers = new Set<() => void>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Until when what is told is told at least. */
  private least = 0;
  /** When the last step was shown here, and when it was made. */
  private last = { shown: 0, made: 0 };
  private stop: () => void;

  constructor(
    live: Source,
    private calm: () => boolean = wantsCalm,
    /** For how long something is told, in milliseconds; 0 if the table goes on at once. */
    private toRead: (...news: News) => number = () => 0,
  ) {
    this.live = live;
    this.stop = live.listen(this.hear);
  }

  /** What happened is told once the dice lie that it follows from; and again what follows, once that has been read. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Dice are thrown as they are shown: what was told before has been read. */
  onThrow(listener: () => void): () => void {
    this.throwers.add(listener);
    return () => this.throwers.delete(listener);
  }

  /** The dice lie, or what was told is read: by itself, or because somebody does not want to wait. */
  finish(): void {
    clearTimeout(this.timer);
    const [flying, told, shown] = [this.flying, this.told, this.held];
    this.flying = this.told = null;
    this.airborne = false;
    this.least = 0;
    this.last.shown = flying ? Date.now() : 0; // what has been waited for is not waited for again
    if (told && shown) this.tell([], shown, told[2]);
    if (!flying || !this.show(flying)) this.goOn();
  }

  close(): void {
    clearTimeout(this.timer);
    this.stop();
    this.waiting = [];
    this.listeners.clear();
    this.throwers.clear();
  }

  private hear: Listener = (...news) => {
    const thrown = isThrow(news);
    if (thrown && this.flying) this.finish();
    this.waiting.push(news);
    if (this.settled) this.goOn();
    else if (this.lies && this.late()) this.after(Math.max(0, this.least - Date.now()));
  };

  /** More than a throw has come meanwhile: nothing else is waited for until the table is shown as it is. */
  private late(): boolean {
    return this.waiting.filter(isThrow).length > 1;
  }

  private after(time: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.finish(), time);
  }

  /** What has waited, up to what it must wait for again. */
  private goOn(): void {
    for (let news = this.waiting[0]; news; news = this.waiting[0]) {
      const early = this.tooSoon(news);
      if (early > 0) {
        this.held = news[1];
        this.after(early);
        return;
      }
      this.waiting.shift();
      const thrown = news[0].some((event) => event.kind === "rolled") && !this.waiting.some(isThrow);
      const flies = this.fly(news);
      if (thrown) for (const listener of this.throwers) safely(listener);
      if (flies || this.show(news)) return;
    }
    this.held = null;
  }

  /** For how many milliseconds it is too soon to show what somebody else chose: one who waits sees one step after the
   * other, as far apart as they were made, unless that takes too long. */
  private tooSoon([events, { yours }]: News): number {
    const made = events.findLast((event) => event.revealed);
    const own = yours.some((seat) => made?.revealed?.[seat] !== undefined);
    if (!made || own || this.late() || this.calm()) return 0;
    const apart = Math.min(STEP, made.at - this.last.made);
    return apart < SHORT ? 0 : Math.min(apart, this.last.shown + apart - Date.now()); // clocks may be set back
  }

  /** Whether dice are in the air now. */
  private fly(news: News): boolean {
    const [events, before, { dice, throws }] = news;
    const once = events.filter((event) => event.kind === "rolled").length === 1;
    if (!isThrow(news) || !once || !before.play || this.waiting.some(isThrow) || this.calm()) return false;
    this.held = { ...before, dice, throws, done: {}, throwing: true };
    this.flying = news;
    this.airborne = true;
    const places = [...(dice ?? "").replace(" ", "")];
    this.after(landing(places.findLastIndex((die) => die !== ".")) + REST);
    return true;
  }

  /** Whether it is being told now, and the table waits. */
  private show(news: News): boolean {
    const [events, before] = news;
    const time = this.late() ? 0 : this.toRead(...news);
    this.last = { shown: Date.now(), made: events.at(-1)?.at ?? 0 };
    if (!time) {
      this.tell(...news);
      return false;
    }
    const shown = asTold(...news);
    this.held = shown;
    this.told = news;
    this.least = Date.now() + Math.min(time, LEAST);
    this.after(time);
    this.tell(events, before, shown);
    return true;
  }

  private tell(...news: News): void {
    for (const listener of this.listeners) safely(() => listener(...news));
  }
}

/** Who stumbles over what they hear is reported like any other fault, and holds up neither the table nor the others. */
function safely(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Nobody sees it, or whoever does wants no motion. */
function wantsCalm(): boolean {
  return document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;
}
