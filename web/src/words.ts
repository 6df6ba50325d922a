/** What happens at a table, in words: on chips, in sentences, for those who listen. */
import { fieldName, language, list, says, t } from "./language.svelte";
import type { GameView, Happened, MoveView, SeatView } from "./messages";
import { readDice, rowOf, type Cell, type Strip } from "./picture";
import { closedRows, isMe, revealed, type News, type Notice } from "./table";

type Effects = Record<string, number>;

/** What players put on the sheet or board, on which some words depend. */
export const marks = (game: GameView): "crosses" | "pieces" => (game.pieces === null ? "crosses" : "pieces");

/** What a game is called: by its name in the reader's language, if it has one there. */
export const gameTitle = (game: GameView): string => (says(`title.${game.id}`) ? t(`title.${game.id}`) : game.title);

/** The invitation to play with these levels: their names as that sentence has them. */
export const playWords = (levels: string[]): string =>
  t("home.play", { names: list(levels.map((level) => t(`level.${level}.with`))) });

/** What one sheet of several is called. */
export const sheetTitle = (game: GameView): string =>
  says(`variant.${game.id}`) ? t(`variant.${game.id}`) : gameTitle(game);

/** A field and, where it has another colour than its row, the row in which it lies: `green 8, red row`. */
export function moveName(game: GameView, move: string): string {
  return move === "-" ? fieldName(move) : inRow(move, rowOf(game, move));
}

/** The field of a cell, and the row in which it lies if that is told and has another colour. */
export function cellName(cell: Cell, strip?: Strip): string {
  return inRow(cell.field ?? "", strip?.colour ?? cell.colour);
}

function inRow(field: string, row: string): string {
  return field[0] === row ? fieldName(field) : `${fieldName(field)}, ${t(`row.${row}`)}`;
}

/** What a move adds to one's total. */
export const gainsWords = ({ gains = 0 }: Pick<MoveView, "gains">): string =>
  gains > 0 ? t("effect.gains", { n: gains }) : "";

/** What a move does, in full. */
export function effectWords({ effects, gains = 0 }: Pick<MoveView, "effects" | "gains">): string[] {
  const words: string[] = [];
  for (const effect of ["closes", "captures", "raises", "skips", "forgoes", "leads"])
    if (effects[effect]) words.push(t(`effect.${effect}`, { n: effects[effect]! }));
  const more = gainsWords({ gains });
  return more ? [...words, more] : words;
}

/** What the key says that makes a move: the text's key. */
export function doWords(game: GameView, move: MoveView | undefined): string {
  const special = ["captures", "raises"].find((effect) => move?.effects[effect]);
  return `tray.do.${special ?? marks(game)}`;
}

/** What is written down for somebody without a name: everybody reads it in their own language. */
export const NAMELESS = "Player";
export const personName = (name: string): string => (name === NAMELESS ? t("seat.player") : name);

/** Who sits there, as people call them. */
function seatName(seat: SeatView): string {
  if (seat.kind === "bot") return t(`level.${seat.level}`);
  return seat.name ? personName(seat.name) : t("seat.open");
}

/** A throw in words: `white 4 and 1, red 3, ...`. */
export function diceWords(text: string, colours: string[]): string {
  const { whites, coloured } = readDice(text);
  const words = coloured.flatMap((die, i) =>
    die ? [t("move.field", { colour: t(`die.${colours[i]}`), number: die })] : [],
  );
  return [t("dice.white", { a: whites[0]!, b: whites[1]! }), ...words].join(", ");
}

/** What a choice did that is worth telling afterwards. */
export function effectTold(effects: Effects): string[] {
  const telling = ["closes", "captures", "raises"].filter((effect) => effects[effect]);
  return telling.map((effect) => t(`effect.${effect}`, { n: effects[effect]! }));
}

/** A choice that was made, in words: the field and what it did, or that it was none and what that cost. */
export function doneWords({ move, effects }: MoveView, game: GameView): string {
  if (move === "-") return effects["failed"] ? t("done.failed", { n: game.cost }) : t("move.pass");
  return [moveName(game, move), ...effectTold(effects)].join(", ");
}

