import type { GameView } from "../../messages";
import type { Cell, Colour, Panel, Picture, Position } from "../../picture";

type Sheet = Record<Colour, number[]> & { locks: string; failed: number };

/** A panel for every sheet. */
export function picture(position: Position, game: GameView): Picture {
  const sheets = position["sheets"] as Sheet[];
  const closed = sheets.map((sheet) => sheet.locks).join("");
  return {
    panels: sheets.map((sheet, seat) => panel(sheet, seat, closed, game)),
    seats: sheets.map((sheet) => ({ failed: sheet.failed, left: null })),
    failedTogether: false,
  };
}

function panel(sheet: Sheet, seat: number, closed: string, game: GameView): Panel {
  const colours = Object.keys(game.rows) as Colour[];
  return {
    seat,
    strips: colours.map((colour) => ({
      colour,
      cells: cells(sheet, seat, colour, closed.includes(colour), game.rows[colour] ?? []),
      closed: closed.includes(colour),
    })),
  };
}

function cells(sheet: Sheet, seat: number, colour: Colour, closed: boolean, numbers: number[]): Cell[] {
  const marks = [...numbers.map((number) => sheet[colour].includes(number)), sheet.locks.includes(colour)];
  const rightmost = marks.lastIndexOf(true);
  return marks.map((mark, place) => ({
    field: place < numbers.length ? `${colour}${numbers[place]}` : null,
    label: place < numbers.length ? String(numbers[place]) : "lock",
    owner: mark ? seat : null,
    height: mark ? 1 : 0,
    gone: closed || place <= rightmost,
    foremost: place === rightmost,
  }));
}
