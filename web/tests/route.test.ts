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
  [`/pl/table/${TABLE}/2/review`, "pl", { screen: "study", path: `table/${TABLE}/2/review` }],
  [`/table/${TABLE}/2/review/17`, null, { screen: "study", path: `table/${TABLE}/2/review/17` }],
  ["/de/mistakes", "de", { screen: "study", path: "mistakes" }],
  [`/mistakes/${TABLE}/3`, null, { screen: "study", path: `mistakes/${TABLE}/3` }],
  [`/mistakes/${TABLE}`, null, { screen: "nowhere" }],
  ["/es/rules/duel", "es", { screen: "rules", game: "duel", table: null }],
  [`/rules/classic/${TABLE}`, null, { screen: "rules", game: "classic", table: TABLE }],
  ["/rules/classic/elsewhere", null, { screen: "rules", game: "classic", table: null }],
  ["/explore/duel", null, { screen: "explore", game: "duel", code: null, from: null }],
  ["/de/explore/mixed-a/eyJ9", "de", { screen: "explore", game: "mixed-a", code: "eyJ9", from: null }],
  [
    `/explore/duel/eyJ9/${"a".repeat(20)}/2`,
    null,
    { screen: "explore", game: "duel", code: "eyJ9", from: { table: "a".repeat(20), round: 2, event: null } },
  ],
  [
    `/explore/duel/eyJ9/${"a".repeat(20)}/1/0`,
    null,
    { screen: "explore", game: "duel", code: "eyJ9", from: { table: "a".repeat(20), round: 1, event: 0 } },
  ],
  ["/new/classic", null, { screen: "new", game: "classic", device: false }],
  ["/pt/new/classic/device", "pt", { screen: "new", game: "classic", device: true }],
  ["/table/short", null, { screen: "nowhere" }],
  ["/xx/table", null, { screen: "nowhere" }],
])("%s", (path, lang, route) => {
  expect(read(path)).toEqual({ lang, route });
});
