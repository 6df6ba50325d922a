import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMON, EASTERN, FILES, POLISH, WESTERN } from "../typeface";

/** What the page's own words are made of: its catalogues and the rules of its games, in each language. */
const folder = new URL("../src/", import.meta.url);
const files = readdirSync(folder, { recursive: true }).map(String);
const words = files.filter((file) => /(languages\/|rules\.)[^/]*\.json$/.test(file));

test.each(words)("every letter of %s is in the face", (file) => {
  const text = new Set(readFileSync(new URL(file, folder), "utf8").replace(/[\n{}[\]\\_~`|^$\u{2000}-\u{200a}]/gu, ""));
  expect([...text].filter((letter) => !COMMON.includes(letter) && !POLISH.includes(letter))).toEqual([]);
});

test("only what is written in Polish needs the second file", () => {
  const others = words.filter((file) => !/\bpl\.json$/.test(file));
  const text = others.map((file) => readFileSync(new URL(file, folder), "utf8")).join("");
  expect([...POLISH].filter((letter) => text.includes(letter))).toEqual([]);
});

test.each(["Zoë", "Łukasz", "Żaneta", "Weiß", "Françoise", "Óscar Núñez", "João", "Chloé", "Hélène"])(
  "%s is written without further files",
  (name) => expect([...name].filter((letter) => !(COMMON + POLISH).includes(letter))).toEqual([]),
);

test.each(["Åse", "Bjørn", "Þóra", "Œuvrard", "Dvořák", "Gökçe Işıl", "Ștefan", "Jānis", "Győző", "Đorđe"])(
  "%s is written with them",
  (name) => expect([...name].filter((letter) => !(COMMON + POLISH + WESTERN + EASTERN).includes(letter))).toEqual([]),
);

/** The files of the style sheet with the letters that browsers take from them, in its order. */
const style = readFileSync(new URL("app.css", folder), "utf8");
const faces = [...style.matchAll(/@font-face \{[^}]*typeface\/([^"]*)"[^}]*unicode-range:([^;]*);/g)].map(([, name, range]) => ({
  name,
  ranges: range!.split(",").map((one) => one.trim().slice(2).split("-").map((end) => parseInt(end, 16))),
}));

test.each(FILES)("browsers look for a letter in the file that has it: $name", ({ name, text }) => {
  const takenFrom = (letter: string): string | undefined => {
    const code = letter.codePointAt(0)!;
    return faces.findLast(({ ranges }) => ranges.some(([low, high]) => code >= low! && code <= (high ?? low!)))?.name;
  };
  expect([...text].filter((letter) => takenFrom(letter) !== name)).toEqual([]);
});
