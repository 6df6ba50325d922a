/** Whom the table waits for in vain. For those who have a seat: they may let a bot play, or another may for them. */
import { waitedFor, type TableState } from "./table";

const AWAY = 60; // seconds, unless the table says otherwise
const SOON = 30; // seconds before it, in which it is told that a bot may take over for somebody who is here

/** Somebody whom all wait for, and in how many seconds a bot may play for them: now, if there are none left. */
export interface Missing {
  seat: number;
  seconds: number;
}

/** Who has been away, or has done nothing, for so long that a bot may take over, or may soon. */
export function missing(known: TableState, clock: number): Missing | null {
  const { play, table, yours } = known;
  if (!play || !table || !yours.length) return null;
  const { away = AWAY, idle = 0 } = table.options;
  const others = table.seats.some(({ kind, stand_in }, seat) => kind === "person" && !stand_in && !yours.includes(seat));
  const left = (seat: number): number => {
    const since = known.since[seat] ?? null;
    const waited = Math.max(0, clock + known.ahead - Math.max(since ?? 0, play.opened)) / 1000;
    const seconds = Math.max(0, Math.ceil((since === null ? idle || Infinity : away) - waited));
    const { kind, stand_in: replaced } = table.seats[seat]!;
    const alone = yours.includes(seat) && !others;
    return kind === "person" && !replaced && !alone && (since !== null || seconds <= SOON) ? seconds : Infinity;
  };
  const [next] = waitedFor(known)
    .map((seat) => ({ seat, seconds: left(seat) }))
    .sort((one, other) => one.seconds - other.seconds);
  return next && next.seconds < Infinity ? next : null;
}
