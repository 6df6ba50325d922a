/** Small sounds, made on the spot, and a touch of vibration; off until somebody turns them on. */
import { settings } from "./memory";

let context: AudioContext | null = null;

function speaker(): AudioContext | null {
  if (!settings().sound || typeof AudioContext === "undefined") return null;
  context ??= new AudioContext();
  void context.resume();
  return context;
}

/** A short burst of filtered noise: wood, paper. */
function knock(out: AudioContext, at: number, pitch: number, length: number, loud: number): void {
  const buffer = out.createBuffer(1, Math.ceil(out.sampleRate * length), out.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = (Math.random() * 2 - 1) * (1 - i / samples.length) ** 3;
  const source = new AudioBufferSourceNode(out, { buffer });
  const filter = new BiquadFilterNode(out, { type: "bandpass", frequency: pitch, Q: 1.4 });
  source.connect(filter).connect(new GainNode(out, { gain: loud })).connect(out.destination);
  source.start(out.currentTime + at);
}

function tone(out: AudioContext, at: number, pitch: number, length: number): void {
  const gain = new GainNode(out, { gain: 0 });
  const start = out.currentTime + at;
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(0.12, start + 0.02);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  const source = new OscillatorNode(out, { type: "triangle", frequency: pitch });
  source.connect(gain).connect(out.destination);
  source.start(start);
  source.stop(start + length);
}

const SOUNDS = {
  dice: (out: AudioContext) => [0, 0.07, 0.13, 0.22, 0.3, 0.42].forEach((at) => knock(out, at, 900 + Math.random() * 900, 0.06, 0.7)),
  cross: (out: AudioContext) => [0, 0.09].forEach((at) => knock(out, at, 3200, 0.08, 0.5)),
  close: (out: AudioContext) => [523, 659, 784].forEach((pitch, i) => tone(out, i * 0.09, pitch, 0.5)),
  turn: (out: AudioContext) => tone(out, 0, 660, 0.25),
};
const BUZZ: Record<keyof typeof SOUNDS, number[]> = { dice: [15, 40, 15, 40, 20], cross: [12], close: [20, 60, 40], turn: [25] };

export function play(sound: keyof typeof SOUNDS): void {
  const out = speaker();
  if (!out) return;
  SOUNDS[sound](out);
  navigator.vibrate?.(BUZZ[sound]);
}

// --- the end of a game ---

/** Four rising notes for a win, one warm chord for everybody else. */
export function ended(won: boolean): void {
  const out = speaker();
  if (!out) return;
  if (won) [523, 659, 784, 1047].forEach((pitch, i) => tone(out, i * 0.13, pitch, i === 3 ? 0.9 : 0.4));
  else [262, 330, 392].forEach((pitch) => tone(out, 0, pitch, 1.2));
  navigator.vibrate?.(won ? [20, 60, 20, 60, 60] : [30]);
}
