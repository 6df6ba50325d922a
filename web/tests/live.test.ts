/** A live table on a line that breaks. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LiveTable } from "../src/live.svelte";
import type { Happened } from "../src/messages";
import "../src/part"; // a table asks for it later: here it may not come after the tests have ended
import { play, welcome } from "./messages";

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

const PLAY = play("white", [0, 1]);

it("counts nothing twice when the line is cut between events that belong together", () => {
  const live = new LiveTable("a".repeat(20));
  const told: number[] = [];
  live.listen((events) => told.push(...events.map((event) => event.number)));
  const [first] = Socket.all;
  first!.onopen!();
  first!.say(welcome());
  const revealing: Happened = {
    type: "event",
    number: 11,
    at: 0,
    kind: "chose",
    seat: 1,
    revealed: { "0": "R5", "1": "-" },
    effects: {},
    chosen: [],
    more: true,
  };
  const last: Happened = {
    type: "event",
    number: 12,
    at: 0,
    kind: "chose",
    seat: 0,
    revealed: { "0": "-" },
    effects: {},
    chosen: [],
  };
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

function sitting(): { live: LiveTable; socket: Socket } {
  const live = new LiveTable("a".repeat(20));
  const socket = Socket.all[0]!;
  socket.onopen!();
  const moves = {
    "0": [
      { move: "-", effects: {} },
      { move: "R5", effects: {} },
    ],
  };
  socket.say(welcome({ chosen: [0], mine: { "0": "R5" }, play: { ...PLAY, to_act: [1], moves } }));
  return { live, socket };
}

it("takes back a sealed choice, and asks for it once", () => {
  const { live, socket } = sitting();
  live.withdraw(0);
  live.withdraw(0);
  live.withdraw(1);
  expect(socket.sent.slice(1)).toMatchObject([{ do: "withdraw", seat: 0, seen: 10 }]);
  socket.say({
    type: "event",
    number: 11,
    at: 0,
    kind: "withdrew",
    id: socket.sent[1]!["id"],
    seat: 0,
    chosen: [],
    play: PLAY,
  });
  expect(live.state).toMatchObject({ mine: {}, chosen: [], withdrawing: [] });
  live.close();
});

it("tells of reactions while somebody listens", () => {
  const { live, socket } = sitting();
  const seen: string[] = [];
  const stop = live.onReaction(({ seat, emote }) => seen.push(`${seat} ${emote}`));
  live.react(0, "bravo");
  expect(socket.sent.at(-1)).toMatchObject({ do: "react", seat: 0, emote: "bravo" });
  socket.say({ type: "reaction", id: socket.sent.at(-1)!["id"], seat: 0, emote: "bravo" });
  stop();
  socket.say({ type: "reaction", id: "12345678", seat: 1, emote: "wow" });
  expect(seen).toEqual(["0 bravo"]);
  live.close();
});

it("sends a reaction and a hurry once, never later, and says nothing if they are refused", () => {
  const { live, socket } = sitting();
  live.hurry();
  const id = socket.sent.at(-1)!["id"];
  socket.say({ type: "refused", id, code: "not_now", message: "", rule: null, number: 10 });
  expect(live.refused).toBeNull();
  live.react(0, "ouch");
  socket.onclose!({ code: 1006 });
  live.react(0, "wow");
  vi.advanceTimersByTime(400);
  const again = Socket.all[1]!;
  again.onopen!();
  again.say(welcome());
  expect(again.sent.map((one) => one["do"])).toEqual(["hello"]);
  live.close();
});
