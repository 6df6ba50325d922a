/** What a table looks like: panels of rows of cells, as the server tells them. No rule is in it, and no game. */
import type { GameView, PanelView } from "./messages";

/** One field, or (with no field) the lock of its row. */
export interface Cell {
  field: string | null;
  /** Its own; a lock has its row's. */
  colour: string;
  /** Its number. */
  label: string;
  /** The seat whose cross or piece is here. */
  owner: number | null;
  /** Crosses or pieces here. */
  height: number;
  /** Empty, and can never be entered any more by the owner of the panel. */
  gone: boolean;
  /** The foremost mark of its row. */
  foremost: boolean;
}

export interface Strip {
  /** Of its lock, by which it is named. */
  colour: string;
  cells: Cell[];
  closed: boolean;
}

/** A seat's own sheet, or the board that all share (seat null). */
export interface Panel {
  seat: number | null;
  strips: Strip[];
  /** Whose marks lie in the boxes for failed throws. */
  failed: number[];
}

export interface Picture {
  panels: Panel[];
  /** Pieces that each seat has not placed yet, where a game has pieces. */
  left: number[] | null;
}

/** What the server tells of a moment, as far as it is drawn. */
export interface Shown {
  panels: PanelView[];
  left: number[] | null;
}

/** Whether all have their pieces on one board. */
export const isShared = ({ panels }: Pick<Shown, "panels">): boolean =>
  panels.every((panel) => (panel.seat ?? null) === null);

const EMPTY = ".";
const GONE = "-";

export function picture(shown: Shown, game: GameView): Picture {
  return { panels: shown.panels.map((view) => panel(view, game)), left: shown.left };
}

export function panel(view: PanelView, game: GameView): Panel {
  const strips = game.rows.map(({ colour, fields }, row): Strip => {
    const letters = view.rows[row] ?? "";
    const cells = fields.map((field, place) => cell(letters[place], field, field[0]!, view.stacks?.[field]));
    const lock = cell(letters[fields.length], null, colour);
    return { colour, cells: [...cells, lock], closed: view.closed?.includes(colour) ?? false };
  });
  return { seat: view.seat ?? null, strips, failed: [...(view.failed ?? "")].map(seatOf) };
}

function cell(letter = EMPTY, field: string | null, colour: string, stack?: number): Cell {
  const owner = letter === EMPTY || letter === GONE ? null : seatOf(letter);
  return {
    field,
    colour,
    label: field?.slice(1) ?? "lock",
    owner,
    height: owner === null ? 0 : (stack ?? 1),
    gone: letter === GONE,
    foremost: owner !== null && letter !== letter.toLowerCase(),
  };
}

/** `a` is a mark of seat 0, `b` of seat 1; a capital is the foremost of its row. */
const seatOf = (letter: string): number => letter.toLowerCase().charCodeAt(0) - "a".charCodeAt(0);

/** A game as it is printed, before anybody has put a mark on it. */
export const blank = (game: GameView): Panel => panel({ rows: [], seat: game.pieces === null ? 0 : null }, game);

/** The panel that shows a seat's own marks. */
export function panelOf(picture: Picture, seat: number): Panel {
  return picture.panels.find((panel) => panel.seat === seat) ?? picture.panels[0]!;
}

/** How many failed throws a seat has marked. */
export function failedOf(picture: Picture, seat: number): number {
  return panelOf(picture, seat).failed.filter((owner) => owner === seat).length;
}

/** The rows, and with them the coloured dice, in their order. */
export const colours = (game: GameView): string[] => game.rows.map((row) => row.colour);

/** The row in which a field lies, by the colour of its lock. */
export function rowOf(game: GameView, field: string): string {
  return game.rows.find((row) => row.fields.includes(field))?.colour ?? "";
}

/** The free cells of a sheet that a move leaves behind: so many before it as the law says that it skips. */
export function skippedBy(panel: Panel, move: string, skips: number): Set<string> {
  const row = panel.strips.find((strip) => strip.cells.some((cell) => cell.field === move));
  if (panel.seat === null || !row || !skips) return new Set();
  const before = row.cells.slice(
    0,
    row.cells.findIndex((cell) => cell.field === move),
  );
  const free = before.filter((cell) => cell.owner === null && !cell.gone);
  return new Set(free.slice(-skips).map((cell) => cell.field!));
}

/** The parts of dice as they are written: `41 36.5`. */
export function readDice(text: string): { whites: number[]; coloured: (number | null)[] } {
  const [whites = "", coloured = ""] = text.split(" ");
  return { whites: [...whites].map(Number), coloured: [...coloured].map((die) => (die === "." ? null : Number(die))) };
}

/** A throw without the dice that have left the game since: `inPlay` has a dot for each of them. */
export function stillInPlay(dice: string, inPlay: string): string {
  const { coloured } = readDice(dice);
  return `${dice.split(" ")[0]} ${coloured.map((die, i) => (die === null || inPlay[i] === "." ? "." : die)).join("")}`;
}
