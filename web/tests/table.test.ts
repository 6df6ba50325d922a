/** The headless table: messages in, state out. */
import { describe, expect, it } from "vitest";
import type { Command } from "../src/line";
import type { Chances, Happened, SeatView, Welcome } from "../src/messages";
import {
  actingSeat,
  canHurry,
  canWithdraw,
  EMPTY,
  hear,
  isMe,
  lastDone,
  movesOf,
  noticeOf,
  recalled,
  sealed,
  sending,
  turnsOf,
  waitedFor,
  type TableState,
} from "../src/table";
import { play, seat, table, welcome } from "./messages";

const event = (number: number, kind: Happened["kind"], change: Partial<Happened> = {}): Happened => ({
  type: "event",
  number,
  at: 0,
  kind,
  ...change,
});
const start = (change: Partial<Welcome> = {}): TableState => hear(EMPTY, welcome(change), undefined, 4000);
const choose = (move: string, id = "12345678", of = 0): Command => ({ do: "choose", id, seat: of, move, seen: 10 });

describe("hurrying", () => {
  const seats = [seat("person", "Ana"), seat("bot"), seat("bot")];
  const waits = (change: Partial<Welcome> = {}): TableState =>
    start({ table: table({ seats }), play: play("white", [0, 1, 2]), chosen: [0], ...change });

  it("is for those who wait for bots alone", () => {
    expect(canHurry(waits())).toBe(true);
    expect(canHurry(waits({ chosen: [] }))).toBe(false); // it is one's own turn
    expect(canHurry(waits({ chosen: [0, 1, 2] }))).toBe(false); // nobody is waited for
    expect(canHurry(waits({ yours: [] }))).toBe(false); // one only watches
  });

  it("hurries no person elsewhere, and nobody in whose place a bot stands", () => {
    expect(canHurry(waits({ table: table({ seats: [...seats, seat("person", "Ben")] }) }))).toBe(false);
    const replaced = { ...seats[0]!, stand_in: true };
    expect(canHurry(waits({ table: table({ seats: [replaced, ...seats.slice(1)] }) }))).toBe(false);
  });
});

describe("taking back", () => {
  const withdraw: Command = { do: "withdraw", id: "87654321", seat: 0, seen: 10 };
  const chosen = (): TableState => start({ chosen: [0], mine: { "0": "R5" } });
  const withdrew = (change: Partial<Happened> = {}): Happened =>
    event(11, "withdrew", { seat: 0, chosen: [], play: play("white", [0, 1]), ...change });

  it("opens one's own choice again once the server says so", () => {
    const asked = sending(chosen(), withdraw);
    expect(asked).toMatchObject({ mine: { "0": "R5" }, withdrawing: [0] });
    const state = hear(asked, withdrew({ id: withdraw.id }), withdraw, 0);
    expect(state).toMatchObject({ mine: {}, sent: {}, chosen: [], withdrawing: [] });
    expect(actingSeat(state)).toBe(0);
  });

  it("happens also where another tab asked for it", () => {
    expect(hear(chosen(), withdrew(), undefined, 0)).toMatchObject({ mine: {}, chosen: [] });
  });

  it("of somebody else leaves one's own choice", () => {
    const both = start({
      table: table({ seats: [seat("person"), seat("person"), seat("bot")] }),
      chosen: [0, 1],
      mine: { "0": "R5" },
    });
    expect(hear(both, withdrew({ seat: 1, chosen: [0] }), undefined, 0)).toMatchObject({
      mine: { "0": "R5" },
      chosen: [0],
    });
  });

  it("that comes too late changes nothing", () => {
    const refused = { type: "refused" as const, id: withdraw.id, code: "not_now", message: "", rule: null, number: 10 };
    expect(hear(sending(chosen(), withdraw), refused, withdraw, 0)).toEqual(chosen());
    const done = event(11, "chose", {
      seat: 1,
      chosen: [],
      revealed: { "0": "R5", "1": "-" },
      play: play("colour", [0]),
    });
    expect(hear(sending(chosen(), withdraw), done, undefined, 0)).toMatchObject({
      withdrawing: [],
      mine: {},
      done: { "0": [{ move: "R5" }] },
    });
  });

  it("is over when the line comes back and the choice is open again", () => {
    const back = hear(sending(chosen(), withdraw), welcome({ number: 11 }), undefined, 4000);
    expect(back).toMatchObject({ withdrawing: [], mine: {}, chosen: [] });
    const still = hear(sending(chosen(), withdraw), welcome({ chosen: [0], mine: { "0": "R5" } }), undefined, 4000);
    expect(still.withdrawing).toEqual([0]);
  });

  it("is offered only where it can be done", () => {
    expect(canWithdraw(chosen(), 0)).toBe(true);
    expect(canWithdraw(chosen(), 1)).toBe(false);
    expect(canWithdraw(start(), 0)).toBe(false);
    expect(canWithdraw(sending(chosen(), withdraw), 0)).toBe(false);
    const forced = start({ chosen: [0], mine: { "0": "-" }, play: play("white", [1]) });
    expect(canWithdraw(forced, 0)).toBe(false);
  });
});

