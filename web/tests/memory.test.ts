/** What the browser remembers of how somebody likes to play. */
import { beforeEach, describe, expect, it } from "vitest";
import { bestAfter, company, hasFinished, keep, levelFor, rememberPromise, usualLevel } from "../src/memory";

describe("the level for a game that not every bot can play", () => {
  const all = ["random", "novice", "greedy", "club", "master"];

  it("is the chosen one, or the strongest below it", () => {
    expect(levelFor("greedy", all, ["random", "greedy"])).toBe("greedy");
    expect(levelFor("master", all, ["random", "greedy"])).toBe("greedy");
    expect(levelFor("novice", all, ["random", "greedy"])).toBe("random");
  });

  it("is the weakest there is, where none is below", () => {
    expect(levelFor("random", all, ["greedy", "club"])).toBe("greedy");
    expect(levelFor("unheard-of", all, ["greedy", "club"])).toBe("greedy");
    expect(levelFor("random", all, [])).toBe("");
  });
});

describe("the level to begin with", () => {
  beforeEach(() => keep({ company: [] }));

  it("is a friendly one for a newcomer, not the strongest", () => {
    expect(usualLevel(["random", "novice", "greedy", "club", "expert", "master"])).toBe("greedy");
    expect(usualLevel(["random", "greedy"])).toBe("greedy");
  });

  it("is in the middle of another ladder, rather lower than higher", () => {
    expect(usualLevel(["one", "two", "three"])).toBe("two");
    expect(usualLevel(["one", "two", "three", "four"])).toBe("two");
    expect(usualLevel(["one"])).toBe("one");
    expect(usualLevel([])).toBe("");
  });

  it("is the one chosen last, as long as there is such a level", () => {
    keep({ company: ["master"] });
    expect(usualLevel(["random", "greedy", "master"])).toBe("master");
    expect(usualLevel(["random", "greedy"])).toBe("greedy");
  });
});

describe("those who play along", () => {
  const all = ["random", "novice", "greedy", "club", "master"];
  beforeEach(() => keep({ company: [] }));

  it("are the chosen ones, the last one first, then their neighbours, the weaker first", () => {
    expect(company(["club", "random"], 1, all, all)).toEqual(["club"]);
    expect(company(["club", "random"], 2, all, all)).toEqual(["club", "random"]);
    expect(company(["club"], 4, all, all)).toEqual(["club", "greedy", "master", "novice"]);
    expect(company([], 2, all, all)).toEqual(["greedy", "novice"]);
  });

  it("can play the game, and come twice where there are too few of them", () => {
    expect(company(["master"], 1, all, ["random", "greedy"])).toEqual(["greedy"]);
    expect(company(["master"], 3, all, ["random", "greedy"])).toEqual(["greedy", "random", "greedy"]);
    expect(company(["master"], 2, all, [])).toEqual([]);
  });
});

it("keeps the best round of each game, and of equal ones the first", () => {
  const round = (points: number, number: number) => ({ points, table: "a".repeat(20), round: number });
  expect(bestAfter("classic", round(80, 1))).toEqual(round(80, 1));
  expect(bestAfter("classic", round(96, 2))).toEqual(round(96, 2));
  expect(bestAfter("classic", round(96, 3))).toEqual(round(96, 2));
  expect(bestAfter("mixed-a", round(70, 4))).toEqual(round(70, 4));
});

describe("a round played to its end", () => {
  it("is known by what was told of it in the end", () => {
    const promise = { table: "t", round: 1, commitment: "c", end: "e", given: {} };
    expect(hasFinished()).toBe(false);
    rememberPromise(promise);
    expect(hasFinished(), "it is still being played").toBe(false);
    rememberPromise({ ...promise, digest: "d" });
    expect(hasFinished()).toBe(true);
  });
});
