/** A table as this page knows it: a fold of the server's messages. Nothing here draws, sends or knows a rule. */
import type { Command } from "./line";
import type { Chances, Happened, Message, MoveView, Play, RoundLog, SeatView, TableView, Welcome } from "./messages";

export interface TableState {
  number: number;
  table: TableView | null;
  play: Play | null;
  /** Seats that have chosen in this action. */
  chosen: number[];
  yours: number[];
  creator: boolean;
  /** Own choices that are still sealed. */
  mine: Record<string, string>;
  /** Own choices on their way: drawn at once, confirmed by the server. */
  sent: Record<string, string>;
  /** Own seats whose choice is just being taken back. */
  withdrawing: number[];
  /** A throw is on its way. */
  throwing: boolean;
  here: boolean[];
  since: (number | null)[];
  /** What each seat has done in this turn, as far as it is known. */
  done: Record<string, MoveView[]>;
  /** What happened without one's doing and is told for a while. */
  notice: Notice | null;
  /** The round that ended last, to be looked at until the next begins. */
  ended: Ended | null;
  /** The throws and revealed choices of this round, oldest first, as far as this page has heard of them. */
  log: Happened[];
  /** Nothing of the round is missing in the log. */
  logged: boolean;
  /** The throw that lies on the table, also after the turn has passed on. */
  dice: string | null;
  throws: number;
  /** Everybody's chances before a throw, as those who watch are told them, and how many throws have come since. */
  chances: { told: Chances; since: number } | null;
  /** The server's clock less ours, in milliseconds. */
  ahead: number;
  /** Events were missed: the line must be opened again. */
  torn: boolean;
}

export interface Ended {
  play: Play;
  round: number;
  seats: SeatView[];
}

/** Who was drawn to begin, or whose turn it is where a game goes on from a position; which bot took over from one that
 * failed; or what became of an own seat without choice or time. */
export interface Notice {
  kind: "begins" | "continues" | "weakened" | "left" | "returned" | "only" | "clock";
  seat: number;
  failed: boolean;
  /** Of the bot that took over. */
  level?: string;
  /** The dice have been thrown since. */
  thrown?: boolean;
  /** Which one begins, if it is not the first of its table. */
  round?: number;
}

export const EMPTY: TableState = {
  number: 0,
  table: null,
  play: null,
  chosen: [],
  yours: [],
  creator: false,
  mine: {},
  sent: {},
  withdrawing: [],
  throwing: false,
  here: [],
  since: [],
  done: {},
  notice: null,
  ended: null,
  log: [],
  logged: false,
  dice: null,
  throws: 0,
  chances: null,
  ahead: 0,
  torn: false,
};

/** What a message changes. `answers` is the own command behind it, if there is one. */
export function hear(state: TableState, message: Message, answers: Command | undefined, now: number): TableState {
  switch (message.type) {
    case "welcome":
      return welcomed(state, message, now);
    case "event":
      return message.number <= state.number ? state : happened(state, message, answers);
    case "here":
      return { ...state, here: message.seats, since: message.since };
    case "chances":
      return { ...state, chances: { told: message, since: 0 } };
    case "refused":
    case "accepted":
      return undone(state, answers);
    default:
      return state;
  }
}

/** An own command has been sent: what it does is shown at once. */
export function sending(state: TableState, command: Command): TableState {
  if (command.do === "choose") return { ...state, notice: null, sent: { ...state.sent, [command.seat]: command.move } };
  if (command.do === "withdraw")
    return { ...state, withdrawing: [...except(state.withdrawing, command.seat), command.seat] };
  if (command.do === "roll") return { ...state, notice: null, throwing: true };
  return state;
}

/** A command came to nothing, or had been carried out before: what was shown of it is taken back. */
function undone(state: TableState, command: Command | undefined): TableState {
  if (command?.do === "withdraw") return { ...state, withdrawing: except(state.withdrawing, command.seat) };
  if (command?.do === "choose") return { ...state, sent: without(state.sent, command.seat) };
  if (command?.do === "roll") return { ...state, throwing: false };
  return state;
}