describe("a welcome", () => {
  it("is the table as it is", () => {
    const state = start();
    expect(state).toMatchObject({ number: 10, yours: [0], ahead: 1000, dice: "41 3625", throws: 1, torn: false });
    expect(actingSeat(state)).toBe(0);
    expect(movesOf(state, 0).map((one) => one.move)).toEqual(["-", "R5"]);
  });

  it("again, with the same throw, throws no dice anew", () => {
    const again = hear(start(), welcome({ number: 12 }), undefined, 4000);
    expect(again).toMatchObject({ number: 12, throws: 1 });
  });

  it("brings one's own sealed choice back", () => {
    const state = start({ chosen: [0], mine: { "0": "R5" } });
    expect(state.mine).toEqual({ "0": "R5" });
    expect(actingSeat(state)).toBeNull();
    expect(waitedFor(state)).toEqual([1]);
  });
});

describe("a choice", () => {
  it("is shown when it is sent, and no longer asked for", () => {
    const state = sending(start(), choose("R5"));
    expect(state.sent).toEqual({ "0": "R5" });
    expect(actingSeat(state)).toBeNull();
  });

  it("is one's own sealed choice once it is confirmed", () => {
    const sent = choose("R5");
    const state = hear(sending(start(), sent), event(11, "chose", { id: sent.id, seat: 0, chosen: [0] }), sent, 0);
    expect(state).toMatchObject({ mine: { "0": "R5" }, sent: {}, chosen: [0] });
    expect(sealed(state)).toBe(true);
  });

  it("of somebody else tells who, not what", () => {
    const state = hear(start(), event(11, "chose", { seat: 1, chosen: [1] }), undefined, 0);
    expect(state).toMatchObject({ chosen: [1], mine: {}, done: {} });
    expect(actingSeat(state)).toBe(0);
  });

  it("that completes the action reveals all", () => {
    const done = event(11, "chose", {
      seat: 1,
      chosen: [],
      revealed: { "0": "R5", "1": "-" },
      play: play("colour", [0]),
    });
    const state = hear(start({ chosen: [0], mine: { "0": "R5" } }), done, undefined, 0);
    expect(state).toMatchObject({ done: { "0": [{ move: "R5" }], "1": [{ move: "-" }] }, mine: {}, chosen: [] });
    expect(actingSeat(state)).toBe(0);
  });

  it("that is refused is taken back", () => {
    const sent = choose("R5");
    const refused = { type: "refused" as const, id: sent.id, code: "stale", message: "", rule: null, number: 11 };
    expect(hear(sending(start(), sent), refused, sent, 0).sent).toEqual({});
  });
});

