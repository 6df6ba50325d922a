import type { GameView } from "../../messages";
import type { Cell, Colour, Picture, Position, Strip } from "../../picture";

const LETTERS = "bg";

/** One panel: the board that both share. */
export function picture(position: Position, game: GameView): Picture {
  const rows = position["rows"] as Record<Colour, Record<string, string>>;
  const locks = position["locks"] as Record<Colour, string | null>;
  const failed = position["failed"] as number[];
  const strips = (Object.keys(game.rows) as Colour[]).map((colour) =>
    strip(colour, game.rows[colour] ?? [], rows[colour], locks[colour]),
  );
  const placed = (seat: number) =>
    strips.flatMap((one) => one.cells).reduce((sum, cell) => sum + (cell.owner === seat ? cell.height : 0), 0);
  return {
    panels: [{ seat: null, strips }],
    seats: failed.map((count, seat) => ({ failed: count, left: (game.pieces ?? 0) - placed(seat) - count })),
    failedTogether: true,
  };
}

function strip(colour: Colour, numbers: number[], row: Record<string, string>, lock: string | null): Strip {
  const closed = lock !== null;
  const foremost = numbers.findLastIndex((number) => row[String(number)]);
  const cell = (field: string | null, label: string, pieces: string, front: boolean): Cell => ({
    field,
    label,
    owner: pieces ? LETTERS.indexOf(pieces[0]!) : null,
    height: pieces.length,
    gone: closed,
    foremost: front,
  });
  const cells = numbers.map((number, place) =>
    cell(`${colour}${number}`, String(number), row[String(number)] ?? "", place === foremost),
  );
  return { colour, cells: [...cells, cell(null, "lock", lock ?? "", false)], closed };
}
