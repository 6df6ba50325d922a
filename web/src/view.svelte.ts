/** A table as whoever sits here sees it: which round, whose sheet, who holds the device. Nothing here draws. */
import { offer } from "./api";
import { LiveTable } from "./live.svelte";
import { knownTable } from "./memory";
import type { GameView, MoveView, Play, TableView } from "./messages";
import { picture } from "./picture";
import { actingSeat, canHurry, forcedBy, movesOf, toRead, type TableState } from "./table";
import { Throwing } from "./throwing.svelte";
import { calledNames, gameTitle, seatNames } from "./words";

const RETRY = 2000;

export class View {
  readonly live: LiveTable;
  readonly throwing: Throwing;
  /** The games cannot be had just now. */
  unreachable = $state(false);
  /** Of several people at one device, the one who has it in hand. */
  holder = $state<number | null>(null);
  /** The sheet that a watcher wants to see. */
  looked = $state<number | null>(null);
  #games = $state.raw<GameView[]>([]);
  /** What time it is here, to a second. */
  clock = $state(Date.now());
  #retry: ReturnType<typeof setTimeout> | undefined;

  game = $derived.by(() => this.#games.find((one) => one.id === this.table?.game));

  // --- the round ---
  #ready = $derived.by(() => {
    const { yours, table } = this.known;
    return yours.length > 0 && yours.every((seat) => table?.seats[seat]?.ready);
  });
  /** A round that is over stays in sight until one is ready for the next. */
  #ended = $derived.by(() => (this.table?.status === "gathering" && !this.#ready ? this.known.ended : null));
  names = $derived.by(() => calledNames(seatNames(this.#ended?.seats ?? this.table?.seats ?? []), this.known.yours));
  picture = $derived.by(() => (this.game && this.play ? picture(this.play, this.game) : null));

  // --- one's own part ---
  /** Those at this device look at each other's choices. */
  open = $derived.by(() => knownTable(this.live.id)?.open ?? true);
  acting = $derived.by(() => (this.throwing.settled ? actingSeat(this.known) : null));
  /** Of several at one device, the one of whom it is told that nothing fitted. */
  #meant = $derived.by(() => this.throwing.told && forcedBy(this.throwing.told)?.seat);
  /** Whose sheet is large: one's own, the acting one of several, or the one a watcher tapped. */
  large = $derived.by(() => {
    const { yours } = this.known;
    const own = (): number => this.#meant ?? this.acting ?? this.holder ?? yours[0] ?? 0;
    return yours.length === 1 ? yours[0]! : (this.looked ?? own());
  });
  moves: MoveView[] = $derived.by(() =>
    this.acting === null || this.over || this.covered ? [] : movesOf(this.known, this.acting),
  );
  /** The fields of the last choices: everybody's on a shared board, one's own on a sheet. */
  last = $derived.by(() => {
    const shown = Object.entries(this.known.done).filter(([seat]) => this.shared || Number(seat) === this.large);
    return shown.flatMap(([, moves]) => moves.map((one) => one.move));
  });
  /** The own choice that is on its way or still sealed; of several people at one device, only what all may see. */
  pencilled = $derived.by(() => {
    const { sent, mine, yours } = this.known;
    const move = sent[this.large] ?? (yours.length === 1 || this.open ? mine[this.large] : undefined);
    return move === undefined || move === "-" ? null : move;
  });
  /** To be made while a component begins, with which it ends. */
  constructor(id: string, code: string | null) {
    this.live = new LiveTable(id, code);
    // Where nobody sees it, nothing is told, and nothing waits.
    this.throwing = new Throwing(this.live, undefined, (...news) => (document.hidden ? 0 : toRead(...news)));
    void this.load();
    $effect(() => {
      // Whether it is secret is known once the game is.
      if (this.game && this.acting !== null && (!this.secret || this.#unheld)) this.holder = this.acting;
    });
    $effect(() => {
      if (this.acting !== null) this.looked = null;
    });
    $effect(() => {
      const timer = setInterval(() => (this.clock = Date.now()), 1000);
      return () => clearInterval(timer);
    });
    $effect(() => () => this.close());
  }

  /** While dice are in the air, the table as it was before them. */
  get known(): TableState {
    return this.throwing.state;
  }
  get table(): TableView | null {
    return this.known.table;
  }
  get title(): string {
    return this.game ? gameTitle(this.game) : "Qwixx";
  }
  get play(): Play | null {
    return this.known.play ?? this.#ended?.play ?? null;
  }
  get round(): number {
    return this.#ended?.round ?? this.table?.round ?? 0;
  }
  get over(): boolean {
    return this.play !== null && (this.table?.status === "over" || this.#ended !== null);
  }
  get running(): boolean {
    return this.table?.status === "playing" && !this.over;
  }
  /** All play on one board. */
  get shared(): boolean {
    return this.picture?.panels[0]?.seat === null;
  }
  /** One's own turn. */
  get mine(): boolean {
    return this.play !== null && !this.over && this.known.yours.includes(this.play.active);
  }
  /** The sheet that is shown is of whoever has the turn, and that is somebody who sits here; or all play on it. */
  get framed(): boolean {
    return this.mine && (this.shared || this.play?.active === this.large);
  }
  /** Where choices are sealed, several at one device see a cover at every hand-over. */
  get secret(): boolean {
    return !this.open && this.known.yours.length > 1 && (this.game?.sealed ?? false) && !this.over;
  }
  get covered(): boolean {
    return this.secret && this.acting !== null && this.holder !== this.acting && !this.#unheld;
  }
  /** Nobody has had the device in hand since the page was opened, and nothing is secret yet: whoever throws has it. */
  get #unheld(): boolean {
    return this.holder === null && this.play?.phase === "roll";
  }

  /** A tap beside everything that can be pressed lets the bots go on at once. */
  get canHurry(): boolean {
    return this.throwing.lies && canHurry(this.known);
  }

  private async load(): Promise<void> {
    try {
      this.#games = (await offer()).games;
      this.unreachable = false;
    } catch {
      this.unreachable = true;
      this.#retry = setTimeout(() => void this.load(), RETRY);
    }
  }

  private close(): void {
    clearTimeout(this.#retry);
    this.throwing.close();
    this.live.close();
  }
}
