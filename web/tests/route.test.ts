/** Addresses of the page. */
import { expect, it, vi } from "vitest";

vi.stubGlobal("location", { pathname: "/" });
const { read } = await import("../src/route.svelte");
const TABLE = "a".repeat(20);

it.each([
  ["/", null, { screen: "home" }],
  ["/pl", "pl", { screen: "home" }],
  [`/table/${TABLE}`, null, { screen: "table", table: TABLE }],
  [`/de/table/${TABLE}`, "de", { screen: "table", table: TABLE }],
  [`/es/table/${TABLE}/2`, "es", { screen: "finished", table: TABLE, round: 2 }],
  [`/table/${TABLE}/0`, null, { screen: "table", table: TABLE }],
  ["/es/rules/duel", "es", { screen: "rules", game: "duel", table: null }],
  [`/rules/classic/${TABLE}`, null, { screen: "rules", game: "classic", table: TABLE }],
  ["/rules/classic/elsewhere", null, { screen: "rules", game: "classic", table: null }],
  ["/new/classic", null, { screen: "new", game: "classic", device: false }],
  ["/pt/new/classic/device", "pt", { screen: "new", game: "classic", device: true }],
  ["/table/short", null, { screen: "nowhere" }],
  ["/xx/table", null, { screen: "nowhere" }],
])("%s", (path, lang, route) => {
  expect(read(path)).toEqual({ lang, route });
});
