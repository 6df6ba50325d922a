import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMON, NAMES, POLISH } from "../typeface";

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

test.each(["Zoë", "Łukasz", "Żaneta", "Weiß", "Françoise", "Óscar Núñez", "João", "Åse", "Bjørn", "Chloé", "Þóra", "Œuvrard"])(
  "%s is written without the third file",
  (name) => expect([...name].filter((letter) => !COMMON.includes(letter) && !POLISH.includes(letter))).toEqual([]),
);

test.each(["Dvořák", "Šárka", "Gökçe", "Işıl", "Ștefan", "Jānis", "Győző", "Đorđe"])(
  "%s is written with it",
  (name) => expect([...name].filter((letter) => !(COMMON + POLISH + NAMES).includes(letter))).toEqual([]),
);
