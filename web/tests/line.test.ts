/** The line: hello, answers, silence, breaks, and the end. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Line, type Command, type LineEnd, type LineState, type Wire } from "../src/line";
import type { Message } from "../src/messages";

class FakeWire implements Wire {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  sent: Record<string, unknown>[] = [];
  closed = false;
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {
    this.closed = true;
  }
  say(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

const WELCOME = { type: "welcome", number: 3 };
const roll = (id = "12345678"): Command => ({ do: "roll", id, seat: 0, seen: 3 });

function setting(): { line: Line; wires: FakeWire[]; heard: Message[]; states: [LineState, LineEnd | null][] } {
  const wires: FakeWire[] = [];
  const heard: Message[] = [];
  const states: [LineState, LineEnd | null][] = [];
  const line = new Line({
    connect: () => {
      wires.push(new FakeWire());
      return wires.at(-1)!;
    },
    hello: () => ({ secret: "s", version: 3, code: null }),
    heard: (message) => heard.push(message),
    changed: (state, end) => states.push([state, end]),
  });
  line.open();
  return { line, wires, heard, states };
}

function up(): ReturnType<typeof setting> {
  const all = setting();
  all.wires[0]!.onopen!();
  all.wires[0]!.say(WELCOME);
  return all;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a line", () => {
  it("says hello with what it knows, and is up when it is welcomed", () => {
    const { wires, states } = up();
    expect(wires[0]!.sent).toEqual([{ do: "hello", secret: "s", version: 3, code: null }]);
    expect(states).toEqual([
      ["connecting", null],
      ["up", null],
    ]);
  });

  it("comes back by itself, and repeats what was not answered", () => {
    const { line, wires, states } = up();
    line.send(roll("answered1"));
    line.answered("answered1");
    line.send(roll("unanswered"));
    wires[0]!.onclose!({ code: 1006 });
    expect(states.at(-1)).toEqual(["down", null]);
    vi.advanceTimersByTime(400);
    expect(wires).toHaveLength(2);
    wires[1]!.onopen!();
    wires[1]!.say(WELCOME);
    expect(wires[1]!.sent.map((one) => one["id"])).toEqual([undefined, "unanswered"]);
  });

  it("keeps a command that is given while it is down", () => {
    const { line, wires } = setting();
    line.send(roll());
    expect(wires[0]!.sent).toEqual([]);
    wires[0]!.onopen!();
    wires[0]!.say(WELCOME);
    expect(wires[0]!.sent.at(-1)).toMatchObject({ do: "roll" });
  });

  it("waits longer each time, but not for ever", () => {
    const { wires } = setting();
    const waits = Array.from({ length: 12 }, (_, i) => {
      wires[i]!.onclose!({ code: 1006 });
      let waited = 0;
      for (; wires.length === i + 1; waited += 10) vi.advanceTimersByTime(10);
      return waited;
    });
    expect(waits[0]).toBeLessThan(400);
    expect(waits[11]).toBeGreaterThan(3000);
    expect(Math.max(...waits)).toBeLessThan(7000);
  });

  it("asks when it hears nothing, and gives up a dead line", () => {
    const { wires } = up();
    vi.advanceTimersByTime(15_000);
    expect(wires[0]!.sent.at(-1)).toEqual({ do: "ping" });
    wires[0]!.say({ type: "pong" });
    vi.advanceTimersByTime(15_000);
    expect(wires[0]!.closed).toBe(false);
    vi.advanceTimersByTime(5_000);
    expect(wires[0]!.closed).toBe(true);
    vi.advanceTimersByTime(500);
    expect(wires).toHaveLength(2);
  });

  it("gives up a line that does not answer a command", () => {
    const { line, wires } = up();
    line.send(roll());
    vi.advanceTimersByTime(5_500);
    expect(wires).toHaveLength(2);
  });

  it("hears nothing from a line that it gave up", () => {
    const { line, wires, heard } = up();
    line.drop();
    wires[0]!.say({ type: "here", seats: [], since: [] });
    expect(heard.map((one) => one.type)).toEqual(["welcome"]);
  });

  it.each([
    [4403, "unwatched"],
    [4404, "gone"],
    [4409, "moved"],
    [4410, "removed"],
    [4400, "bad"],
    [4500, "unreadable"],
  ] as const)("ends for good with %i", (code, end) => {
    const { wires, states } = up();
    wires[0]!.onclose!({ code });
    vi.advanceTimersByTime(60_000);
    expect(states.at(-1)).toEqual(["down", end]);
    expect(wires).toHaveLength(1);
  });

  it("comes back at once when the network does", () => {
    const { line, wires } = up();
    line.drop();
    line.wake();
    expect(wires).toHaveLength(2);
  });

  it("stays closed when it is closed", () => {
    const { line, wires } = up();
    line.close();
    vi.advanceTimersByTime(60_000);
    line.wake();
    expect(wires).toHaveLength(1);
  });
});
