/** Nothing is shown or told before the dice lie, and nothing comes late. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Listener } from "../src/live.svelte";
import type { Happened, Play } from "../src/messages";
import { EMPTY, type TableState } from "../src/table";
import { landing, Throwing } from "../src/throwing.svelte";

const play = { phase: "roll" } as Play;
const before: TableState = { ...EMPTY, number: 4, play };
const after: TableState = { ...EMPTY, number: 5, play: { ...play, phase: "white" }, dice: "41 3625", throws: 1 };
const event = (kind: Happened["kind"]): Happened => ({ type: "event", number: 5, at: 0, kind });

function stand(calm = false, toRead = 0) {
  const listeners = new Set<Listener>();
  const live = { state: before, listen: (one: Listener) => (listeners.add(one), () => listeners.delete(one)) };
  const throwing = new Throwing(live, () => calm, () => toRead);
  const told: string[] = [];
  throwing.listen((events) => told.push(...events.map((one) => one.kind)));
  const happen = (kind: Happened["kind"], from = before, to = after): void => {
    live.state = to;
    for (const one of listeners) one([event(kind)], from, to);
  };
  return { throwing, told, happen };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("shows the table as it was until the last die lies, within a second", () => {
  const { throwing, told, happen } = stand();
  happen("rolled");
  happen("chose");
  expect(throwing.lies).toBe(false);
  expect(throwing.state.play?.phase).toBe("roll");
  expect(told).toEqual([]);
  vi.advanceTimersByTime(landing(5));
  expect(throwing.lies).toBe(false);
  vi.advanceTimersByTime(1000 - landing(5));
  expect(throwing.lies).toBe(true);
  expect(told).toEqual(["rolled", "chose"]);
});

it.each(["41 36.5", "41 3..5", "41 3625"])("waits for the last die in its place, whichever have left (%s)", (dice) => {
  const { throwing, happen } = stand();
  happen("rolled", before, { ...after, dice });
  vi.advanceTimersByTime(landing(5));
  expect(throwing.lies).toBe(false);
});

it("is over at once for who taps or wants no motion, and no timer comes late", () => {
  const { throwing, told, happen } = stand();
  happen("rolled");
  throwing.finish();
  expect(told).toEqual(["rolled"]);
  happen("rolled"); // the next throw: the timer of the first must not end it
  vi.advanceTimersByTime(landing(5) - 1);
  expect(throwing.lies).toBe(false);
  const calm = stand(true);
  calm.happen("rolled");
  expect(calm.told).toEqual(["rolled"]);
  throwing.close();
  vi.advanceTimersByTime(5000);
  expect(told).toEqual(["rolled"]);
});

it.each([0, 2000])("goes on where a listener stumbles, and the fault is reported", (toRead) => {
  const faults: (() => void)[] = [];
  vi.stubGlobal("queueMicrotask", (fault: () => void) => faults.push(fault));
  const { throwing, happen } = stand(false, toRead);
  throwing.listen(() => {
    throw new Error("stumbled");
  });
  const told: string[] = [];
  throwing.listen((events) => told.push(...events.map((one) => one.kind)));
  happen("rolled");
  happen("chose");
  vi.advanceTimersByTime(9000);
  vi.unstubAllGlobals();
  expect(throwing.settled).toBe(true);
  expect(told).toEqual(["rolled", "chose"]);
  expect(faults.length).toBeGreaterThan(1);
  expect(faults[0]).toThrow("stumbled");
});

it("hears a throw when its dice fly, which is after what is told", () => {
  const { throwing, happen } = stand(false, 2000);
  let thrown = 0;
  throwing.onThrow(() => thrown++);
  happen("chose");
  happen("rolled");
  expect(thrown).toBe(0);
  vi.advanceTimersByTime(2000);
  expect(thrown).toBe(1);
  expect(throwing.lies).toBe(false);
  const calm = stand(true);
  calm.throwing.onThrow(() => thrown++);
  calm.happen("rolled");
  expect(thrown).toBe(2);
});
