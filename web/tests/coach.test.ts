/** What a newcomer is told, and when. */
import { expect, it } from "vitest";
import { tipFor } from "../src/coach";
import type { MoveView, Play } from "../src/messages";
import { EMPTY, type TableState } from "../src/table";

const pass: MoveView = { move: "-", effects: {} };

function at(phase: Play["phase"], moves: MoveView[] = [], more: Partial<TableState> = {}): TableState {
  const play = { active: 0, phase, to_act: [0, 1], moves: { 0: moves } } as unknown as Play;
  return { ...EMPTY, yours: [0], play, ...more };
}

it("tells of each action once", () => {
  expect(tipFor(at("roll"), 0, [])).toBe("roll");
  expect(tipFor(at("white", [pass, { move: "R5", effects: {} }]), 0, ["roll"])).toBe("white");
  expect(tipFor(at("white", [pass, { move: "R5", effects: {} }]), 0, ["white"])).toBeNull();
  expect(tipFor(at("colour", [pass]), 0, [])).toBeNull();
});

it("tells of what is rare first", () => {
  const closing = at("white", [pass, { move: "G2", effects: { closes: 1 } }]);
  expect(tipFor(closing, 0, [])).toBe("lock");
  expect(tipFor(closing, 0, ["lock"])).toBe("white");
  expect(tipFor(at("roll", [], { notice: { kind: "only", seat: 0, failed: true } }), 0, [])).toBe("failed");
});

it("tells of a sealed choice that waits for the others, and nothing to those who only watch", () => {
  expect(tipFor(at("white", [], { mine: { 0: "R5" }, chosen: [0] }), null, [])).toBe("sealed");
  expect(tipFor(at("roll", [], { yours: [] }), null, [])).toBeNull();
});
