/** What a server says of a table, for tests to change. */
import type { Play, SeatView, TableView, Welcome } from "../src/messages";

export const seat = (kind: SeatView["kind"], name: string | null = null): SeatView => ({
  kind,
  name,
  face: null,
  level: kind === "bot" ? "greedy" : null,
  ready: true,
  stand_in: false,
});

export function table(change: Partial<TableView> = {}): TableView {
  return {
    id: "a".repeat(20),
    game: "classic",
    status: "playing",
    round: 1,
    seats: [seat("person", "Ana"), seat("person", "Ben")],
    options: {},
    commitment: "00",
    first: 0,
    proof: null,
    ...change,
  };
}

export function play(phase: Play["phase"], to_act: number[], active = 0, thrown: string | null = "41 3625"): Play {
  const open = [
    { move: "-", effects: {} },
    { move: "R5", effects: { skips: 3 } },
  ];
  const moves = Object.fromEntries(to_act.map((one) => [String(one), open]));
  const result = { totals: [0, 0], rows: [], over: false, winners: null, reason: null };
  const dice = phase === "roll" ? null : thrown;
  const [panels, left] = [[], null];
  return { active, phase, dice, in_play: "RYGB", panels, left, thrown: 0, to_act, moves, result, deadline: null, opened: 0, digest: null };
}

export function welcome(change: Partial<Welcome> = {}): Welcome {
  return {
    type: "welcome",
    number: 10,
    now: 5000,
    table: table(),
    play: play("white", [0, 1]),
    chosen: [],
    yours: [0],
    creator: true,
    mine: {},
    here: [true, true],
    since: [null, null],
    missed: null,
    ...change,
  };
}
