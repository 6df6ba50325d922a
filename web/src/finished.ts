/** A finished round and who played it, as screens that look back at it need it. */
import { Failed, offer, seatedAt, story as tell, table as look } from "./api";
import { faceOf } from "./faces";
import type { GameView, Story } from "./messages";

export interface FinishedRound {
  game: GameView;
  story: Story;
  /** By seat. */
  faces: (string | null)[];
  /** The seats that this browser held. */
  yours: number[];
  /** Nothing else has been played at the table since. */
  latest: boolean;
}

/** Where a finished round is looked at: who sat there and has not gone on since finds the end as it was left. */
export const endOf = (table: string, round: number, found: FinishedRound | null): string =>
  `/table/${table}${found?.latest && found.yours.length ? "" : `/${round}`}`;

export async function finishedRound(id: string, round: number): Promise<FinishedRound> {
  const [{ games }, story, view, mine] = await Promise.all([
    offer(),
    tell(id, round),
    look(id),
    seatedAt([id]).catch(() => null), // whose it was is not worth a failure
  ]);
  const game = games.find((one) => one.id === story.game);
  if (!game) throw new Failed("no_table");
  const held = mine?.tables[0]?.yours ?? [];
  return {
    game,
    story,
    // People may have changed since; a face belongs to a name.
    faces: story.seats.map((name) => {
      if (name.startsWith("bot:")) return name.slice(4);
      const seat = view.seats.find((one) => one.kind === "person" && one.name === name);
      return seat ? faceOf({ ...seat, level: null }) : null;
    }),
    yours: held.filter((seat) => view.seats[seat]?.name === story.seats[seat]),
    latest: view.round === round && view.status === "over",
  };
}

/** What went wrong, as the screen's own words tell it. */
export type Trouble = "gone" | "running" | "offline";
export function troubleOf(error: unknown): Trouble {
  const code = error instanceof Failed ? error.code : "offline";
  return code === "not_yours" ? "running" : code === "no_table" ? "gone" : "offline";
}
