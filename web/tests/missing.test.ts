/** Whom the table waits for in vain. */
import { expect, it } from "vitest";
import { missing } from "../src/missing";
import { EMPTY, hear, type TableState } from "../src/table";
import { play, seat, table, welcome } from "./messages";

const BOTH = [seat("person", "Ana"), seat("person", "Ben")];
/** All wait for one of them to throw, since nought. */
function waiting(active: number, seats = BOTH): TableState {
  const told = { table: table({ seats, options: { idle: 120 } }), play: play("roll", [active], active), now: 0 };
  return hear(EMPTY, welcome(told), undefined, 0);
}

it("is told of somebody who is here only when a bot may soon play", () => {
  expect(missing(waiting(1), 60_000)).toBeNull();
  expect(missing(waiting(1), 100_000)).toEqual({ seat: 1, seconds: 20 });
  expect(missing(waiting(1), 130_000)).toEqual({ seat: 1, seconds: 0 });
});

it("is told to whoever keeps the others waiting, if there are others", () => {
  expect(missing(waiting(0), 60_000)).toBeNull();
  expect(missing(waiting(0), 100_000)).toEqual({ seat: 0, seconds: 20 });
  expect(missing(waiting(0, [seat("person", "Ana"), seat("bot")]), 100_000)).toBeNull();
});
