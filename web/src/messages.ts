// Made from the server's message types by `python -m qwixx.server.typescript`. Do not edit.

/** That command was applied already, as this event; or it is one that leads to none (hurry). */
export interface Accepted {
  type: "accepted";
  id: string;
  number: number;
}

/** The creator says whether people without a seat may watch. */
export interface AllowWatchers {
  do: "watchers";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  allowed: boolean;
}

/** The dice are being thrown: this page's next link is asked for, for what is told here alone. */
export interface Ask {
  type: "ask";
  round: number;
  throw: number | null;
  digest: string;
  last: string;
}

/** Ask for a code that moves one's seats to another device. */
export interface AskCode {
  do: "code";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
}

/** Ask what would be best, in a decision of one's own. */
export interface AskHint {
  do: "hint";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  seat: number;
  /** The number of an event at its table. */
  seen: number;
}

/** The link that was asked for. Needs no id: what comes too late is left out. */
export interface Bring {
  do: "link";
  /** A link of a page's hash chain, or its end: 32 bytes, hexadecimal. */
  link: string;
  throw?: number | null;
}

/** What a page has committed to: the end of its chain, and whose page it is. */
export interface ChainView {
  end: string;
  seats: number[];
  since?: number;
}

/** What the table was worth to every seat before the throw of a turn: the chance to win, from 0 to 1, and points in the end. For those who watch, never for players. */
export interface Chances {
  type: "chances";
  round: number;
  turn: number;
  win: number[];
  points: number[];
}

/** A choice. While others still choose at the same time it can be taken back; else it is final. */
export interface Choose {
  do: "choose";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  seat: number;
  move: string;
  /** The number of an event at its table. */
  seen: number;
}

/** This page does not have the chain of its seats (they moved here, say): here is the end of another. */
export interface CommitChain {
  do: "chain";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  /** A link of a page's hash chain, or its end: 32 bytes, hexadecimal. */
  chain: string;
}

/** A choice of a reviewed round, beside what could have been. */
export interface DecisionReview {
  event: number;
  seat: number;
  move: string;
  best: string;
  then: string | null;
  loss: Worth;
  label: "best" | "blunder" | "good" | "inaccuracy" | "mistake";
  kind: "action" | "captures" | "closes" | "crosses" | "failed" | "lock" | "passes" | "row" | "skips" | null;
  reason: string;
  why: ReasonView;
  values: Record<string, Worth>;
}

/** These dice were thrown; null: they are still to be. */
export interface DiceEdit {
  do: "dice";
  dice?: string | null;
}

/** A finished round of a table that has gone on since. */
export interface EarlierRound {
  round: number;
  seats: string[];
  totals: number[];
  winners: number[];
}

/** Errors of one kind. */
export interface ErrorsReview {
  count: number;
  loss: Worth;
}

/** What a position is worth: before a throw and at the end to every seat (`win`, `points`), with dice on the table every choice of the seat that was asked about. */
export interface Explored {
  win?: number[] | null;
  points?: number[] | null;
  values?: Record<string, Worth> | null;
  best?: string | null;
  then?: string | null;
  reason?: string | null;
  why?: ReasonView | null;
  luck?: Worths | null;
  throws?: ThrowsView[] | null;
}

/** A seat has so many failed throws. */
export interface FailEdit {
  do: "fail";
  seat: number;
  count: number;
}

/** A game that can be played here. */
export interface GameView {
  id: string;
  title: string;
  fewest: number;
  most: number;
  family: string;
  rows: RowView[];
  faces: number;
  points: number[];
  failed: number;
  cost: number;
  to_lock: number;
  pieces: number | null;
  sealed: boolean;
  levels: string[];
}

/** One event, the same for everybody. What it changes comes along: the table, the game, or who has chosen. */
export interface Happened {
  type: "event";
  number: number;
  at: number;
  kind: "agreed" | "allowed" | "chained" | "chose" | "committed" | "created" | "hinted" | "left" | "moved" | "readied" | "removed" | "replaced" | "returned" | "rolled" | "sat" | "started" | "weakened" | "withdrew";
  id?: string | null;
  more?: boolean;
  seat?: number | null;
  dice?: string | null;
  without?: number[] | null;
  why?: "bot" | "clock" | "only" | null;
  revealed?: Record<string, string> | null;
  effects?: Record<string, Record<string, number>> | null;
  chosen?: number[] | null;
  table?: TableView | null;
  play?: Play | null;
}

