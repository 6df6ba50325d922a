/** The sounds themselves: wood, paper and small bells, made of noise and waves. */
import type { Sound } from "./sound";
import { landing } from "./throwing.svelte";

/** A short burst of filtered noise: wood, paper. */
function knock(out: AudioContext, at: number, pitch: number, length: number, loud: number): void {
  const buffer = out.createBuffer(1, Math.ceil(out.sampleRate * length), out.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = (Math.random() * 2 - 1) * (1 - i / samples.length) ** 3;
  const source = new AudioBufferSourceNode(out, { buffer });
  const filter = new BiquadFilterNode(out, { type: "bandpass", frequency: pitch, Q: 1.4 });
  source
    .connect(filter)
    .connect(new GainNode(out, { gain: loud }))
    .connect(out.destination);
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

/** A dull thud, of wood on wood. */
function thud(out: AudioContext, at: number, pitch: number): void {
  tone(out, at, pitch, 0.16);
  knock(out, at, pitch * 3, 0.05, 0.5);
}

export const SOUNDS: Record<Sound, (out: AudioContext) => void> = {
  // One knock for each die as it lands.
  throw: (out) => [0, 1, 2, 3, 4, 5].forEach((die) => knock(out, landing(die) / 1000, 800 + 140 * die, 0.06, 0.7)),
  pick: (out) => knock(out, 0, 1500, 0.03, 0.25),
  cross: (out) => [0, 0.12].forEach((at) => knock(out, at, 3200, 0.09, 0.5)),
  capture: (out) => [0, 0.14].forEach((at, i) => thud(out, at, 260 - 70 * i)),
  lock: (out) => {
    knock(out, 0, 2600, 0.03, 0.8);
    thud(out, 0.09, 120);
  },
  failed: (out) => [330, 247].forEach((pitch, i) => thud(out, i * 0.17, pitch)),
  turn: (out) => thud(out, 0, 520),
};

/** Four rising notes for a win, one warm chord for everybody else. */
export function fanfare(out: AudioContext, won: boolean): void {
  if (won) [523, 659, 784, 1047].forEach((pitch, i) => tone(out, i * 0.13, pitch, i === 3 ? 0.9 : 0.4));
  else [262, 330, 392].forEach((pitch) => tone(out, 0, pitch, 1.2));
}