const except = (seats: number[], seat: number): number[] => seats.filter((one) => one !== seat);

function without(record: Record<string, string>, seat: number): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== String(seat)));
}

function welcomed(state: TableState, message: Welcome, now: number): TableState {
  const { number, table, play, chosen, yours, creator, mine, here, since, missed } = message;
  const dice = play?.dice ?? null;
  const thrown = dice !== null && dice !== state.dice;
  const same = state.table?.round === table.round;
  const still = same && moment(state.play) === moment(play);
  const next: TableState = {
    ...state,
    ...{ number, table, play, chosen, yours, creator, mine, here, since },
    sent: still ? pending(state.sent, play, chosen) : {},
    withdrawing: still ? state.withdrawing.filter((seat) => chosen.includes(seat)) : [],
    throwing: still && state.throwing,
    done: (missed ?? []).reduce(doneAfter, same && missed ? state.done : {}),
    notice: (missed ?? []).reduce(
      (known, event) => noticeAfter(known, event, yours, table),
      same && missed ? state.notice : null,
    ),
    ended: ended(state, table, play),
    log: (missed ?? []).reduce(logAfter, same && missed ? state.log : []),
    logged: same && missed !== null && state.logged,
    dice: dice ?? (same ? lastThrow(missed ?? [], state.dice) : null),
    throws: state.throws + (thrown ? 1 : 0),
    chances: null, // they are told anew
    ahead: message.now - now,
    torn: false,
  };
  return { ...next, notice: stillTold(next) };
}

function lastThrow(events: Happened[], before: string | null): string | null {
  return events.findLast((event) => event.kind === "rolled")?.dice ?? before;
}

/** A round that is over stays in sight until the next begins. */
function ended(state: TableState, table: TableView, play: Play | null): Ended | null {
  if (table.status === "over" && play) return { play, round: table.round, seats: table.seats };
  return table.status === "gathering" ? state.ended : null;
}

/** What tells one decision from another. */
function moment(play: Play | null): string {
  return [play?.phase, play?.active, play?.dice].map(String).join();
}

/** Choices on their way that the server does not know of yet: they are sent again. */
function pending(sent: Record<string, string>, play: Play | null, chosen: number[]): Record<string, string> {
  const open = (seat: number): boolean => (play?.to_act.includes(seat) ?? false) && !chosen.includes(seat);
  return Object.fromEntries(Object.entries(sent).filter(([seat]) => open(Number(seat))));
}

function happened(state: TableState, event: Happened, answers: Command | undefined): TableState {
  if (event.number !== state.number + 1) return { ...state, torn: true };
  const next: TableState = { ...state, number: event.number };
  if (event.kind === "sat" && answers?.do === "sit") next.yours = [...state.yours, event.seat!];
  if (event.kind === "left" && answers?.do === "leave") next.yours = state.yours.filter((seat) => seat !== event.seat);
  if (event.kind === "started") next.yours = renumbered(state);
  if (event.table) next.table = event.table;
  if (event.play !== undefined) next.play = event.play;
  else if (event.table?.status === "gathering") next.play = null;
  if (event.kind === "committed") Object.assign(next, { play: null, dice: null, ...NOTHING_CHOSEN });
  if (event.kind === "rolled") rolled(next, event);
  if (event.kind === "chose") chose(next, event, answers);
  if (event.kind === "started") next.logged = true;
  next.log = logAfter(state.log, event);
  if (event.kind === "withdrew") withdrew(next, event);
  next.done = doneAfter(state.done, event);
  next.notice = noticeAfter(state.notice, event, next.yours, next.table);
  next.notice = stillTold(next);
  if (next.table) next.ended = ended(next, next.table, next.play);
  next.chances = stillTrue(next, event);
  return next;
}

/** Chances are of one turn; those of the turn before are shown until the new ones come, and older ones are not. */
function stillTrue({ chances, table }: TableState, { kind }: Happened): TableState["chances"] {
  if (!chances || kind !== "rolled") return table?.status === "playing" ? chances : null;
  return chances.since ? null : { ...chances, since: 1 };
}