describe("what a choice did", () => {
  const reveal = (change: Partial<Happened>): Happened =>
    event(11, "chose", { seat: 0, chosen: [], play: play("roll", [], 1), ...change });
  const failing = { revealed: { "0": "-" }, effects: { "0": { failed: 1 } } };

  it("is what the server says of it, whatever moves were known before", () => {
    const state = hear(
      start({ play: play("roll", []) }),
      reveal({ revealed: { "0": "R5", "1": "Y9" }, effects: { "1": { skips: 7 } } }),
      undefined,
      0,
    );
    expect(state.done).toEqual({ "0": [{ move: "R5", effects: {} }], "1": [{ move: "Y9", effects: { skips: 7 } }] });
  });

  it("is told of an own seat that could only fail, until the next throw or until one does something again", () => {
    const state = hear(start(), reveal({ why: "only", ...failing }), undefined, 0);
    expect(state.notice).toEqual({ kind: "only", seat: 0, failed: true });
    expect(sending(state, choose("R5")).notice).toBeNull();
    const thrown = hear(
      state,
      event(12, "rolled", { dice: "66 1111", play: play("white", [0, 1], 1, "66 1111") }),
      undefined,
      0,
    );
    expect(thrown.notice, "nobody takes it for what they can do now, nor for the end of another's turn").toBeNull();
    const passed = hear(thrown, event(13, "chose", { seat: 0, why: "only", chosen: [0] }), undefined, 0);
    expect(passed.notice).toMatchObject({ kind: "only", failed: false });
  });

  it("is told when it was the clock's doing, and when it ends the game", () => {
    const last = reveal({ why: "clock", ...failing, table: table({ status: "over" }), play: play("over", []) });
    expect(hear(start(), last, undefined, 0).notice).toEqual({ kind: "clock", seat: 0, failed: true });
  });

  it("is not told of others, nor of what one chose oneself", () => {
    expect(hear(start(), reveal({ seat: 1, why: "only", revealed: { "1": "-" } }), undefined, 0).notice).toBeNull();
    expect(hear(start(), reveal(failing), choose("-"), 0).notice).toBeNull();
  });

  it("of a pass that costs nothing is told until the next throw", () => {
    const passed = hear(start(), event(11, "chose", { seat: 0, why: "only", chosen: [0] }), undefined, 0);
    expect(passed.notice).toEqual({ kind: "only", seat: 0, failed: false });
    expect(hear(passed, event(12, "rolled", { dice: "66 1111" }), undefined, 0).notice).toBeNull();
  });

  it("of a pass goes when the next action is one's own, where other things can be chosen", () => {
    const only = { seat: 0, why: "only" as const };
    const passed = hear(start(), event(11, "chose", { ...only, chosen: [0] }), undefined, 0);
    expect(passed.notice).toMatchObject({ kind: "only", failed: false });
    const reveal = { chosen: [], revealed: { "0": "-", "1": "-" }, play: play("colour", [0]) };
    expect(hear(passed, event(12, "chose", { seat: 1, ...reveal }), undefined, 0).notice).toBeNull();
    expect(
      hear(start(), event(11, "chose", { ...only, ...reveal }), undefined, 0).notice,
      "at once, if it was the last",
    ).toBeNull();
    const missed = [event(11, "chose", { ...only, chosen: [0] }), event(12, "chose", { seat: 1, ...reveal })];
    expect(
      hear(start(), welcome({ number: 12, play: play("colour", [0]), missed }), undefined, 0).notice,
      "after a broken line",
    ).toBeNull();
  });

  it("of a pass stays while somebody else chooses, and while one is to throw", () => {
    const only = event(11, "chose", {
      seat: 0,
      why: "only",
      chosen: [],
      revealed: { "0": "-" },
      play: play("colour", [1], 1),
    });
    expect(hear(start(), only, undefined, 0).notice).toMatchObject({ kind: "only" });
    expect(hear(start(), { ...only, play: play("roll", [], 0) }, undefined, 0).notice).toMatchObject({ kind: "only" });
    const ben = hear(start({ yours: [0, 1] }), event(11, "chose", { seat: 0, why: "only", chosen: [0] }), undefined, 0);
    expect(actingSeat(ben)).toBe(1);
    expect(ben.notice, "the same action, at one device").toMatchObject({ seat: 0 });
  });

  it("is told no longer when a bot goes on instead", () => {
    const failed = hear(start(), reveal({ why: "only", ...failing }), undefined, 0);
    expect(hear(failed, event(12, "replaced", { seat: 1 }), undefined, 0).notice?.failed).toBe(true);
    expect(hear(failed, event(12, "replaced", { seat: 0 }), undefined, 0).notice).toBeNull();
  });

  it("is told after a broken line too, and the throw that lies there is the last one", () => {
    const missed = [
      event(11, "rolled", { dice: "11 1111" }),
      event(12, "chose", { seat: 0, why: "only", chosen: [], ...failing }),
    ];
    const state = hear(start(), welcome({ number: 12, play: play("roll", [], 1), missed }), undefined, 0);
    expect(state).toMatchObject({
      dice: "11 1111",
      notice: { failed: true },
      done: { "0": [{ move: "-", effects: { failed: 1 } }] },
    });
  });
});

