/** Where the reader is: the address of the page, with its language. */
import { bestLanguage, language, LANGUAGES, speak } from "./language.svelte";
import type { Origin } from "./explore";
import { keep, settings } from "./memory";

export type Route =
  | { screen: "home" | "nowhere" }
  | { screen: "table"; table: string }
  /** A finished round, for whoever has its link. */
  | { screen: "finished"; table: string; round: number }
  /** What judges games; which of its screens it is, they know themselves. */
  | { screen: "study"; path: string }
  /** With the table from which they were opened. */
  | { screen: "rules"; game: string; table: string | null }
  | { screen: "learn"; game: string }
  /** Any position, as its link tells it, and the finished round from which one came. */
  | { screen: "explore"; game: string; code: string | null; from: Origin | null }
  | { screen: "new"; game: string; device: boolean };

/** The screens that judge games: a finished round, at an event if one is named; one's own mistakes, in all or in one. */
const STUDY = /^(table\/[a-z2-7]{20}\/[1-9]\d{0,5}\/review(\/\d{1,4})?|mistakes(\/[a-z2-7]{20}\/[1-9]\d{0,5})?)$/;

/** What stands behind a position. */
const ORIGIN = /^explore\/[^/]+\/[^/]+\/([a-z2-7]{20})\/([1-9]\d{0,5})(?:\/(\d{1,4}))?$/;

export function read(path: string): { lang: string | null; route: Route } {
  const pieces = path.split("/").filter(Boolean);
  const lang = pieces[0] && pieces[0] in LANGUAGES ? pieces.shift()! : null;
  const [screen, what, more] = pieces;
  if (!screen) return { lang, route: { screen: "home" } };
  const whole = pieces.join("/");
  if (STUDY.test(whole)) return { lang, route: { screen: "study", path: whole } };
  const isTable = (id: string | undefined): id is string => /^[a-z2-7]{20}$/.test(id ?? "");
  if (screen === "table" && isTable(what) && /^[1-9]\d{0,5}$/.test(more ?? ""))
    return { lang, route: { screen: "finished", table: what, round: Number(more) } };
  if (screen === "table" && isTable(what)) return { lang, route: { screen, table: what } };
  if (screen === "rules" && what) return { lang, route: { screen, game: what, table: isTable(more) ? more : null } };
  if (screen === "learn" && what) return { lang, route: { screen, game: what } };
  if (screen === "explore" && what) {
    const [, id, round, event] = ORIGIN.exec(whole) ?? [];
    const from = id ? { table: id, round: Number(round), event: event === undefined ? null : Number(event) } : null;
    return { lang, route: { screen, game: what, code: more ?? null, from } };
  }
  if (screen === "new" && what) return { lang, route: { screen, game: what, device: more === "device" } };
  return { lang, route: { screen: "nowhere" } };
}

let here = $state.raw(read(location.pathname).route);
export const route = (): Route => here;

/** The address of a screen in the present language. */
export const href = (path: string): string => `/${language()}${path === "/" ? "" : path}`;

export function go(path: string): void {
  history.pushState(null, "", href(path));
  arrive();
}

function arrive(): void {
  here = read(location.pathname).route;
  scrollTo(0, 0);
}

/** A click on one of our own links stays on the page. */
export function follow(event: MouseEvent): void {
  const link = (event.target as Element).closest("a[href]");
  if (
    !(link instanceof HTMLAnchorElement) ||
    link.origin !== location.origin ||
    link.target ||
    link.hasAttribute("download")
  )
    return;
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.hash) return;
  event.preventDefault();
  history.pushState(null, "", link.pathname);
  arrive();
}

/** Change the language and the address with it. */
export async function changeLanguage(chosen: string): Promise<void> {
  await speak(chosen);
  keep({ language: chosen });
  const rest = location.pathname.split("/").filter(Boolean);
  if (rest[0] && rest[0] in LANGUAGES) rest.shift();
  history.replaceState(null, "", `/${[chosen, ...rest].join("/")}${location.hash}`);
}

export async function begin(): Promise<void> {
  addEventListener("popstate", async () => {
    const { lang } = read(location.pathname);
    if (lang && lang !== language()) await speak(lang);
    arrive();
  });
  await speak(bestLanguage([read(location.pathname).lang, settings().language, ...navigator.languages]));
}
