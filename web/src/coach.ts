/** What a newcomer is told at the table, once each, until they have read it. */
import { movesOf, sealed, type TableState } from "./table";

/** The one thing worth a word now, of those that are not known yet. */
export function tipFor(state: TableState, seat: number | null, known: readonly string[]): string | null {
  return tips(state, seat).find((tip) => !known.includes(tip)) ?? null;
}

/** From the rarest to the most common. */
function tips(state: TableState, seat: number | null): string[] {
  const { play, notice, mine, yours } = state;
  if (!play || yours.length !== 1) return [];
  if (notice?.failed) return ["failed"];
  if (seat === null) return play.phase === "white" && sealed(state) && mine[yours[0]!] !== undefined ? ["sealed"] : [];
  const moves = play.phase === "roll" ? [] : movesOf(state, seat);
  const found = moves.some((one) => one.effects["closes"]) ? ["lock"] : [];
  if (play.phase === "roll") found.push("roll");
  else if (moves.length > 1) found.push(play.phase);
  return found;
}