describe("who begins", () => {
  const begun = (seats: SeatView[], yours = [0]): TableState =>
    hear(
      start({ yours, table: table({ status: "gathering", seats }), play: null }),
      event(11, "started", { table: table({ seats, first: 1 }), play: play("roll", [], 1) }),
      undefined,
      0,
    );

  it("is whose turn it is where a game goes on from a position, also alone", () => {
    for (const seats of [[seat("person", "Ana"), seat("bot")], [seat("person", "Ana")]]) {
      const gathering = start({ yours: [0], table: table({ status: "gathering", seats }), play: null });
      const started = { table: table({ seats, first: 0, continued: true }), play: play("roll", [], 0) };
      const { notice } = hear(gathering, event(11, "started", started), undefined, 0);
      expect(notice).toEqual({ kind: "continues", seat: 0, failed: false });
    }
  });

  it("is told until one does something", () => {
    const state = begun([seat("person", "Ana"), seat("bot")]);
    expect(state.notice).toEqual({ kind: "begins", seat: 1, failed: false });
    expect(hear(state, event(12, "rolled", { dice: "66 1111" }), undefined, 0).notice?.kind).toBe("begins");
    expect(sending(state, choose("R5")).notice).toBeNull();
  });

  const thrown = (state: TableState): TableState =>
    hear(state, event(state.number + 1, "rolled", { dice: "66 1111" }), undefined, 0);
  const weakened = event(11, "weakened", { seat: 1, table: table({ seats: [seat("person", "Ana"), seat("bot")] }) });

  it.each([[[]], [[0]]])("is old news at the second throw, also for those who do nothing (%j)", (yours) => {
    for (const state of [
      begun([seat("person", "Ana"), seat("bot")], yours),
      hear(start({ yours }), weakened, undefined, 0),
    ]) {
      expect(thrown(state).notice?.kind).toBe(state.notice!.kind);
      expect(thrown(thrown(state)).notice).toBeNull();
    }
  });

  it("and who else has left or come back, if a bot plays on", () => {
    const seats = [seat("person", "Ana"), { ...seat("person", "Ben"), stand_in: true }];
    for (const kind of ["left", "replaced", "removed"] as const) {
      const gone = event(11, kind, { seat: 1, table: table({ seats }) });
      const state = hear(start(), gone, undefined, 0);
      expect(state.notice, kind).toEqual({ kind: "left", seat: 1, failed: false });
      expect(hear(state, event(12, "returned", { seat: 1 }), undefined, 0).notice?.kind).toBe("returned");
      expect(hear(start({ yours: [0, 1] }), gone, undefined, 0).notice, "of one's own seat it is told elsewhere").toBeNull();
      const gathering = { ...gone, table: table({ seats, status: "gathering" }) };
      expect(hear(start(), gathering, undefined, 0).notice, "nobody plays on").toBeNull();
    }
  });

  it("and which bot took over from one that failed", () => {
    expect(hear(start(), weakened, undefined, 0).notice).toEqual({
      kind: "weakened",
      seat: 1,
      failed: false,
      level: "greedy",
    });
    const standing = table({ seats: [{ ...seat("person", "Ana"), stand_in: true, level: "club" }, seat("bot")] });
    expect(hear(start(), { ...weakened, seat: 0, table: standing }, undefined, 0).notice).toMatchObject({
      kind: "weakened",
      level: "club",
    });
  });

  it("is known from the event, whatever else is told at the table", () => {
    const failed = { ...start(), notice: { kind: "only" as const, seat: 0, failed: true } };
    expect(hear(failed, weakened, undefined, 0).notice, "what cost points stays in sight").toMatchObject({
      failed: true,
    });
    expect(noticeOf(weakened, [0], failed.table)).toMatchObject({ kind: "weakened", level: "greedy" });
  });

  it("is no question for one alone", () => {
    expect(begun([seat("person", "Ana")]).notice).toBeNull();
  });
});

describe("a choice sent into a broken line", () => {
  const waiting = sending(start(), choose("R5"));

  it("is still on its way when the line is back", () => {
    const state = hear(waiting, welcome(), undefined, 0);
    expect(state.sent).toEqual({ "0": "R5" });
    expect(actingSeat(state)).toBeNull();
  });

  it("has arrived if the server knows of it", () => {
    expect(hear(waiting, welcome({ number: 11, chosen: [0], mine: { "0": "R5" } }), undefined, 0)).toMatchObject({
      sent: {},
      mine: { "0": "R5" },
    });
  });

  it("is forgotten if the table has gone on", () => {
    const state = hear(waiting, welcome({ number: 14, play: play("colour", [0]) }), undefined, 0);
    expect(state.sent).toEqual({});
    expect(actingSeat(state)).toBe(0);
  });
});

