/** Small sounds, made on the spot, off until somebody turns them on; and a touch of vibration on phones, for all who
 * do not ask for less motion. */
import { settings } from "./memory";

let context: AudioContext | null = null;

function speaker(): AudioContext | null {
  if (!settings().sound || typeof AudioContext === "undefined") return null;
  context ??= new AudioContext();
  void context.resume();
  return context;
}

export type Sound = "throw" | "pick" | "cross" | "capture" | "lock" | "failed" | "turn";
const BUZZ: Partial<Record<Sound, number[]>> = {
  throw: [12, 60, 12],
  cross: [12],
  capture: [15, 50, 15],
  lock: [20, 60, 40],
  failed: [40, 60, 40],
  turn: [25],
};

/** How they are made is fetched by those who want to hear them. */
type Make = (synth: typeof import("./synth"), out: AudioContext) => void;
async function hear(make: Make, buzz: number | number[]): Promise<void> {
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) navigator.vibrate?.(buzz);
  const out = speaker();
  if (!out) return;
  const synth = await import("./synth").catch(() => null);
  if (synth) make(synth, out);
}

/** Heard if sound is on, and felt on a phone. */
export function play(sound: Sound): void {
  void hear(({ SOUNDS }, out) => SOUNDS[sound](out), BUZZ[sound] ?? 8);
}

/** The end of a game. */
export function ended(won: boolean): void {
  void hear(({ fanfare }, out) => fanfare(out, won), won ? [20, 60, 20, 60, 60] : [30]);
}
