/** What is told before the table goes on: long enough to be read, no longer, and always of the step that is shown. */
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Listener } from "../src/live.svelte";
import type { GameView, Happened, Play } from "../src/messages";
import { actingSeat, EMPTY, hear, toRead, type News } from "../src/table";
import { toldWords } from "../src/telling";
import { Throwing } from "../src/throwing.svelte";
import { speakHere } from "./catalogue";
import { play, seat, table, welcome } from "./messages";

const NAMES = ["You", "Magpie", "Owl"];
const game = { cost: 5 } as GameView;
vi.mock("../src/picture", () => ({ rowOf: (_: unknown, move: string) => move[0] }));

const seats = [seat("person", "Ana"), seat("bot"), seat("bot")];
const closed = (rows: string, at: Play): Play => ({ ...at, panels: [{ closed: rows } as unknown as Play["panels"][0]] });
const ONLY = { why: "only" as const };
const FAILS = { revealed: { "0": "-" }, effects: { "0": { failed: 1 } } };

/** A table that one sits at, or watches; and what happens there, group by group, each with the game after it. */
function sit(now: Play, yours = [0], calm = true) {
  const listeners = new Set<Listener>();
  const first = hear(EMPTY, welcome({ table: table({ seats }), play: now.panels.length ? now : closed("", now), yours }), undefined, 0);
  const live = { state: first, listen: (one: Listener) => (listeners.add(one), () => listeners.delete(one)) };
  const shown = new Throwing(live, () => calm, toRead);
  const told: News[] = [];
  shown.listen((...news) => told.push(news));
  function happen(after: Play, ...events: Partial<Happened>[]): void {
    const before = live.state;
    const over = after.phase === "over" ? { table: table({ seats, status: "over" }) } : {};
    const whole = events.map((one, i): Happened => {
      const last = i === events.length - 1 ? { play: after.panels.length ? after : closed("", after), ...over } : {};
      return { type: "event", number: before.number + 1 + i, at: 0, kind: "chose", ...last, ...one };
    });
    live.state = whole.reduce((state, event) => hear(state, event, undefined, 0), before);
    for (const one of listeners) one(whole, before, live.state);
  }
  return { live, shown, told, happen };
}

type Sat = ReturnType<typeof sit>;
const words = ({ shown }: Sat): string => (shown.told ? toldWords(shown.told, game, NAMES) : "");
const step = ({ active, phase }: Play): string => `${active} ${phase}`;
const stepOf = ({ shown }: Sat): string => step(shown.state.play!);
/** Whose frame, whose head, which action; and nobody can do anything meanwhile. */
function present({ shown }: Sat): string {
  expect(shown.settled, "nobody acts").toBe(shown.told === null);
  return step(shown.state.play!);
}

