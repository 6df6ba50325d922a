/** The page's words, in the reader's language. One JSON catalogue a language; plural forms by the browser's Intl. */

export type Text = string | Record<string, string>;
export type Catalogue = Record<string, Text>;
export type Params = Record<string, string | number>;

const urls = import.meta.glob<string>("./languages/??.json", { eager: true, query: "?url", import: "default" });

/** Every language by its own name. */
export const LANGUAGES: Record<string, string> = {
  en: "English",
  pt: "Português",
  es: "Español",
  pl: "Polski",
  de: "Deutsch",
};

let catalogue = $state.raw<Catalogue>({});
let current = $state("en");

export const language = (): string => current;

/** The first of the wanted languages that there is. */
export function bestLanguage(wanted: readonly (string | null | undefined)[]): string {
  for (const one of wanted) {
    const short = one?.toLowerCase().split("-")[0] ?? "";
    if (short in LANGUAGES) return short;
  }
  return "en";
}

/** Where the present language's words are. */
export const catalogueUrl = (): string => urls[`./languages/${current}.json`] ?? "";

async function words(url: string | undefined): Promise<Catalogue> {
  const answer = url ? await fetch(url) : null;
  if (!answer?.ok) throw new Error(`no words at ${url}`);
  return (await answer.json()) as Catalogue;
}

/** Where the words are, by language; those that only some screens say come with them. */
const sources: ((chosen: string) => string | undefined)[] = [(chosen) => urls[`./languages/${chosen}.json`]];
let speaking: Promise<void> = Promise.resolve();

export function speak(chosen: string): Promise<void> {
  speaking = Promise.all(sources.map((source) => words(source(chosen)))).then((all) => {
    catalogue = Object.assign({}, ...all) as Catalogue;
    current = chosen;
    document.documentElement.lang = chosen;
  });
  return speaking;
}

let adding: Promise<void> = Promise.resolve();

/** From now on also the words of a catalogue that comes with the screens that say them; one after the other. */
export function speakAlso(source: (chosen: string) => string | undefined): Promise<void> {
  const added = adding.then(async () => {
    await speaking;
    await words(source(current)); // if they cannot be had, all stays as it was
    sources.push(source);
    await speak(current);
  });
  adding = added.catch(() => undefined);
  return added;
}

/** A text by its key, with its gaps filled. `n` chooses the plural form. */
export function t(key: string, params: Params = {}): string {
  return fill(catalogue, current, key, params);
}

/** Whether there is such a text. */
export const says = (key: string): boolean => key in catalogue;

export function fill(words: Catalogue, lang: string, key: string, params: Params): string {
  const text = words[key];
  if (text === undefined) return key;
  const form =
    typeof text === "string"
      ? text
      : (text[new Intl.PluralRules(lang).select(Number(params["n"]))] ?? text["other"] ?? key);
  return form.replace(/\{(\w+)\}/g, (gap, name: string) => shown(params[name]) ?? gap);
}

/** A text in pieces: plain ones, and the fields that stand in its gaps. */
export function parts(
  key: string,
  params: Params,
  fields: Record<string, string>,
): { text?: string; field?: string }[] {
  return t(key, params)
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((piece) => {
      const field = fields[piece.slice(1, -1)];
      return field !== undefined && piece.startsWith("{") ? { field } : { text: piece };
    });
}

/** Names one after the other, as one says it: `Ana, Ben and Cleo`. */
export function list(names: string[]): string {
  return new Intl.ListFormat(current, { type: "conjunction" }).format(names);
}

/** A while, in whole minutes if it is a long one. */
export function lasting(seconds: number): string {
  const [n, unit] = seconds > 90 ? [Math.ceil(seconds / 60), "minute"] : [seconds, "second"];
  return new Intl.NumberFormat(current, { style: "unit", unit, unitDisplay: "short" }).format(n);
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** How long ago it was, in the largest unit that fits: `2 hours ago`, `yesterday`, `now`. */
export function ago(at: number, now = Date.now()): string {
  const seconds = Math.max(0, (now - at) / 1000);
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ["second", Infinity];
  return new Intl.RelativeTimeFormat(current, { numeric: "auto" }).format(-Math.floor(seconds / size) || 0, unit);
}

/** A field in words, for those who listen: `red 6`. */
export function fieldName(move: string): string {
  return move === "-" ? t("move.pass") : t("move.field", { colour: t(`colour.${move[0]}`), number: move.slice(1) });
}

function shown(value: string | number | undefined): string | undefined {
  return typeof value === "number" ? signed(value) : value;
}

/** Points with their sign: a real minus. */
export function signed(points: number): string {
  return points < 0 ? `−${-points}` : String(points);
}