/** Open seats fall away when a game starts early, so the seats behind them move up. */
function renumbered(state: TableState): number[] {
  const taken = (state.table?.seats ?? []).flatMap((seat, number) => (seat.kind === "open" ? [] : [number]));
  return state.yours.map((seat) => taken.indexOf(seat));
}

const NOTHING_CHOSEN = { mine: {}, sent: {}, withdrawing: [], chosen: [] };

function rolled(next: TableState, event: Happened): void {
  Object.assign(next, { dice: event.dice, throws: next.throws + 1, throwing: false, ...NOTHING_CHOSEN });
}

function chose(next: TableState, event: Happened, answers: Command | undefined): void {
  next.chosen = event.chosen ?? [];
  if (answers?.do === "choose") {
    next.mine = { ...next.mine, [answers.seat]: answers.move };
    next.sent = without(next.sent, answers.seat);
  }
  if (event.revealed) Object.assign(next, NOTHING_CHOSEN);
}

/** A sealed choice is open again, whichever of one's devices took it back. */
function withdrew(next: TableState, event: Happened): void {
  const seat = event.seat!;
  next.chosen = event.chosen ?? [];
  next.mine = without(next.mine, seat);
  next.withdrawing = except(next.withdrawing, seat);
}

type Choices = Record<string, string> | null | undefined;
type AllEffects = Record<string, Record<string, number>> | null | undefined;

/** Choices that are open to all, each with what it did. */
export function withEffects(choices: Choices, effects: AllEffects): [seat: number, done: MoveView][] {
  return Object.entries(choices ?? {}).map(([seat, move]) => [Number(seat), { move, effects: effects?.[seat] ?? {} }]);
}

/** The choices that an event reveals. */
export const revealed = (event: Happened): [seat: number, done: MoveView][] =>
  withEffects(event.revealed, event.effects);

/** What each seat has done in this turn: a throw begins the next. */
function doneAfter(done: Record<string, MoveView[]>, event: Happened): Record<string, MoveView[]> {
  if (event.kind === "rolled" || event.kind === "committed") return {};
  const more = revealed(event).map(([seat, one]) => [seat, [...(done[seat] ?? []), one]]);
  return more.length ? { ...done, ...Object.fromEntries(more) } : done;
}

/** A new round begins a new log. */
function logAfter(log: Happened[], event: Happened): Happened[] {
  if (event.kind === "committed" || event.kind === "started") return [];
  const known = event.number <= (log.at(-1)?.number ?? 0); // the server's own log may be ahead of what it has sent
  return (event.dice || event.revealed) && !known ? [...log, bare(event)] : log;
}

/** What happened, without the table that it led to. */
function bare({ table: _, play: __, ...event }: Happened): Happened {
  return event;
}

/** The whole log has come from the server; what was heard meanwhile follows it. */
export function recalled(state: TableState, { round, number, events }: RoundLog): TableState {
  if (state.table?.round !== round) return state;
  const dice = state.dice ?? lastThrow(events, null);
  return { ...state, dice, log: [...events, ...state.log.filter((event) => event.number > number)], logged: true };
}

/** A throw and what was done with it, the choices of one action together. */
export interface Turn {
  number: number;
  /** The how manieth of the round it is, as far as the log goes back. */
  throw: number;
  seat: number;
  dice: string;
  actions: [seat: number, done: MoveView][][];
}

/** The turns of a log, the newest first. Choices whose throw is not in the log are left out. */
export function turnsOf(log: Happened[]): Turn[] {
  const turns: Turn[] = [];
  for (const event of log) {
    const { number, seat, dice } = event;
    if (dice) turns.unshift({ number, throw: turns.length + 1, seat: seat ?? 0, dice, actions: [] });
    else if (event.revealed) turns[0]?.actions.push(revealed(event));
  }
  return turns;
}

/** What a seat did in the last turn in which it acted, also that it passed or had to. */
export function lastDone(log: Happened[], seat: number): MoveView[] {
  let last: MoveView[] = [];
  let turn: MoveView[] = [];
  for (const event of log) {
    if (event.dice) turn = [];
    for (const [who, done] of revealed(event)) if (who === seat) last = turn = [...turn, done];
  }
  return last;
}