beforeAll(() => speakHere("en"));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const OVER = play("over", [], 1);
/** Before, what happens, and after it: what is told, and in which step. */
const CASES: [string, Play, Play, Partial<Happened>[], string, string][] = [
  ["a pass in another's turn, whose next is mine", play("white", [0, 1], 1), play("roll", [], 0),
    [{ seat: 0, ...ONLY, chosen: [], revealed: { "0": "-", "1": "R5" } }], "Nothing fits: you pass", "1 white"],
  ["a pass as they have just thrown", play("roll", [], 1), play("white", [1, 2], 1),
    [{ kind: "rolled", seat: 1, dice: "11 1111" }, { seat: 0, ...ONLY, chosen: [0] }], "Nothing fits: you pass", "1 white"],
  ["whites that fit nowhere, all at once, before my colour action", play("roll", [], 0), play("colour", [0], 0),
    [{ kind: "rolled", seat: 0, dice: "11 1111" }, { seat: 0, ...ONLY, chosen: [], revealed: { "0": "-" } }],
    "Nothing fits: you pass", "0 white"],
  ["a throw where nothing fits anybody", play("roll", [], 0), play("roll", [], 1),
    [{ kind: "rolled", seat: 0, dice: "11 1111" }, { seat: 0, ...ONLY, chosen: [], ...FAILS }],
    "Nothing fits: failed throw −5", "0 colour"],
  ["a colour action in which nothing fits, after my cross", play("white", [0], 0), play("roll", [], 1),
    [{ seat: 0, chosen: [], revealed: { "0": "B9" } }, { seat: 0, ...ONLY, chosen: [], revealed: { "0": "-" } }],
    "Nothing fits: you pass", "0 colour"],
  ["the same after I passed", play("white", [0, 1], 0), play("roll", [], 1),
    [{ seat: 1, chosen: [], revealed: { "0": "-", "1": "-" } }, { seat: 0, ...ONLY, chosen: [], ...FAILS }],
    "Nothing fits: failed throw −5", "0 colour"],
  ["the same alone, whose next throw is one's own again", play("colour", [0], 0), play("roll", [], 0),
    [{ seat: 0, ...ONLY, chosen: [], ...FAILS }], "Nothing fits: failed throw −5", "0 colour"],
  ["a row that I closed with somebody, before my colour action", play("white", [0, 1], 0), closed("G", play("colour", [0], 0)),
    [{ seat: 1, chosen: [], revealed: { "1": "G2", "0": "G2" }, effects: { "0": { closes: 1 }, "1": { closes: 1 } } }],
    "You and Magpie closed green", "0 white"],
  ["a row that others closed as nothing fitted me", play("white", [1, 2], 1), closed("G", play("roll", [], 0)),
    [{ seat: 0, ...ONLY, chosen: [], revealed: { "0": "-", "1": "G2", "2": "G2" }, effects: { "1": { closes: 1 }, "2": { closes: 1 } } }],
    "Magpie and Owl closed green", "1 white"],
  ["the second row", closed("G", play("colour", [1], 1)), closed("GB", OVER),
    [{ seat: 1, chosen: [], revealed: { "1": "B2" }, effects: { "1": { closes: 1 } } }], "Magpie closed blue", "1 colour"],
  ["another's last failed throw", play("roll", [], 1), OVER,
    [{ kind: "rolled", seat: 1, dice: "11 1111" }, { seat: 1, ...ONLY, chosen: [], revealed: { "1": "-" }, effects: { "1": { failed: 1 } } }],
    "Magpie: failed throw −5", "1 colour"],
  ["my last failed throw", play("roll", [], 0), { ...OVER, active: 0 },
    [{ kind: "rolled", seat: 0, dice: "11 1111" }, { seat: 0, ...ONLY, chosen: [], ...FAILS }],
    "Nothing fits: failed throw −5", "0 colour"],
  ["the last piece", play("white", [1], 1), OVER, [{ seat: 1, chosen: [], revealed: { "1": "B7" } }], "Magpie: blue 7", "1 white"],
];

/** What others do that one must not miss. */
const STRUCK: typeof CASES = [
  ["a throw that somebody else lost", play("colour", [1], 1), play("roll", [], 2),
    [{ seat: 1, why: "bot", chosen: [], revealed: { "1": "-" }, effects: { "1": { failed: 1 } } }],
    "Magpie: failed throw −5", "1 colour"],
  ["a piece of mine that was taken, in the white action", play("white", [1], 1), play("colour", [1], 1),
    [{ seat: 1, why: "bot", chosen: [], revealed: { "1": "Y10" }, effects: { "1": { captures: 1 } } }],
    "Magpie: yellow 10, captures a piece", "1 white"],
  ["a piece that was taken as they had just thrown", play("roll", [], 1), play("roll", [], 0),
    [{ kind: "rolled", seat: 1, dice: "46 1111" }, { seat: 1, chosen: [], revealed: { "1": "Y10" }, effects: { "1": { captures: 1 } } },
      { seat: 1, chosen: [], revealed: { "1": "-" } }],
    "Magpie: yellow 10, captures a piece", "1 colour"],
];