/** The first message: who is there, and what was seen last. A code moves a seat to this device. */
export interface Hello {
  do: "hello";
  secret?: string | null;
  version?: number | null;
  code?: string | null;
}

/** Whose line is up; for the others, when it went down (milliseconds since 1970). */
export interface Here {
  type: "here";
  seats: boolean[];
  since: (number | null)[];
}

/** The best choice of a seat in its present decision, for whoever sits there alone. */
export interface HintView {
  type: "hint";
  id: string;
  seat: number;
  opened: number;
  level: string;
  best: string;
  reason: ReasonView;
  values: Record<string, Worth | null>;
}

/** Bots that pause before they act go on at once. */
export interface Hurry {
  do: "hurry";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
}

/** Get up; while a game runs a bot goes on in one's place. */
export interface Leave {
  do: "leave";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  seat: number;
}

/** Tables that anybody may join. */
export interface Lobby {
  tables: LobbyTable[];
}

/** An open table in the list. */
export interface LobbyTable {
  table: string;
  game: string;
  names: string[];
  free: number;
}

/** The answer to a new table. */
export interface Made {
  table: string;
}

/** The game after these events, as at a table where all of them had happened. */
export interface Moment {
  active: number;
  phase: "colour" | "over" | "roll" | "white";
  dice: string | null;
  in_play: string;
  panels: PanelView[];
  left: number[] | null;
  thrown: number;
  to_act: number[];
  moves: Record<string, MoveView[]>;
  result: ResultView;
  deadline: number | null;
  opened: number;
  digest: string | null;
  chosen: number[];
  revealed: Record<string, string> | null;
  effects: Record<string, Record<string, number>> | null;
  position?: Record<string, unknown> | null;
}

/** A game as far as it was played, to see what it looks like then. */
export interface MomentWanted {
  game: string;
  players: number;
  events: string[];
  first?: number;
}

/** A code that moves the asker's seats to another device, once. */
export interface MoveCode {
  type: "code";
  id: string;
  code: string;
  seconds: number;
}

/** A legal move and what it does: skips, closes, captures, raises, leads, forgoes, narrows, failed. `gains` is what it adds to the total of whoever makes it. `ends` is there only if the move ends the game, all others passing: every seat's total if they do. */
export interface MoveView {
  move: string;
  effects: Record<string, number>;
  ends?: number[] | null;
  gains?: number;
}

/** A table as whoever sits there finds it in a list. */
export interface MyTable {
  table: string;
  game: string;
  status: "gathering" | "over" | "playing";
  round: number;
  seats: SeatView[];
  yours: number[];
  active: number | null;
  acting: boolean;
  at: number;
  result: ResultView | null;
  earlier: EarlierRound[];
}

/** Those of the tables asked for that can be read, in the same order, and those that are not there any more. */
export interface MyTables {
  tables: MyTable[];
  gone: string[];
}

/** What it takes to make a table. */
export interface NewTable {
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  /** At least 128 random bits in base64url, made by the page and kept by it. */
  secret: string;
  game: string;
  seats: SeatPlan[];
  options?: Options;
  position?: Record<string, unknown> | null;
}

/** What this server offers. */
export interface Offer {
  games: GameView[];
  levels: string[];
  address: string | null;
  /** All such addresses, the likeliest first. */
  addresses: string[];
  /** It listens to its own machine alone. */
  only_here: boolean;
}

/** How a table is played. */
export interface Options {
  /** Seconds a bot waits before it acts. */
  pause?: number;
  /** Seconds for a decision; 0 is no clock. */
  clock?: number;
  /** Seconds until one who is away can be replaced. */
  away?: number;
  /** Seconds that others wait until one who is here can be replaced; 0: never. */
  idle?: number;
  /** Whether people without a seat may watch. */
  watchers?: boolean;
  stand_in?: string;
  /** Shown in the list of open tables. */
  listed?: boolean;
  /** Whether players may ask for hints; null: if one person plays with bots alone. */
  hints?: boolean | null;
  /** Whether those who watch are told everybody's chances. */
  chances?: boolean;
}

/** A seat's own sheet, or the board that all share, as it lies there. A row is a text with a character for every cell, the lock last: `.` is empty, `-` is lost to the owner of the panel for good, and a letter is a mark: `a` of seat 0, `b` of seat 1 ..., a capital for the foremost of its row. */
export interface PanelView {
  rows: string[];
  seat?: number | null;
  closed?: string;
  stacks?: Record<string, number>;
  failed?: string;
}

