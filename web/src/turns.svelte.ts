/** Whether one is awaited at another table: told in the title, and by the browser if one has asked for that. */
import { myTables } from "./api";
import { t } from "./language.svelte";
import { tables } from "./memory";
import type { MyTable } from "./messages";
import { href, route } from "./route.svelte";

const EVERY = 20_000; // milliseconds; a game with people has its pauses
let awaited = $state.raw<MyTable[]>([]);

/** The table in sight tells by itself whose turn it is. */
const elsewhere = (one: MyTable): boolean => {
  const here = route();
  return document.hidden || here.screen !== "table" || here.table !== one.table;
};

/** A title that begins with one's turn at another table. */
export function titled(text: string): string {
  return awaited.some(elsewhere) ? `● ${t("page.turn")} · ${text}` : text;
}

/** Others sit there too, so that one may go away meanwhile. */
export const withPeople = (seats: { kind: string }[], yours: number[]): boolean =>
  seats.some((seat, i) => seat.kind !== "bot" && !yours.includes(i));

/** Plain http has no notifications, and whoever refused them is not asked again. */
export const mayAsk = (): boolean =>
  "Notification" in globalThis && isSecureContext && Notification.permission === "default";
export const mayTell = (): boolean =>
  "Notification" in globalThis && isSecureContext && Notification.permission === "granted";

/** Asks whether one may be told. Whether one may be asked again. */
export async function askLeave(): Promise<boolean> {
  await Notification.requestPermission();
  return mayAsk();
}

async function tell(one: MyTable): Promise<void> {
  const path = href(`/table/${one.table}`);
  const options = { tag: one.table, icon: "/icon-192.png", data: path };
  const title = t("notify.turn");
  // Phones show only what a service worker tells.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) await worker.showNotification(title, options);
  else new Notification(title, options).onclick = () => open(path, "_self");
}

const notified = new Map<string, number>();

/** What is known of one's tables just now, to whoever asked. */
export function note(found: MyTable[]): void {
  awaited = found.filter((one) => one.acting && withPeople(one.seats, one.yours));
}

async function look(): Promise<void> {
  if (!tables().length) return;
  const found = await myTables().catch(() => null);
  if (!found) return;
  note(found.tables);
  for (const one of awaited) {
    if (notified.get(one.table) === one.at) continue;
    notified.set(one.table, one.at);
    if (elsewhere(one) && mayTell()) await tell(one).catch(() => undefined);
  }
}

/** Look now and then, also while the page is hidden. */
export function watch(): () => void {
  void look();
  const timer = setInterval(() => void look(), EVERY);
  return () => clearInterval(timer);
}