describe("a throw", () => {
  it("clears the last turn from the table", () => {
    const before = start({ play: play("roll", []) });
    const thrown = sending(before, { do: "roll", id: "12345678", seat: 0, seen: 10 });
    expect(thrown.throwing).toBe(true);
    const state = hear(
      thrown,
      event(11, "rolled", { dice: "66 1111", play: play("white", [0, 1], 0, "66 1111") }),
      undefined,
      0,
    );
    expect(state).toMatchObject({ dice: "66 1111", throws: 1, throwing: false, done: {}, chosen: [] });
  });
});

describe("events", () => {
  it("that come twice change nothing", () => {
    const state = start();
    expect(hear(state, event(10, "rolled", { dice: "11 1111" }), undefined, 0)).toBe(state);
  });

  it("that are missing are noticed", () => {
    expect(hear(start(), event(12, "rolled", { dice: "11 1111" }), undefined, 0).torn).toBe(true);
  });

  it("of sitting and leaving are one's own only by one's own command", () => {
    const sit: Command = { do: "sit", id: "12345678", name: "Ana" };
    const watcher = start({
      yours: [],
      table: table({ status: "gathering", seats: [seat("open"), seat("person", "Ben")] }),
      play: null,
    });
    expect(hear(watcher, event(11, "sat", { id: sit.id, seat: 0 }), sit, 0).yours).toEqual([0]);
    expect(hear(watcher, event(11, "sat", { seat: 0 }), undefined, 0).yours).toEqual([]);
    expect(hear(start(), event(11, "left", { seat: 0 }), { do: "leave", id: "12345678", seat: 0 }, 0).yours).toEqual(
      [],
    );
  });

  it("of a start move seats up into the places that fell away", () => {
    const seats = [seat("open"), seat("person", "Ben"), seat("open"), seat("person", "Ana")];
    const state = start({ yours: [3], table: table({ status: "gathering", seats }), play: null });
    expect(hear(state, event(11, "started", { table: table(), play: play("roll", []) }), undefined, 0).yours).toEqual([
      1,
    ]);
  });

  it("of a new round clear the old one", () => {
    const state = hear(
      start(),
      event(11, "committed", { table: table({ status: "gathering", round: 2 }) }),
      undefined,
      0,
    );
    expect(state).toMatchObject({ play: null, dice: null, done: {} });
  });
});

describe("several people at one device", () => {
  it("act in the order of the table, the active player first", () => {
    const seats = [seat("person", "Ana"), seat("person", "Ben"), seat("person", "Cleo")];
    let state = start({ yours: [0, 1, 2], table: table({ seats }), play: play("white", [0, 1, 2], 1) });
    expect(actingSeat(state)).toBe(1);
    state = sending(state, choose("R5", "12345678", 1));
    expect(actingSeat(state)).toBe(2);
    state = sending(state, choose("-", "22345678", 2));
    expect(actingSeat(state)).toBe(0);
  });

  it("are none of them simply oneself", () => {
    expect([isMe([1], 1), isMe([1], 0), isMe([0, 1], 1), isMe([], 0)]).toEqual([true, false, false, false]);
  });

  it("do not act where a bot stands in", () => {
    const seats = [{ ...seat("person", "Ana"), stand_in: true }, seat("person", "Ben")];
    expect(actingSeat(start({ table: table({ seats }) }))).toBeNull();
  });
});

