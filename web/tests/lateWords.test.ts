/** Words that come with the screens that say them. */
import { expect, it } from "vitest";
import { says, speak, t } from "../src/language.svelte";
import { lateWords } from "../src/lateWords";
import { placeWords } from "../src/review";
import { speakHere, withWords } from "./catalogue";

it("come once, in the language that is spoken, and change with it", async () => {
  await speakHere("de");
  expect(says("review.title")).toBe(false);
  await withWords(() => lateWords("study"));
  expect([t("review.title"), t("home.rules")]).toEqual(["Analyse", "So spielt man"]);
  await speakHere("pl");
  expect(t("review.title")).toBe("Analiza");
  await withWords(() => lateWords("study"));
  await speakHere("en");
  const at = { at: 5, from: 9, until: 10, turn: 2, x: 1.5 };
  expect([0, 1, 2].map((action) => placeWords({ ...at, action }))).toEqual([
    "Throw 2",
    "Throw 2 · White",
    "Throw 2 · Colour",
  ]);
  expect(placeWords({ ...at, turn: 0, action: 0 })).toBe("At the start");
});

it("leave all as it was where they cannot be had", async () => {
  await speakHere("en");
  await expect(withWords(() => speak("xx"))).rejects.toThrow();
  expect(t("review.title")).toBe("Review");
});