/** What was done for one is told until the next throw, who begins and which bot took over until the one after it. */
function noticeAfter(known: Notice | null, event: Happened, yours: number[], table: TableView | null): Notice | null {
  if (event.kind === "committed") return null;
  if (event.kind === "rolled") return throughOneThrow(known);
  const fresh = noticeOf(event, yours, table);
  if (!fresh && GONE.includes(event.kind) && event.seat === known?.seat) return null; // a bot goes on
  return fresh && (fresh.failed || !known?.failed) ? fresh : known;
}

function throughOneThrow(known: Notice | null): Notice | null {
  return known && !isForced(known) && !known.thrown ? { ...known, thrown: true } : null;
}

/** Somebody gave up a seat in which a bot goes on, or had to. */
const GONE: Happened["kind"][] = ["left", "replaced", "removed"];

/** What an event tells of that was nobody's wish, or not one's own. */
export function noticeOf(event: Happened, yours: number[], now: TableView | null): Notice | null {
  const { kind, seat, why } = event;
  const table = event.table ?? now;
  if (kind === "started") {
    if (!table || (!table.continued && table.seats.length < 2)) return null;
    const again = table.round > 1 ? { round: table.round } : {};
    return { kind: table.continued ? "continues" : "begins", seat: table.first ?? 0, failed: false, ...again };
  }
  if (typeof seat !== "number") return null;
  const level = table?.seats[seat]?.level;
  if (kind === "weakened") return level ? { kind, seat, failed: false, level } : null;
  if (GONE.includes(kind) && table?.status === "playing" && !yours.includes(seat)) return { kind: "left", seat, failed: false };
  if (kind === "returned" && !yours.includes(seat)) return { kind, seat, failed: false };
  if (kind !== "chose" || !yours.includes(seat) || (why !== "only" && why !== "clock")) return null;
  return { kind: why, seat, failed: Boolean(event.effects?.[seat]?.["failed"]) };
}

/** The table chose for an own seat. */
export const isForced = (notice: Notice): boolean => notice.kind === "only" || notice.kind === "clock";

/** That one had to pass would be untrue above what one can choose now, in the next action. */
function stillTold(state: TableState): Notice | null {
  const { notice, play, chosen } = state;
  if (!notice || notice.failed || !isForced(notice) || chosen.includes(notice.seat)) return notice;
  return play && play.phase !== "roll" && actingSeat(state) !== null ? null : notice;
}

// --- what is told before the table goes on ---

/** What happened, with the table before and after it. */
export type News = [events: Happened[], before: TableState, after: TableState];

const READ = 1800; // milliseconds in which one sentence is read
const FAILED = 2400; // a newcomer is told what that is, too
const GLANCE = 1200; // what somebody else did is seen on the table, too
export const MANY = 12; // events after which a summary is better

const isOver = (state: TableState): boolean => state.table?.status === "over";
export const closedRows = (state: TableState): string[] => [...(state.play?.panels[0]?.closed ?? "")];

/** What became of an own seat without its doing, in the turn that these news come to; that it cost something counts
 * for more. */
export function forcedBy([events, , { yours, table }]: News): Notice | null {
  const turn = events.slice(1 + events.findLastIndex((event) => event.kind === "rolled"));
  const forced = turn.map((event) => noticeOf(event, yours, table)).filter((one) => one !== null && isForced(one));
  return forced.findLast((one) => one!.failed) ?? forced.at(-1) ?? null;
}

/** What others did that is not to happen in silence: they lost a throw, or took a piece of one's own. */
export function struckBy([events, , { yours }]: News): [seat: number, done: MoveView][] {
  const strikes = ({ effects }: MoveView): boolean => Boolean(effects["failed"] || effects["captures"]);
  return yours.length ? events.flatMap(revealed).filter(([seat, done]) => !yours.includes(seat) && strikes(done)) : [];
}

