/** What happens, in words: who is named, and who is spoken to. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Happened, SeatView } from "../src/messages";
import type { Notice } from "../src/table";
import { calledNames, noticeWords, problemWords, seatNames, throwWords } from "../src/words";
import { speakHere } from "./catalogue";

const seat = (name: string, change: Partial<SeatView> = {}): SeatView => ({ kind: "person", name, level: null, ready: true, stand_in: false, ...change });
const NAMES = ["Ana", "Ben"];
const COLOURS = ["R", "Y", "G", "B"];

beforeAll(() => speakHere("en"));

describe("a throw", () => {
  const threw = (of: number): Happened => ({ type: "event", number: 11, at: 0, kind: "rolled", seat: of, dice: "41 3625" });

  it("is whose the event says, whoever has the turn by now", () => {
    expect(throwWords(threw(1), NAMES, [0], COLOURS)).toBe("Ben threw white 4 and 1, red 3, yellow 6, green 2, blue 5");
    expect(throwWords(threw(0), NAMES, [0], COLOURS)).toMatch(/^You threw white 4 and 1/);
    expect(throwWords(threw(0), NAMES, [0, 1], COLOURS), "several share the device").toMatch(/^Ana threw/);
  });
});

describe("a notice", () => {
  const said = (notice: Partial<Notice>, yours: number[]): string => noticeWords({ kind: "only", seat: 0, failed: false, ...notice }, NAMES, yours, 5);

  it("speaks to the one who sits here, and names the one of several", () => {
    expect(said({}, [0])).toBe("Nothing fits: you pass");
    expect(said({}, [0, 1])).toBe("Nothing fits: Ana passes");
    expect(said({ kind: "clock" }, [0, 1])).toBe("Time is up: Ana passes");
    expect(said({ failed: true }, [0])).toBe("Nothing fits: failed throw −5");
    expect(said({ failed: true, seat: 1 }, [0, 1])).toBe("Nothing fits: failed throw for Ben, −5");
    expect(said({ kind: "begins" }, [0])).toBe("You begin: drawn by lot");
    expect(said({ kind: "begins" }, [])).toBe("Ana begins: drawn by lot");
  });

  it("of a bot that could not go on names the bot that does, also for a person's seat", () => {
    for (const yours of [[], [0], [0, 1]]) expect(said({ kind: "weakened", level: "greedy" }, yours)).toBe("A bot could not go on: the Magpie takes its place");
  });
});

describe("a name", () => {
  it("is the person's, also where a bot of some level stands in", () => {
    expect(seatNames([seat("Ana", { stand_in: true, level: "greedy" }), seat("", { kind: "bot", name: null, level: "greedy" })])).toEqual(["Ana", "Magpie"]);
  });

  it("is You for oneself, unless several share the device", () => {
    expect(calledNames(NAMES, [1])).toEqual(["Ana", "You"]);
    expect(calledNames(NAMES, [0, 1])).toEqual(NAMES);
  });
});

it("tells every problem that a person can do something about in words of its own", () => {
  const refusals = readFileSync(join(import.meta.dirname, "../../src/qwixx/server/refusals.py"), "utf8");
  const codes = [...refusals.matchAll(/^ {4}"(\w+)": "/gm)].map((match) => match[1]!);
  expect(codes).toContain("unreadable");
  const faults = codes.filter((code) => problemWords(code) === problemWords("fault"));
  expect(faults, "the page's own mistakes, and what it mends by itself").toEqual(["bad_message", "bad_table", "stale", "too_large", "foreign"]);
});
