/** The page's words without a browser: the catalogues are read from their files. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { vi } from "vitest";
import { speak } from "../src/language.svelte";

export async function speakHere(language: string): Promise<void> {
  const words = (url: string): string =>
    readFileSync(join(import.meta.dirname, "../src/languages", basename(url)), "utf8");
  vi.stubGlobal("fetch", async (url: string) => ({ ok: true, json: async () => JSON.parse(words(url)) as unknown }));
  vi.stubGlobal("document", { documentElement: {} });
  await speak(language);
  vi.unstubAllGlobals();
}
