/** What happens, in words: who is named, and who is spoken to. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { GameView, Happened, SeatView } from "../src/messages";
import { t } from "../src/language.svelte";
import { panel } from "../src/picture";
import { lateWords } from "../src/lateWords";
import type { Notice } from "../src/table";
import * as words from "../src/words";
import { calledNames, noticeWords, problemWords, seatNames, throwWords } from "../src/words";
import { speakHere, withWords } from "./catalogue";

const seat = (name: string, change: Partial<SeatView> = {}): SeatView => ({
  kind: "person",
  name,
  face: null,
  level: null,
  ready: true,
  stand_in: false,
  ...change,
});
const NAMES = ["Ana", "Ben"];
const COLOURS = ["R", "Y", "G", "B"];

beforeAll(() => speakHere("en"));

describe("a throw", () => {
  const threw = (of: number): Happened => ({
    type: "event",
    number: 11,
    at: 0,
    kind: "rolled",
    seat: of,
    dice: "41 3625",
  });

  it("is whose the event says, whoever has the turn by now", () => {
    expect(throwWords(threw(1), NAMES, [0], COLOURS)).toBe("Ben threw white 4 and 1, red 3, yellow 6, green 2, blue 5");
    expect(throwWords(threw(0), NAMES, [0], COLOURS)).toMatch(/^You threw white 4 and 1/);
    expect(throwWords(threw(0), NAMES, [0, 1], COLOURS), "several share the device").toMatch(/^Ana threw/);
  });
});

describe("in the grammar of each language", () => {
  it.each([
    ["en", "white 4 and 1, red 3, yellow 6, green 2, blue 5", "Play with the Fox and the Dragon"],
    ["de", "Weiß 4 und 1, Rot 3, Gelb 6, Grün 2, Blau 5", "Spielen mit dem Fuchs und dem Drachen"],
    ["es", "blancos 4 y 1, rojo 3, amarillo 6, verde 2, azul 5", "Jugar con el Zorro y el Dragón"],
    ["pt", "brancos 4 e 1, vermelho 3, amarelo 6, verde 2, azul 5", "Jogar com a Raposa e o Dragão"],
    ["pl", "białe 4 i 1, czerwona 3, żółta 6, zielona 2, niebieska 5", "Zagraj z Lisem i ze Smokiem"],
  ])("dice and animals are said in %s", async (language, dice, play) => {
    await speakHere(language);
    expect(words.diceWords("41 3625", COLOURS)).toBe(dice);
    expect(words.playWords(["club", "master"])).toBe(play);
    await speakHere("en");
  });

  it("dice and pieces are counted in Polish", async () => {
    await speakHere("pl");
    await withWords(() => lateWords("explore"));
    expect([1, 3, 5].map((n) => t("explore.pieces.0", { n }))).toEqual(["1 czarny", "3 czarne", "5 czarnych"]);
    expect(t("explore.coloured", { colour: t("die.R") })).toBe("czerwona kostka");
    await speakHere("en");
  });
});

describe("a field", () => {
  const { games } = JSON.parse(readFileSync(join(import.meta.dirname, "pictures.json"), "utf8")) as {
    games: GameView[];
  };
  const [classic, mixed] = ["classic", "mixed-a"].map((id) => games.find((game) => game.id === id)!) as [
    GameView,
    GameView,
  ];

  it("is named by its own colour and number, and by its row where that has another colour", () => {
    expect(words.moveName(classic, "G8")).toBe("green 8");
    expect(words.moveName(mixed, "G8")).toBe("green 8, Red row");
    expect(words.moveName(mixed, "R12")).toBe("red 12");
    expect(words.moveName(mixed, "-")).toBe("pass");
  });

  it("is named so on the board, and in the row without it", () => {
    const row = panel({ rows: [] }, mixed).strips[0]!;
    expect(words.cellName(row.cells[0]!, row)).toBe("yellow 2, Red row");
    expect(words.cellName(row.cells[0]!)).toBe("yellow 2");
    expect(words.cellName(row.cells[10]!, row)).toBe("red 12");
  });

  it("that was chosen is told with what it did", () => {
    expect(words.doneWords({ move: "B5", effects: { closes: 1 } }, mixed)).toBe("blue 5, Red row, closes the row");
    expect(words.doneWords({ move: "-", effects: { failed: 1 } }, mixed)).toBe("failed throw −5");
  });
});

describe("a game", () => {
  const game = (id: string): GameView => ({ id, title: "Its own name" }) as GameView;

  it("is called as people call it here, or by its own name", () => {
    expect(words.gameTitle(game("mixed-a"))).toBe("Qwixx · mixed colours");
    expect(words.sheetTitle(game("mixed-a"))).toBe("Mixed colours");
    expect(words.gameTitle(game("third"))).toBe("Its own name");
    expect(words.sheetTitle(game("third"))).toBe("Its own name");
  });
});

describe("a notice", () => {
  const said = (notice: Partial<Notice>, yours: number[]): string =>
    noticeWords({ kind: "only", seat: 0, failed: false, ...notice }, NAMES, yours, 5);

  it("speaks to the one who sits here, and names the one of several", () => {
    expect(said({}, [0])).toBe("Nothing fits: you pass");
    expect(said({}, [0, 1])).toBe("Nothing fits: Ana passes");
    expect(said({ kind: "clock" }, [0, 1])).toBe("Time is up: Ana passes");
    expect(said({ failed: true }, [0])).toBe("Nothing fits: failed throw −5");
    expect(said({ failed: true, seat: 1 }, [0, 1])).toBe("Nothing fits: failed throw for Ben, −5");
    expect(said({ kind: "begins" }, [0])).toBe("You begin: drawn by lot");
    expect(said({ kind: "begins" }, [])).toBe("Ana begins: drawn by lot");
    expect(said({ kind: "begins", thrown: true }, []), "not beside whose turn it is then").toBe("Ana began: drawn by lot");
    expect(said({ kind: "left" }, [1])).toBe("A bot plays on for Ana");
    expect(said({ kind: "returned" }, [1])).toBe("Ana is back");
    expect(said({ kind: "continues" }, [0])).toBe("The game goes on: your turn");
    expect(said({ kind: "continues" }, [])).toBe("The game goes on: Ana’s turn");
  });

  it("of a bot that could not go on names the bot that does, also for a person's seat", () => {
    for (const yours of [[], [0], [0, 1]])
      expect(said({ kind: "weakened", level: "greedy" }, yours)).toBe(
        "A bot could not go on: the Magpie takes its place",
      );
  });
});

describe("a name", () => {
  it("is the person's, also where a bot of some level stands in", () => {
    expect(
      seatNames([
        seat("Ana", { stand_in: true, level: "greedy" }),
        seat("", { kind: "bot", name: null, level: "greedy" }),
      ]),
    ).toEqual(["Ana", "Magpie"]);
  });

  it("is said to everybody in their own language where somebody has none", async () => {
    await speakHere("de");
    expect(seatNames([seat(words.NAMELESS), seat("Player One")])).toEqual(["Spieler", "Player One"]);
    expect(words.recordNames([words.NAMELESS, "bot:greedy", words.NAMELESS])).toEqual(["Spieler", "Elster", "Spieler 2"]);
    await speakHere("en");
    expect(seatNames([seat(words.NAMELESS)])).toEqual(["Player"]);
  });

  it("is You for oneself, unless several share the device", () => {
    expect(calledNames(NAMES, [1])).toEqual(["Ana", "You"]);
    expect(calledNames(NAMES, [0, 1])).toEqual(NAMES);
  });
});

it("tells every problem that a person can do something about in words of its own", async () => {
  await withWords(() => lateWords("hints")); // with which come the words about judging
  const refusals = readFileSync(join(import.meta.dirname, "../../src/qwixx/server/refusals.py"), "utf8");
  const codes = [...refusals.matchAll(/^ {4}"(\w+)": "/gm)].map((match) => match[1]!);
  expect(codes).toContain("unreadable");
  const faults = codes.filter((code) => problemWords(code) === problemWords("fault"));
  expect(faults, "the page's own mistakes, and what it mends by itself").toEqual([
    "bad_message",
    "bad_table",
    "stale",
    "no_hints",
    "closed",
    "blocked",
    "too_large",
    "foreign",
    "unknown_host",
  ]);
});