/** For how many milliseconds it is told what happened before the table goes on: that nothing fitted, that a row was
 * closed, what ended the game; and what others did that one must not miss. */
export function toRead(...news: News): number {
  const [events, before, after] = news;
  if (!before.play || !after.play || before.table?.round !== after.table?.round || events.length > MANY) return 0;
  const forced = forcedBy(news);
  if (forced?.failed) return FAILED;
  const told = forced ?? ((isOver(after) && !isOver(before)) || closedRows(after).length > closedRows(before).length);
  if (told) return READ;
  return struckBy(news).length ? GLANCE : 0;
}

/** The table while that is told: what happened lies on it, and whose turn it is, and which action, are those in which
 * it did. */
export function asTold(...[events, before, after]: News): TableState {
  const [was, is] = [before.play!, after.play!];
  const thrown = events.findLast((event) => event.kind === "rolled");
  const active = thrown?.seat ?? was.active;
  const table = isOver(after) ? { ...after.table!, status: "playing" as const } : after.table;
  const sameTurn = is.active === active;
  if (sameTurn && is.phase === "white") return { ...after, table };
  const both = events.filter(({ revealed }) => revealed).length > 1; // the white action ended, and the colour action
  const later = thrown || was.phase === "roll" || both ? "colour" : was.phase;
  const phase = sameTurn && is.phase === "colour" ? "white" : later;
  return { ...after, table, play: { ...is, active, phase, dice: after.dice, to_act: [], moves: {} } };
}

// --- what follows from it ---

/** Whether a seat is oneself: the only one that is played from here. */
export function isMe(yours: number[], seat: number | undefined): boolean {
  return yours.length === 1 && yours[0] === seat;
}

/** The seats that the table waits for. */
export function waitedFor(state: TableState): number[] {
  if (!state.play || state.table?.status !== "playing") return [];
  if (state.play.phase === "roll") return [state.play.active];
  return state.play.to_act.filter((seat) => !state.chosen.includes(seat));
}

/** Of one's own seats, the one whose turn it is to act, the active player's before the others in seat order. */
export function actingSeat(state: TableState): number | null {
  if (!state.play) return null;
  const first = state.play.active;
  const seats = state.table?.seats ?? [];
  const order = (seat: number) => (seat - first + seats.length) % seats.length;
  const mine = waitedFor(state)
    .filter((seat) => state.yours.includes(seat) && !seats[seat]?.stand_in && state.sent[seat] === undefined)
    .sort((a, b) => order(a) - order(b));
  return mine[0] ?? null;
}

/** The others who want another round already, while one still looks at the last. */
export function wantingMore({ table, ended, yours }: TableState): number[] {
  if (table?.status !== "gathering" || !ended) return [];
  return table.seats.flatMap(({ kind, ready }, i) => (kind === "person" && ready && !yours.includes(i) ? [i] : []));
}

/** Everybody chooses at once, unseen by the others. */
export function sealed(state: TableState): boolean {
  return state.play !== null && state.play.to_act.length + state.chosen.length > 1;
}

/** Whether this choice of one's own can be taken back: others still choose, and there was a choice to make. */
export function canWithdraw(state: TableState, seat: number): boolean {
  if (state.table?.status !== "playing" || !state.yours.includes(seat) || state.table.seats[seat]?.stand_in)
    return false;
  if (!state.chosen.includes(seat) || state.withdrawing.includes(seat)) return false;
  return waitedFor(state).length > 0 && movesOf(state, seat).length > 1;
}

/** Bots take their time, and nobody elsewhere would be hurried with them. */
export function canHurry(state: TableState): boolean {
  const seats = state.table?.seats ?? [];
  const here = state.yours.filter((seat) => !seats[seat]?.stand_in);
  const people = seats.filter((seat) => seat.kind === "person" && !seat.stand_in).length;
  if (!here.length || people > here.length || actingSeat(state) !== null) return false;
  return waitedFor(state).some((seat) => seats[seat]?.kind === "bot");
}

export function movesOf(state: TableState, seat: number): MoveView[] {
  return state.play?.moves[String(seat)] ?? [];
}