describe("the log", () => {
  const threw = (number: number, seat: number): Happened =>
    event(number, "rolled", { seat, dice: "41 3625", play: play("white", [0, 1]) });
  const took = (number: number): Happened =>
    event(number, "chose", { seat: 1, revealed: { "0": "R5", "1": "-" }, chosen: [] });
  const after = (events: Happened[], state = start()): TableState =>
    events.reduce((known, one) => hear(known, one, undefined, 0), state);

  it("keeps throws and revealed choices, the newest turn first, and nothing that is sealed", () => {
    const state = after([threw(11, 0), event(12, "chose", { seat: 0, chosen: [0] }), took(13), threw(14, 1)]);
    expect(state.log.map((one) => one.number)).toEqual([11, 13, 14]);
    expect(state.log.some((one) => "play" in one)).toBe(false);
    const turns = turnsOf(state.log);
    expect(turns.map(({ seat, dice, throw: n }) => [seat, dice, n])).toEqual([
      [1, "41 3625", 2],
      [0, "41 3625", 1],
    ]);
    expect(turns[1]!.actions).toEqual([
      [
        [0, { move: "R5", effects: {} }],
        [1, { move: "-", effects: {} }],
      ],
    ]);
  });

  it("tells what somebody did last, until they do something else", () => {
    const chose = (number: number, move: string, effects = {}): Happened =>
      event(number, "chose", { seat: 1, revealed: { "1": move }, effects: { "1": effects }, chosen: [] });
    const last = (events: Happened[]): string[] => lastDone(after(events).log, 1).map((done) => done.move);
    const both = [threw(11, 1), chose(12, "R5"), chose(13, "B9")];
    expect(last([])).toEqual([]);
    expect(last(both)).toEqual(["R5", "B9"]);
    expect(last([...both, threw(14, 0)]), "the next throw lies").toEqual(["R5", "B9"]);
    expect(last([...both, threw(14, 0), chose(15, "-")]), "who passes has done that last").toEqual(["-"]);
    expect(last([...both, threw(14, 0), chose(15, "G3")])).toEqual(["G3"]);
    const failing = after([...both, threw(14, 1), chose(15, "-"), chose(16, "-", { failed: 1 })]);
    expect(lastDone(failing.log, 1).map((done) => done.effects)).toEqual([{}, { failed: 1 }]);
    expect(lastDone(failing.log, 0), "somebody else").toEqual([]);
  });

  it("is whole from the start of a round on, and otherwise when the server has told it", () => {
    const late = after([threw(11, 0)]);
    expect(late.logged).toBe(false);
    const whole = recalled(late, { round: 1, number: 12, events: [threw(3, 1), took(4), threw(11, 0), took(12)] });
    expect(whole.logged).toBe(true);
    expect(whole.log.map((one) => one.number)).toEqual([3, 4, 11, 12]);
    expect(
      after([took(12)], whole).log.map((one) => one.number),
      "heard after it was told",
    ).toEqual([3, 4, 11, 12]);
    expect(recalled(late, { round: 2, number: 1, events: [] }), "of another round").toBe(late);
    const next = after(
      [
        event(12, "committed", { table: table({ status: "gathering", round: 2 }) }),
        event(13, "started", { play: play("roll", []) }),
      ],
      late,
    );
    expect(next).toMatchObject({ log: [], logged: true });
  });

  it("goes on where the line broke, and is asked for again after too long", () => {
    const here = { ...after([threw(11, 0)]), logged: true };
    const back = hear(here, welcome({ number: 12, missed: [took(12)] }), undefined, 0);
    expect([back.logged, back.log.length]).toEqual([true, 2]);
    expect(hear(here, welcome({ number: 900 }), undefined, 0)).toMatchObject({ logged: false, log: [] });
  });
});

it("keeps the chances of a turn until the next are told, and no longer than one turn", () => {
  const told: Chances = { type: "chances", round: 1, turn: 4, win: [0.6, 0.4], points: [70, 61] };
  const rolled = (number: number): Happened => ({ type: "event", number, at: 0, kind: "rolled", seat: 0, dice: "41 3625", chosen: [] });
  let state = hear(hear(EMPTY, welcome({ yours: [] }), undefined, 0), told, undefined, 0);
  expect(state.chances?.told).toEqual(told);
  state = hear(state, rolled(11), undefined, 0);
  expect(state.chances?.told.turn).toBe(4);
  const next = hear(state, { ...told, turn: 5 }, undefined, 0);
  expect(hear(next, rolled(12), undefined, 0).chances?.told.turn).toBe(5);
  expect(hear(state, rolled(12), undefined, 0).chances).toBeNull();
  const over = hear(next, { type: "event", number: 12, at: 0, kind: "chose", table: { ...table(), status: "over" } }, undefined, 0);
  expect(over.chances).toBeNull();
  expect(hear(next, welcome({ yours: [] }), undefined, 0).chances).toBeNull();
});