/** Is the line still up? Answered with a pong; a browser sees no pings of the socket's own. */
export interface Ping {
  do: "ping";
}

/** The game as everybody sees it: no sealed choice is in it. */
export interface Play {
  active: number;
  phase: "colour" | "over" | "roll" | "white";
  dice: string | null;
  in_play: string;
  panels: PanelView[];
  left: number[] | null;
  thrown: number;
  to_act: number[];
  moves: Record<string, MoveView[]>;
  result: ResultView;
  deadline: number | null;
  opened: number;
  digest: string | null;
}

/** A seat's round: result = start + luck − loss + others + rest, in wins and in points. */
export interface PlayerReview {
  luck: Worth;
  loss: Worth;
  others: Worth;
  rest: Worth;
  result: Worth;
  decisions: number;
  rate: Worth;
  labels: Record<string, number>;
  errors: Record<string, ErrorsReview>;
  plays_like: string | null;
}

/** The line is up. */
export interface Pong {
  type: "pong";
}

/** Any position, how it is changed, and what happens then. */
export interface PositionWanted {
  /** As the engine reads it. */
  position: Record<string, unknown>;
  edits?: (TapEdit | FailEdit | TurnEdit | DiceEdit)[];
  events?: string[];
}

/** Why a request was not carried out. */
export interface Problem {
  code: string;
  message: string;
  rule?: string | null;
}

/** Show the others how one feels. Nothing of it is kept. */
export interface React {
  do: "react";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  seat: number;
  emote: "bravo" | "hello" | "ouch" | "thanks" | "think" | "wow";
}

/** How somebody at the table feels about it, for a moment. */
export interface Reaction {
  type: "reaction";
  id: string;
  seat: number;
  emote: "bravo" | "hello" | "ouch" | "thanks" | "think" | "wow";
}

/** Ready to begin, with the end of the chain that this page's part in the dice comes from. */
export interface Ready {
  do: "ready";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  seat: number;
  /** A link of a page's hash chain, or its end: 32 bytes, hexadecimal. */
  chain: string;
}

/** Why a choice is the best, as a key and its number; `other` is the choice it is compared with. */
export interface ReasonView {
  key: "captures" | "closes" | "ends_ahead" | "ends_behind" | "even" | "keeps_lock" | "leaves_open" | "only" | "plain" | "points" | "saves" | "skips_less" | "skips_none" | "wins";
  n?: number;
  other?: string | null;
}

/** That command was not applied, and why. */
export interface Refused {
  type: "refused";
  id: string | null;
  code: string;
  message: string;
  rule: string | null;
  number: number;
}

/** Another round with the same people; who begins is drawn again. */
export interface Rematch {
  do: "rematch";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
}

/** Have somebody leave: the creator before a game; in it all other players, of one mind. */
export interface Remove {
  do: "remove";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  seat: number;
}

/** Let a bot play for somebody who is away, or keeps everybody waiting. */
export interface Replace {
  do: "replace";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  seat: number;
}

/** Tell whoever runs the server about somebody's name. */
export interface Report {
  do: "report";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  seat: number;
}

/** The score as it stands. */
export interface ResultView {
  totals: number[];
  rows: number[][];
  over: boolean;
  winners: number[] | null;
  reason: "failed" | "pieces" | "rows" | null;
}

/** A review as far as it is done; once all of it is, the whole, whatever was seen. */
export interface ReviewProgress {
  round: number;
  done: number;
  of: number;
  review: ReviewView;
}

/** A finished round, judged; while it is being judged, the turns not yet seen. */
export interface ReviewView {
  format: "qwixx-review/1";
  game: string;
  seats: string[];
  start: Worths | null;
  throws: ThrowReview[];
  decisions: DecisionReview[];
  players: PlayerReview[] | null;
}

/** The active player throws the dice, with the page's own link at once. `seen` is the last event the sender knew. */
export interface Roll {
  do: "roll";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  seat: number;
  /** The number of an event at its table. */
  seen: number;
  link?: string | null;
}

/** The throws and the revealed choices of a table's present round, oldest first; what is sealed is not in it. */
export interface RoundLog {
  round: number;
  number: number;
  events: Happened[];
}