describe("what others do", () => {
  it.each(STRUCK)("is told for a glance: %s", (_, before, after, events, said, at) => {
    const sat = sit(before);
    sat.happen(after, ...events);
    expect([words(sat), present(sat)]).toEqual([said, at]);
    vi.advanceTimersByTime(1199);
    expect(words(sat)).toBe(said);
    vi.advanceTimersByTime(1);
    expect([words(sat), present(sat)]).toEqual(["", step(after)]);
  });

  it("is not told of what one does oneself", () => {
    const sat = sit(play("white", [0], 0));
    sat.happen(play("colour", [0], 0), { seat: 0, chosen: [], revealed: { "0": "Y10" }, effects: { "0": { captures: 1 } } });
    expect([words(sat), present(sat)]).toEqual(["", "0 colour"]);
  });
});

describe("step by step", () => {
  const throws = { kind: "rolled" as const, seat: 1, dice: "22 2222", at: 10_000 };
  const chooses = (move: string, at: number): Partial<Happened> => ({ seat: 1, chosen: [], revealed: { "1": move }, at });

  it("comes what happened while dice were in the air, as far apart as it was made", () => {
    const sat = sit(play("roll", [], 1), [0], false);
    sat.happen(play("white", [1], 1, "22 2222"), throws);
    sat.happen(play("colour", [1], 1, "22 2222"), chooses("R4", 10_800));
    sat.happen(play("roll", [], 0), chooses("G8", 11_600));
    vi.advanceTimersByTime(1000);
    expect([sat.shown.lies, stepOf(sat)], "the dice lie").toEqual([true, "1 white"]);
    vi.advanceTimersByTime(599);
    expect(stepOf(sat)).toBe("1 colour");
    vi.advanceTimersByTime(600);
    expect([sat.shown.settled, stepOf(sat)]).toEqual([true, "0 roll"]);
  });

  it("comes at once where it was made at once, where it is one's own, and at a tap", () => {
    const quick = sit(play("roll", [], 1), [0], false);
    quick.happen(play("white", [1], 1, "22 2222"), throws);
    quick.happen(play("roll", [], 0), chooses("R4", 10_003), chooses("G8", 10_004));
    vi.advanceTimersByTime(1000);
    expect([quick.shown.settled, stepOf(quick)]).toEqual([true, "0 roll"]);

    const mine = sit(play("white", [0], 0), [0], false);
    mine.happen(play("colour", [0], 0), { seat: 0, chosen: [], revealed: { "0": "R4" }, at: 10_000 });
    mine.happen(play("roll", [], 1), { seat: 0, chosen: [], revealed: { "0": "R5" }, at: 10_400 });
    expect([mine.shown.settled, stepOf(mine)]).toEqual([true, "1 roll"]);

    const tapped = sit(play("roll", [], 1), [0], false);
    tapped.happen(play("white", [1], 1, "22 2222"), throws);
    tapped.happen(play("colour", [1], 1, "22 2222"), chooses("R4", 10_800));
    tapped.shown.finish();
    expect(stepOf(tapped), "the dice lie").toBe("1 white");
    tapped.shown.finish();
    expect([tapped.shown.settled, stepOf(tapped)]).toEqual([true, "1 colour"]);
  });
});

