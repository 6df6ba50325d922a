/** Every text in every language, and no text that nobody says. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bestLanguage, fill, LANGUAGES, lasting, type Catalogue, type Text } from "../src/language.svelte";

const SOURCE = join(import.meta.dirname, "../src");
const codes = Object.keys(LANGUAGES);
const read = (path: string): unknown => JSON.parse(readFileSync(join(SOURCE, path), "utf8"));
/** With the words that come only with some screens. */
const catalogues = Object.fromEntries(
  codes.map((code) => {
    const parts = readdirSync(join(SOURCE, "languages")).filter((name) => name.endsWith(`.${code}.json`));
    const all = [`${code}.json`, ...parts].map((name) => read(`languages/${name}`) as Catalogue);
    const keys = all.flatMap((one) => Object.keys(one));
    if (new Set(keys).size < keys.length) throw new Error("a text is in two catalogues");
    return [code, Object.assign({}, ...all) as Catalogue];
  }),
);
const english = catalogues["en"]!;
const gaps = (text: Text): string[] => {
  const forms = typeof text === "string" ? [text] : Object.values(text);
  return [...new Set(forms.flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort();
};

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? files(join(folder, entry.name))
      : /\.(svelte|ts)$/.test(entry.name)
        ? [join(folder, entry.name)]
        : [],
  );
}
const source = files(SOURCE)
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");
const quoted = new Set([...source.matchAll(/["`]([a-z]+(?:\.[A-Za-z_]+)+)["`]/g)].map((match) => match[1]!));
/** Keys with a part that is filled in, such as `colour.${colour}`, as patterns. */
const patterns = [...source.matchAll(/`([a-z]+\.[^`\s]*\$\{[^`]*)`/g)].map(
  (match) =>
    new RegExp(
      `^${match[1]!
        .replace(/\$\{[^}]*\}/g, "\u0000")
        .replace(/[.]/g, "\\.")
        .replace(/\u0000/g, "[\\w-]+")}$`,
    ),
);

describe.each(codes)("%s", (code) => {
  const catalogue = catalogues[code]!;

  it("has the texts of English, in its order, with its gaps", () => {
    expect(Object.keys(catalogue)).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(catalogue)) expect(gaps(text), key).toEqual(gaps(english[key]!));
  });

  it("has the plural forms of its grammar, and no other", () => {
    const rules = new Intl.PluralRules(code);
    const needed = [...new Set(Array.from({ length: 201 }, (_, n) => rules.select(n)))].sort();
    for (const [key, text] of Object.entries(catalogue)) {
      expect(typeof text === "string", key).toBe(typeof english[key] === "string");
      if (typeof text !== "string") expect(Object.keys(text).sort(), key).toEqual(needed);
    }
  });

  it("leaves no text empty, and none in English by mistake", () => {
    const same = Object.entries(catalogue).filter(
      ([key, text]) => code !== "en" && typeof text === "string" && text === english[key] && / \w+ /.test(text),
    );
    expect(same).toEqual([]);
    for (const text of Object.values(catalogue))
      for (const form of typeof text === "string" ? [text] : Object.values(text)) expect(form.trim()).toBe(form);
  });
});

it("says no text that is missing", () => {
  const texts = [
    ...source.matchAll(/\bt\(\s*"([^"]+)"/g),
    ...source.matchAll(/<Say key="([^"]+)"/g),
    ...source.matchAll(/\? "([a-z]+\.[a-z]+)" : "([a-z]+\.[a-z]+)"/g),
  ];
  for (const match of texts) for (const key of match.slice(1)) expect(english, key).toHaveProperty([key!]);
});

it("has no text that is never said", () => {
  const unused = Object.keys(english).filter(
    (key) => !quoted.has(key) && !patterns.some((pattern) => pattern.test(key)),
  );
  expect(unused).toEqual([]);
});

it.each(codes)("calls out nothing at the end of a game but a win in %s", (code) => {
  const loud = Object.entries(catalogues[code]!).filter(([key, text]) => key.startsWith("end.") && /[!¡]/.test(JSON.stringify(text)));
  expect(loud.map(([key]) => key)).toEqual(["end.you"]);
});

it("counts in Polish as Poles do", () => {
  const words = [1, 2, 5, 12, 22, 25].map((n) => fill(catalogues["pl"]!, "pl", "clock.left", { n }));
  expect(words).toEqual(["1 sekunda", "2 sekundy", "5 sekund", "12 sekund", "22 sekundy", "25 sekund"]);
});

it("chooses the first language it has", () => {
  expect(bestLanguage([null, "fr-FR", "pl-PL", "de"])).toBe("pl");
  expect(bestLanguage(["pt-BR"])).toBe("pt");
  expect(bestLanguage(["fr", undefined])).toBe("en");
});

interface Rules {
  sections: { id: string; blocks: Record<string, unknown>[] }[];
}

describe.each(readdirSync(join(SOURCE, "games")))("the rules of %s", (game) => {
  const texts = codes.map((code) => read(`games/${game}/rules.${code}.json`) as Rules);
  const law = readFileSync(join(SOURCE, "../../docs/rules.md"), "utf8");
  const shape = (rules: Rules): unknown =>
    rules.sections.map(({ id, blocks }) => [
      id,
      blocks.map((block) => [
        Object.keys(block),
        block["board"],
        size(block["list"]),
        size((block["table"] as { rows: [] } | undefined)?.rows),
      ]),
    ]);
  const size = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
  const marks = (rules: Rules): string[] => (JSON.stringify(rules).match(/\{[RYGB]\d*\}|\([SCD]\d+\)/g) ?? []).sort();

  it("are the same in every language", () => {
    for (const text of texts) {
      expect(shape(text)).toEqual(shape(texts[0]!));
      expect(marks(text)).toEqual(marks(texts[0]!));
    }
  });

  /** Those of another sheet tell what is different, and where the rest is. */
  const others = texts[0]!.sections.flatMap((section) => section.blocks.flatMap((block) => block["more"] ?? [])) as {
    game: string;
  }[];

  it("tell all of the game, or where the rest is told", () => {
    for (const { game: other } of others) expect(readdirSync(join(SOURCE, "games"))).toContain(other);
  });

  it.skipIf(others.length)("name every rule of the game", () => {
    const letter = game[0]!.toUpperCase();
    const ids = new Set(law.match(new RegExp(`\\b[S${letter}]\\d+\\b`, "g")));
    expect(ids.size).toBeGreaterThan(15);
    for (const id of ids) expect(JSON.stringify(texts[0]), id).toContain(`(${id})`);
  });

  it("draw every example, and draw only examples", () => {
    const boards = texts[0]!.sections.flatMap((section) =>
      section.blocks.flatMap((block) => (block["board"] ? [block["board"]] : [])),
    );
    expect(boards.sort()).toEqual(Object.keys(read(`games/${game}/examples.json`) as object).sort());
  });
});

describe("a while", () => {
  it.each([
    [0, "0 sec"],
    [90, "90 sec"],
    [91, "2 min"],
    [3600, "60 min"],
  ])("of %i seconds is %s", (seconds, words) => expect(lasting(seconds)).toBe(words));
});
