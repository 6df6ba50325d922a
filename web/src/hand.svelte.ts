/** What one can do at the tray now, and every way to do it: chips, keys, keyboard. Nothing here draws. */
import { list, signed, t } from "./language.svelte";
import type { LiveTable } from "./live.svelte";
import type { GameView, MoveView, Play, SeatView } from "./messages";
import { making, places } from "./offers";
import { colours, stillInPlay } from "./picture";
import { play as sound } from "./sound";
import { actingSeat, canHurry, canWithdraw, isForced, isMe, movesOf, waitedFor, type News, type Notice, type TableState } from "./table";
import type { Throwing } from "./throwing.svelte";

/** Where the hand is, as the table tells it. */
export interface At {
  live: LiveTable;
  throwing: Throwing;
  game: GameView;
  names: string[];
  /** The own seat that acts now, if one does. */
  seat: number | null;
  /** Where choices are secret, whoever has the device in hand: nobody else takes back there. */
  holder?: number | null | undefined;
  selected: string | null;
  select: (move: string | null) => void;
  send: (move: string) => void;
  /** Keys that belong to the table as a whole. */
  press: (key: string) => boolean;
}

const DOUBLE = 350;
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
/** The other keys that do something at a table: any of them ends what is waited for, the browser's own never do. */
const OWN = /^([1-9hlmpu?]|Enter| |Escape)$/;

export class Hand {
  /** The keyboard is in use: the choices show their numbers. */
  typing = $state(false);
  #pressed = { what: "", at: 0, moment: "" };

  colours = $derived.by(() => colours(this.at.game));
  waiting = $derived.by(() => waitedFor(this.known).filter((one) => this.known.sent[one] === undefined));
  thrown = $derived.by(() => {
    const { dice } = this.known;
    return dice !== null && this.lies ? stillInPlay(dice, this.play.in_play) : dice;
  });