describe("before the table goes on", () => {
  it.each(CASES)("is told: %s", (_, before, after, events, said, at) => {
    const sat = sit(before);
    sat.happen(after, ...events);
    expect(words(sat)).toBe(said);
    expect(present(sat)).toBe(at);
    expect(sat.shown.state.table?.status, "the end comes after it").toBe("playing");
    expect(sat.shown.state.play?.panels, "what was done lies there").toEqual(sat.live.state.play?.panels);
    vi.advanceTimersByTime(1499);
    expect(present(sat), "it can be read").toBe(at);
    vi.advanceTimersByTime(1001);
    expect(words(sat), "and then it is gone").toBe("");
    expect(present(sat)).toBe(step(after));
    expect(sat.shown.state).toBe(sat.live.state);
  });

  it.each(CASES)("is over at a tap: %s", (_, before, after, events) => {
    const sat = sit(before);
    sat.happen(after, ...events);
    sat.shown.finish();
    expect([words(sat), present(sat)]).toEqual(["", step(after)]);
    vi.advanceTimersByTime(5000);
    expect(sat.shown.state).toBe(sat.live.state);
  });

  it("those who watch are told what concerns all, and nothing of seats that are not theirs", () => {
    for (const [, before, after, events, said] of CASES) {
      const sat = sit(before, []);
      sat.happen(after, ...events);
      expect(words(sat) !== "", said).toBe(after.phase === "over" || after.panels.length > 0);
    }
  });

  it("nothing is told of what needs no words: the table goes on at once", () => {
    const sat = sit(play("white", [0, 1], 1));
    sat.happen(play("roll", [], 0), { seat: 1, chosen: [], revealed: { "0": "R5", "1": "-" } });
    expect([words(sat), present(sat)]).toEqual(["", "0 roll"]);
  });
});

describe("what happens meanwhile", () => {
  const [, before, after, events] = CASES[3]!;
  const theirs = { kind: "rolled" as const, seat: 1, dice: "22 2222" };

  it("waits, and then comes in its order: the next throw is in the air after that", () => {
    const sat = sit(before, [0], false);
    sat.happen(after, ...events);
    expect(sat.shown.lies).toBe(false);
    vi.advanceTimersByTime(1000);
    expect(words(sat)).toBe("Nothing fits: failed throw −5");
    sat.happen(play("white", [0, 1], 1, "22 2222"), theirs);
    expect([present(sat), sat.shown.state.dice]).toEqual(["0 colour", "11 1111"]);
    vi.advanceTimersByTime(2400);
    expect([words(sat), sat.shown.lies, sat.shown.state.dice]).toEqual(["", false, "22 2222"]);
    vi.advanceTimersByTime(1000);
    expect(present(sat)).toBe("1 white");
    expect(actingSeat(sat.shown.state)).toBe(0);
  });

  it("is caught up with where it comes fast: what is told can just be read, and nothing else is waited for", () => {
    const sat = sit(before, [0], false);
    sat.happen(after, ...events);
    sat.shown.finish(); // the dice lie
    for (const [dice, next] of [["22 2222", 2], ["33 3333", 1], ["44 4444", 2]] as const)
      sat.happen(play("roll", [], next), { ...theirs, dice }, { seat: 0, ...ONLY, chosen: [], revealed: { "0": "-" } });
    sat.happen(play("white", [0, 1, 2], 2, "55 5555"), { ...theirs, seat: 2, dice: "55 5555" });
    vi.advanceTimersByTime(1599);
    expect(words(sat)).toBe("Nothing fits: failed throw −5");
    vi.advanceTimersByTime(1);
    expect([words(sat), sat.shown.lies], "of the last turn").toEqual(["Nothing fits: you pass", true]);
    vi.advanceTimersByTime(1800);
    expect([words(sat), sat.shown.lies, sat.shown.state.dice]).toEqual(["", false, "55 5555"]);
    vi.advanceTimersByTime(1000);
    expect(present(sat)).toBe("2 white");
  });

  it("is heard in the same order: what was told, and once it is read, whose turn it is", () => {
    const sat = sit(before);
    const turns = (): string[] => sat.told.map(([, , now]) => step(now.play!));
    sat.happen(after, ...events);
    expect(turns()).toEqual(["0 colour"]);
    expect(sat.told[0]![0].map((one) => one.kind)).toEqual(["rolled", "chose"]);
    vi.advanceTimersByTime(2500);
    expect(turns()).toEqual(["0 colour", "1 roll"]);
    expect(sat.told[1]![0], "nothing is said twice").toEqual([]);
  });
});
