/** What a table looks like: panels of rows of cells. Made from a position by `games/<game>/picture.ts`; no rule is in it. */
import type { GameView } from "./messages";

export type Colour = "R" | "Y" | "G" | "B";

/** One field, or (with no field) the lock of its row. */
export interface Cell {
  field: string | null;
  label: string;
  /** The seat whose cross or piece is here. */
  owner: number | null;
  /** Crosses or pieces here. */
  height: number;
  /** Can never be entered any more by the owner of the panel. */
  gone: boolean;
  foremost: boolean;
}

export interface Strip {
  colour: Colour;
  cells: Cell[];
  closed: boolean;
}

/** A seat's own sheet, or the board that all share (seat null). */
export interface Panel {
  seat: number | null;
  strips: Strip[];
}

/** What else there is to know of a seat. */
export interface SeatStatus {
  failed: number;
  /** Pieces not placed yet, where a game has pieces. */
  left: number | null;
}

export interface Picture {
  panels: Panel[];
  seats: SeatStatus[];
  /** Failed throws count for all together, or for each seat alone. */
  failedTogether: boolean;
}

export type Position = Record<string, unknown>;

/** What a board component needs of a game; a new game is a new folder here. */
export interface Drawing {
  picture(position: Position, game: GameView): Picture;
}

const drawings = import.meta.glob<Drawing>("./games/*/picture.ts", { eager: true });

export function picture(position: Position, game: GameView): Picture {
  const drawing = drawings[`./games/${game.id}/picture.ts`];
  if (!drawing) throw new Error(`no picture of ${game.id}`);
  return drawing.picture(position, game);
}

/** The panel that shows a seat's own marks. */
export function panelOf(picture: Picture, seat: number): Panel {
  return picture.panels.find((panel) => panel.seat === seat) ?? picture.panels[0]!;
}

/** The cells a move would leave behind for good: those between the last mark and the field. */
export function skippedBy(panel: Panel, move: string): Set<string> {
  const skipped = new Set<string>();
  if (panel.seat === null) return skipped;
  for (const strip of panel.strips) {
    const at = strip.cells.findIndex((cell) => cell.field === move);
    for (const cell of at < 0 ? [] : strip.cells.slice(0, at)) if (!cell.gone && cell.field) skipped.add(cell.field);
  }
  return skipped;
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
