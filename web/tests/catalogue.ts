/** The page's words without a browser: the catalogues are read from their files. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { vi } from "vitest";
import { speak } from "../src/language.svelte";

/** Something that speaks, with catalogues to be had. */
export async function withWords(speaking: () => Promise<void>): Promise<void> {
  const words = (url: string): string =>
    readFileSync(join(import.meta.dirname, "../src/languages", basename(url)), "utf8");
  vi.stubGlobal("fetch", async (url: string) => ({ ok: true, json: async () => JSON.parse(words(url)) as unknown }));
  vi.stubGlobal("document", { documentElement: {} });
  try {
    await speaking();
  } finally {
    vi.unstubAllGlobals();
  }
}

export const speakHere = (language: string): Promise<void> => withWords(() => speak(language));