const capital = (text: string): string => text.charAt(0).toLocaleUpperCase(language()) + text.slice(1);

/** What happened without one's doing, in a sentence. Of several at one device it says who. */
export function noticeWords(
  { kind, seat, failed, level, thrown, round }: Notice,
  names: string[],
  yours: number[],
  cost: number,
): string {
  if (kind === "weakened") return t("notice.weakened", { name: t(`level.${level}`) });
  const [me, name] = [isMe(yours, seat), names[seat] ?? ""];
  if (kind === "left" || kind === "returned") return t(`notice.${kind}`, { name });
  const again = round ? `${capital(t("table.round", { n: round }))} · ` : "";
  if (kind === "begins" && thrown && !me) return again + t("notice.began", { name });
  if (kind === "begins" || kind === "continues")
    return again + (me ? t(`notice.${kind}.you`) : t(`notice.${kind}`, { name }));
  const what = failed ? "failed" : "pass";
  return me ? t(`notice.${kind}.${what}.you`, { n: cost }) : t(`notice.${kind}.${what}`, { name, n: cost });
}

/** A name with a word too long for a narrow place, which has it in smaller letters. */
export const isLong = (name: string): boolean => name.split(/\s/).some((word) => word.length > 11);

/** Who threw what. */
export function throwWords(event: Happened, names: string[], yours: number[], colours: string[]): string {
  const [seat, dice] = [event.seat ?? -1, diceWords(event.dice ?? "", colours)];
  return isMe(yours, seat) ? t("news.youThrew", { dice }) : t("news.threw", { name: names[seat] ?? "", dice });
}

/** The rows that have just been closed, and by which seats. */
export function closings([events, before, after]: News, game: GameView): [colour: string, seats: number[]][] {
  if (before.table?.round !== after.table?.round) return [];
  const were = closedRows(before);
  const closers = events.flatMap((event) => revealed(event).filter(([, done]) => done.effects["closes"]));
  return closedRows(after)
    .filter((colour) => !were.includes(colour))
    .map((colour) => [colour, closers.filter(([, done]) => rowOf(game, done.move) === colour).map(([seat]) => seat)]);
}

/** Who closed a row, alone or together. */
export function closedWords(colour: string, seats: number[], names: string[], yours: number[]): string {
  const row = { colour: t(`colour.${colour}`) };
  if (seats.length > 1) {
    const mine = (seat: number): number => Number(isMe(yours, seat));
    const order = seats.toSorted((one, other) => mine(other) - mine(one)); // oneself first
    const key = isMe(yours, order[0]) ? "news.closedWithYou" : "news.closedTogether";
    return t(key, { ...row, names: together(names, order) });
  }
  if (isMe(yours, seats[0])) return t("news.closedYou", row);
  return t("news.closed", { ...row, name: names[seats[0] ?? -1] ?? "" });
}

/** Names as they are said to whoever sits here: one's own seat is oneself, unless several share the device. */
export function calledNames(names: string[], yours: number[]): string[] {
  return names.map((name, seat) => (isMe(yours, seat) ? t("seat.you") : name));
}

/** Everybody's name, told apart by a number where two are the same. */
export function seatNames(seats: SeatView[]): string[] {
  return apart(seats.map(seatName));
}

/** The names in a record, where a bot is written `bot:level`. */
export function recordNames(names: string[]): string[] {
  return apart(names.map((name) => (name.startsWith("bot:") ? t(`level.${name.slice(4)}`) : personName(name))));
}

function apart(names: string[]): string[] {
  return names.map((name, i) => {
    const before = names.slice(0, i).filter((one) => one === name).length;
    return before ? `${name} ${before + 1}` : name;
  });
}

/** Names of some seats in one breath. */
export function together(names: string[], which: number[]): string {
  return list(which.map((seat) => names[seat] ?? ""));
}

/** Why something was not carried out, by the server's code for it. */
export function problemWords(code: string): string {
  return t(says(`problem.${code}`) ? `problem.${code}` : "problem.fault");
}