  // --- what can be chosen ---
  moves: MoveView[] = $derived.by(() =>
    this.seat === null || this.now === "roll" ? [] : movesOf(this.known, this.seat),
  );
  #fields = $derived(this.moves.filter((one) => one.move !== "-"));
  pass = $derived(this.moves.find((one) => one.move === "-"));
  chosen = $derived.by(() => this.moves.find((one) => one.move === this.selected));
  /** One's own choice that is sealed, or on its way. */
  own = $derived.by(() => {
    const { yours, sent, mine } = this.known;
    return yours.length === 1 ? (sent[yours[0]!] ?? mine[yours[0]!]) : undefined;
  });
  /** Also those who have chosen see what they had, and those who wait see what the dice add up to. */
  #offered = $derived.by(() =>
    this.seat === null && this.own !== undefined && this.now === "white"
      ? movesOf(this.known, this.known.yours[0]!).filter((one) => one.move === this.own)
      : this.#fields,
  );
  grid = $derived.by(() => {
    const untold = this.seat === null && actingSeat(this.known) !== null; // one could choose, but is not asked to
    const shown = this.lies && this.running && !untold ? this.thrown : null;
    return shown === null ? null : places(shown, this.now, this.colours, this.#offered);
  });
  /** The dice that make what is picked. */
  made = $derived.by(() => {
    const { pick, thrown } = this;
    return this.grid && pick && thrown ? making(pick, thrown, this.now, this.colours) : null;
  });
  /** The choices in the order in which they are read: row by row of the table. */
  numbered = $derived.by(() => {
    const { grid } = this;
    if (!grid || this.seat === null) return this.#fields.map((one) => one.move);
    const lines = Math.max(0, ...grid.map((column) => column.length));
    const read = Array.from({ length: lines }, (_, line) => grid.map((column) => column[line]?.offer?.move));
    return read.flat().filter((move) => move !== undefined);
  });
  /** That the choice would end the game, and with what score. */
  ending = $derived.by(() => {
    if (!this.chosen?.ends) return null;
    const name = (seat: number): string => (isMe(this.known.yours, seat) ? t("say.you") : this.names[seat]!);
    return t("say.ends", { totals: list(this.chosen.ends.map((total, seat) => `${name(seat)}\u00a0${signed(total)}`)) });
  });

  constructor(
    private at: At,
    /** Something was chosen by the keyboard, which goes to where it is confirmed. */
    private aimed: () => void,
  ) {}

  // --- how it stands ---
  get known(): TableState {
    return this.at.throwing.state;
  }
  get lies(): boolean {
    return this.at.throwing.lies;
  }
  /** Nothing is in the air and nothing is being told: one can go on. */
  get settled(): boolean {
    return this.at.throwing.settled;
  }
  get game(): GameView {
    return this.at.game;
  }
  get names(): string[] {
    return this.at.names;
  }
  get seat(): number | null {
    return this.at.seat;
  }
  get selected(): string | null {
    return this.at.selected;
  }
  get play(): Play {
    return this.known.play!;
  }
  get now(): Play["phase"] {
    return this.play.phase;
  }
  get seats(): SeatView[] {
    return this.known.table!.seats;
  }
  get several(): boolean {
    return this.known.yours.length > 1;
  }
  /** One's own throw. */
  get mine(): boolean {
    return this.known.yours.includes(this.play.active);
  }
  get rolling(): boolean {
    return this.seat !== null && this.now === "roll";
  }
  get running(): boolean {
    return this.now === "white" || this.now === "colour";
  }
  get cost(): number {
    return this.pass?.effects["failed"] ? this.game.cost : 0;
  }
  /** What is chosen, or was and is sealed. */
  get pick(): string | null {
    return this.selected ?? (this.seat === null ? this.own : null) ?? null;
  }
  /** What is being told, while the table waits to go on. */
  get told(): News | null {
    return this.at.throwing.told;
  }
  /** What happened without one's doing. What became of one's turn is told before the next step, and not beside it. */
  get notice(): Notice | null {
    const { notice } = this.known;
    return notice && isForced(notice) && !this.told ? null : notice;
  }
  /** A bot plays for all who sit here. */
  get standing(): boolean {
    const { yours } = this.known;
    return yours.length > 0 && yours.every((one) => this.seats[one]?.stand_in);
  }
  /** Also while a bot's dice are in the air: then it is they who are hurried. */
  get canHurry(): boolean {
    return this.seat === null && canHurry(this.known);
  }
  /** The own seat whose choice can be taken back: of several at one device the one who chose last. */
  get takesBack(): number | null {
    const { yours } = this.known;
    if (!this.settled || (!this.several && this.seat !== null)) return null;
    const order = (seat: number): number => (seat - this.play.active + this.seats.length) % this.seats.length;
    const { holder } = this.at;
    const open = yours.filter((seat) => canWithdraw(this.known, seat) && (holder === undefined || seat === holder));
    return open.sort((a, b) => order(b) - order(a))[0] ?? null;
  }

  // --- ways to do it ---
  tap(move: string): void {
    if (this.slipped(move)) return;
    if (move === this.selected || (move === "-" && !this.cost && !this.pass?.ends)) this.at.send(move);
    else this.choose(move);
  }

  confirm(): void {
    if (this.slipped("go")) return;
    if (this.rolling) this.at.live.roll(this.seat!);
    else if (this.selected !== null) this.at.send(this.selected);
  }

  hurry(): void {
    if (!this.canHurry) return;
    this.at.throwing.finish();
    this.at.live.hurry();
  }

  takeBack(): void {
    if (this.takesBack !== null) this.at.live.withdraw(this.takesBack);
  }

  /** What a key does wherever the keyboard is: nothing has to be reached first. Whether it did something. */
  key(key: string): boolean {
    if (!this.settled) {
      if (!OWN.test(key) && !STEPS[key]) return false;
      if (this.lies) this.at.press(key);
      this.at.throwing.finish();
      return true;
    }
    if (/^[1-9]$/.test(key) || STEPS[key]) return this.aim(key);
    if (key === "Escape" || (key === "u" && this.selected !== null)) this.choose(null);
    else if (key === " " && this.rolling) this.confirm();
    else if (key === "Enter") this.confirm();
    else if (key === "p" && this.pass) this.tap("-");
    else if (key === "u" && this.takesBack !== null) this.takeBack();
    else if (key === " " && this.canHurry) this.hurry();
    else return this.at.press(key);
    return true;
  }

  /** The choice of that number as they are shown, or the next one in a direction; passing comes after the last. */
  private aim(key: string): boolean {
    if (!this.moves.length) return false;
    this.typing = true;
    this.#pressed.what = "";
    const order = [...this.numbered, ...(this.pass ? ["-"] : [])];
    const step = STEPS[key];
    const from = this.selected === null ? (step === -1 ? 0 : -1) : order.indexOf(this.selected);
    const move = order[step ? (from + step + order.length) % order.length : Number(key) - 1];
    if (move !== undefined && (step || move !== "-")) this.choose(move);
    this.aimed();
    return true;
  }

  private choose(move: string | null): void {
    if (move !== null && move !== this.selected) sound("pick");
    this.at.select(move);
  }

  /** The second tap of a double one, when the first has already changed what it would do. */
  private slipped(what: string): boolean {
    const moment = `${this.seat} ${this.now} ${this.known.throws}`;
    const before = this.#pressed;
    this.#pressed = { what, at: performance.now(), moment };
    return before.what === what && before.moment !== moment && this.#pressed.at - before.at < DOUBLE;
  }
}
