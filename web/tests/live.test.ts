/** A live table on a line that breaks. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LiveTable } from "../src/live.svelte";
import type { Happened, Play, TableView, Welcome } from "../src/messages";

class Socket {
  static all: Socket[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  sent: Record<string, unknown>[] = [];
  constructor() {
    Socket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {}
  say(message: unknown): void {
    this.onmessage!({ data: JSON.stringify(message) });
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  Socket.all = [];
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("BroadcastChannel", undefined);
  vi.stubGlobal("location", { protocol: "http:", host: "here" });
  vi.stubGlobal("document", new EventTarget());
  for (const name of ["addEventListener", "removeEventListener"]) vi.stubGlobal(name, () => undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const seat = { kind: "person" as const, name: "Ana", face: null, level: null, ready: true, stand_in: false };
const TABLE: TableView = { id: "a".repeat(20), game: "classic", status: "playing", round: 1, seats: [seat, seat], options: {}, commitment: "00", first: 0, proof: null };
const PLAY: Play = {
  ...{ active: 0, phase: "white", dice: "41 3625", in_play: "RYGB", panels: [], left: null, to_act: [0, 1], moves: {} },
  result: { totals: [0, 0], rows: [], over: false, winners: null, reason: null },
  deadline: null,
  opened: 0,
};
const welcome = (change: Partial<Welcome>): Welcome => ({ type: "welcome", number: 10, now: 0, table: TABLE, play: PLAY, chosen: [], yours: [0], creator: true, mine: {}, here: [true, true], since: [null, null], missed: null, ...change });

it("counts nothing twice when the line is cut between events that belong together", () => {
  const live = new LiveTable("a".repeat(20));
  const told: number[] = [];
  live.listen((events) => told.push(...events.map((event) => event.number)));
  const [first] = Socket.all;
  first!.onopen!();
  first!.say(welcome({}));
  const revealing: Happened = { type: "event", number: 11, at: 0, kind: "chose", seat: 1, revealed: { "0": "R5", "1": "-" }, effects: {}, chosen: [], more: true };
  const last: Happened = { type: "event", number: 12, at: 0, kind: "chose", seat: 0, revealed: { "0": "-" }, effects: {}, chosen: [] };
  first!.say(revealing);
  first!.onclose!({ code: 1006 });
  vi.advanceTimersByTime(400);
  const second = Socket.all[1]!;
  second.onopen!();
  expect(second.sent[0]).toMatchObject({ do: "hello", version: 10 });
  second.say(welcome({ number: 12, missed: [revealing, last] }));
  expect(live.state.done["0"]!.map((one) => one.move)).toEqual(["R5", "-"]);
  expect(told).toEqual([11, 12]);
  live.close();
});