/** A row as it is printed. */
export interface RowView {
  colour: string;
  fields: string[];
}

/** A seat of a new table: open, a bot's, or the creator's own. */
export interface SeatPlan {
  kind: "bot" | "me" | "open";
  level?: string | null;
  name?: string | null;
  face?: string | null;
}

/** A seat as everybody sees it. */
export interface SeatView {
  kind: "bot" | "open" | "person";
  name: string | null;
  face: string | null;
  level: string | null;
  ready: boolean;
  stand_in: boolean;
  hints?: number;
  unwanted?: number;
}

/** Take an open seat, any or a certain one. */
export interface Sit {
  do: "sit";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  /** A person's name, in any script. */
  name: string;
  seat?: number | null;
  face?: string | null;
}

/** The creator begins without waiting; open seats fall away. */
export interface Start {
  do: "start";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
}

/** A moment of a finished round: after a throw, or after the choices of one action. */
export interface Step {
  dice: string | null;
  choices: Record<string, string> | null;
  effects: Record<string, Record<string, number>> | null;
  active: number;
  panels: PanelView[];
  left: number[] | null;
  in_play: string;
  result: ResultView;
  position: Record<string, unknown>;
}

/** A finished round, moment by moment, from the empty table on. */
export interface Story {
  game: string;
  seats: string[];
  first: number;
  round: number;
  steps: Step[];
  hints?: number[];
}

/** A table as everybody sees it. */
export interface TableView {
  id: string;
  game: string;
  status: "gathering" | "over" | "playing";
  round: number;
  seats: SeatView[];
  options: Options;
  commitment: string;
  first: number | null;
  proof: Record<string, unknown> | null;
  continued?: boolean;
  chains?: ChainView[];
}

/** Tables that a page knows, and the secret it sits there with. */
export interface TablesWanted {
  /** At least 128 random bits in base64url, made by the page and kept by it. */
  secret: string;
  tables: string[];
}

/** A field is tapped, with a mark of this seat in hand, or with none to take one away. */
export interface TapEdit {
  do: "tap";
  /** A field; a colour alone is a lock. */
  place: string;
  seat?: number | null;
}

/** A turn of a reviewed round, by its throw. For every seat, after = before + luck − the losses of its own choices in this turn + others + rest. */
export interface ThrowReview {
  event: number;
  luck: Worths;
  others: Worths;
  rest: Worths;
  before: Worths;
  after: Worths;
}

/** The luck of all throws with one white sum, to every seat: in the mean over the coloured dice, and the worst and the best of it. */
export interface ThrowsView {
  sum: number;
  ways: number;
  luck: Worths;
  low: Worths;
  high: Worths;
}

/** It is this seat's turn. */
export interface TurnEdit {
  do: "turn";
  seat: number;
}

/** Any position, to know what it is worth; with dice on the table, to which seat. */
export interface ValuesWanted {
  /** As the engine reads it. */
  position: Record<string, unknown>;
  seat?: number | null;
  /** Also the luck of every throw that may (or might) have come. */
  throws?: boolean;
}

/** The table as it is, for whoever has just come (back). */
export interface Welcome {
  type: "welcome";
  number: number;
  now: number;
  table: TableView;
  play: Play | null;
  chosen: number[];
  yours: number[];
  creator: boolean;
  mine: Record<string, string>;
  here: boolean[];
  since: (number | null)[];
  missed: Happened[] | null;
}

/** Take back one's own choice while it is sealed, to choose anew. */
export interface Withdraw {
  do: "withdraw";
  /** Chosen by the sender; the same id is applied once. */
  id: string;
  seat: number;
  /** The number of an event at its table. */
  seen: number;
}

/** What a choice is worth to its seat: the chance to win, from 0 to 1, and points in the end. */
export interface Worth {
  win: number;
  points: number;
}

/** What something is worth to every seat: chances to win, from 0 to 1, and points in the end; or how much of these it gave or took. */
export interface Worths {
  win: number[];
  points: number[];
}

export type Request = Hello | Ping | Bring | Sit | Leave | Ready | CommitChain | Start | Roll | Choose | Withdraw | Replace | Remove | AllowWatchers | Report | Rematch | React | Hurry | AskHint | AskCode;

export type Message = Welcome | Ask | Happened | Here | Reaction | Accepted | Refused | HintView | Chances | MoveCode | Pong;
