/** Who looks back from the table: an animal for each level of the bots, a pawn with a hat or hair for each person.
 *
 * A drawing is 64 wide, with its eyes at (23,35) and (41,35), so that all share the same four moods. Only a mouth is its own. */
import type { SeatView } from "./messages";

export type Mood = "open" | "joy" | "think" | "sad";

interface Drawing {
  /** The disc behind the head. */
  disc: string;
  /** What is drawn under the mouth and the eyes, and over them. */
  head: string;
  hair?: string;
  /** An owl's beak has none. */
  mouth?: { glad: string; sad: string };
}

const DARK = "#2b1a33";
const line = (colour: string, width: number, d: string): string =>
  `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
const fill = (colour: string, d: string): string => `<path fill="${colour}" d="${d}"/>`;
const dots = (colour: string, r: number, ...at: [number, number][]): string =>
  at.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="${r}" fill="${colour}"/>`).join("");

/** The levels' animals, from the weakest to the strongest. */
const ANIMALS: Record<string, Drawing> = {
  // a butterfly with curled feelers
  random: {
    disc: "#e6dbfb",
    head:
      fill("#a276e4", "M29 38C24 16 7 6 3 15-1 26 8 41 27 41ZM35 38C40 16 57 6 61 15 65 26 56 41 37 41Z") +
      fill("#f083b0", "M28 42C14 39 4 46 8 54 13 63 27 58 31 46ZM36 42C50 39 60 46 56 54 51 63 37 58 33 46Z") +
      dots("#d9c4fa", 3.6, [11, 20], [53, 20]) +
      dots("#ffd3e4", 2.8, [14.5, 52], [49.5, 52]) +
      line("#5c3b8c", 2.3, "M28 23C27 14 23 9 18 9.5M36 23C37 14 41 9 46 9.5") +
      dots("#5c3b8c", 2.9, [17.5, 9.5], [46.5, 9.5]) +
      `<ellipse cx="32" cy="38" rx="17" ry="16.5" fill="#ffe2a3"/>` +
      dots("#f7ad82", 2.9, [19.5, 42.5], [44.5, 42.5]),
    mouth: { glad: line(DARK, 2, "M28.5 44.5Q32 48.5 35.5 44.5"), sad: line(DARK, 2, "M28.5 47.5Q32 43.5 35.5 47.5") },
  },
  // a puppy with its tongue out
  novice: {
    disc: "#fbe0bf",
    head:
      fill("#efc189", "M32 12C46 12 54 22 54 36 54 51 45 60 32 60S10 51 10 36C10 22 18 12 32 12Z") +
      fill("#fff4e3", "M32 14C35 14 35.5 24 36.5 29 38 36 47 38 47 47 47 55 41 60 32 60S17 55 17 47C17 38 26 36 27.5 29 28.5 24 29 14 32 14Z") +
      fill("#9a5b33", "M24 12.5C13 8 3 13 2 27 1.5 37 6 44 11 42.5 17 40.5 14 27 24 12.5ZM40 12.5C51 8 61 13 62 27 62.5 37 58 44 53 42.5 47 40.5 50 27 40 12.5Z") +
      fill(DARK, "M26.5 43.5C28 41 36 41 37.5 43.5 37.5 46.5 34.5 48.5 32 48.5S26.5 46.5 26.5 43.5Z"),
    mouth: {
      glad:
        fill("#f37f90", "M28 51.5H36V54.5A4 4 0 0 1 28 54.5Z") +
        line(DARK, 2, "M32 46V50M25.5 50Q28.5 53 32 50.5 35.5 53 38.5 50"),
      sad: line(DARK, 2, "M32 46V51.5M26 55Q32 48 38 55"),
    },
  },
  // a magpie with the ring it has stolen
  greedy: {
    disc: "#cfe3f7",
    head:
      fill("#3f86d4", "M4 50C4 41 9 36 17 35L25 60C14 61 5 58 4 50ZM60 50C60 41 55 36 47 35L39 60C50 61 59 58 60 50Z") +
      fill("#fff", "M13 45H51C51 56 43 63 32 63S13 56 13 45Z") +
      fill("#3f86d4", "M31 14C26 8 27 3 31 0 33 4 37 6 36 14Z") +
      fill("#292a46", "M34 13C33 7 37 3 42 3 42 8 41 12 37 15ZM32 10C46 10 55 19 55 33 55 45 45 50 32 54 19 50 9 45 9 33 9 19 18 10 32 10Z") +
      dots("#fff", 7.2, [23, 35], [41, 35]) +
      `<circle cx="39.5" cy="54.5" r="4.6" fill="none" stroke="#f5b73f" stroke-width="2.6"/>` +
      fill("#8893b8", "M25.5 43C27 39.5 37 39.5 38.5 43 39.5 46 42 48.5 44.5 50 40 53.5 34 54 30 51.5 27 49.5 25.5 46 25.5 43Z"),
    mouth: {
      glad: line("#4b5680", 1.6, "M28 46.5C32 49.5 38 50.5 42 50"),
      sad: line("#4b5680", 1.6, "M28.5 48.5C31 44.5 38 44.5 42 50.5"),
    },
  },
  // a fox with large ears
  club: {
    disc: "#fbdcb8",
    head:
      fill("#f0883a", "M10.5 6C11 3.5 13.5 3 15.5 4.5 20 8 24 12 26 15.5 30 14.5 34 14.5 38 15.5 40 12 44 8 48.5 4.5 50.5 3 53 3.5 53.5 6 56 14 57 23 56 30 57 34 60 37 62.5 40.5 57 43 53 46 49.5 50 44 57 38 61.5 32 61.5S20 57 14.5 50C11 46 7 43 1.5 40.5 4 37 7 34 8 30 7 23 8 14 10.5 6Z") +
      fill("#5b2f2c", "M12.5 8.5C16.5 11 20 14.5 22 17.5 17.5 19.5 14 22.5 12 26.5 11 20.5 11 14 12.5 8.5ZM51.5 8.5C47.5 11 44 14.5 42 17.5 46.5 19.5 50 22.5 52 26.5 53 20.5 53 14 51.5 8.5Z") +
      fill("#fff4e6", "M1.5 40.5C10 42.5 15 37.5 22 39.5 27 41 28.5 46 32 46S37 41 42 39.5C49 37.5 54 42.5 62.5 40.5 57 43 53 46 49.5 50 44 57 38 61.5 32 61.5S20 57 14.5 50C11 46 7 43 1.5 40.5Z") +
      fill(DARK, "M27 51C28.5 48.5 35.5 48.5 37 51 37 53.5 34.5 55.5 32 55.5S27 53.5 27 51Z"),
    mouth: {
      glad: line(DARK, 1.9, "M32 54V56.5M27.5 57Q30 59 32 56.5 34 59 36.5 57"),
      sad: line(DARK, 1.9, "M32 54V57M27.5 59.5Q32 54.5 36.5 59.5"),
    },
  },
  // an owl with golden rims
  expert: {
    disc: "#f3e0c4",
    head:
      fill("#835d49", "M6.5 5C13 6 18 9 21 12.5 28 10.5 36 10.5 43 12.5 46 9 51 6 57.5 5 59 11 58 17 56.5 20.5 58.5 25 59.5 30 59.5 36 59.5 52 48 62 32 62S4.5 52 4.5 36C4.5 30 5.5 25 7.5 20.5 6 17 5 11 6.5 5Z") +
      fill("#d9b58f", "M14 49C24 57 40 57 50 49 48 57 41 62 32 62S16 57 14 49Z") +
      line("#b98d69", 1.8, "M25 57.5Q26.5 59.5 28 57.5M30.5 58.5Q32 60.5 33.5 58.5M36 57.5Q37.5 59.5 39 57.5") +
      fill("#c59872", "M32 37C29 26 21 18 9.5 15.5 19 13.5 27 17 32 24 37 17 45 13.5 54.5 15.5 43 18 35 26 32 37Z") +
      `<g fill="#fff7e8" stroke="#f2b544" stroke-width="2.4"><circle cx="20.8" cy="35" r="11.4"/><circle cx="43.2" cy="35" r="11.4"/></g>` +
      fill("#f49c2c", "M27.5 41.5C29 38.5 35 38.5 36.5 41.5 36.5 46 34.5 49.5 32 51.5 29.5 49.5 27.5 46 27.5 41.5Z"),
  },
  // a dragon with fins and two fangs
  master: {
    disc: "#c8eedd",
    head:
      fill("#ffe0a6", "M17 20C10 17 7 10 8.5 2.5 16 5 22 10 25 16ZM47 20C54 17 57 10 55.5 2.5 48 5 42 10 39 16Z") +
      fill("#ee6d58", "M27 15C27 9 29 5 32 1.5 35 5 37 9 37 15ZM10 30C4 29 1 25 .5 19.5 6 19 11 21 14 25ZM54 30C60 29 63 25 63.5 19.5 58 19 53 21 50 25ZM9 44C4 44 .5 42 0 38 3 35 7 35 11 36ZM55 44C60 44 63.5 42 64 38 61 35 57 35 53 36Z") +
      fill("#2f9781", "M32 11C47 11 56 21 56 35 56 51 46 61 32 61S8 51 8 35C8 21 17 11 32 11Z") +
      fill("#93debf", "M32 40.5C43 40.5 49.5 44 49.5 50.5 49.5 57.5 42 61 32 61S14.5 57.5 14.5 50.5C14.5 44 21 40.5 32 40.5Z") +
      dots("#e2f8ec", 6.8, [23, 35], [41, 35]) +
      dots("#1c6d60", 1.7, [27, 46], [37, 46]),
    mouth: {
      glad:
        fill("#fff", "M23.5 52.5L28.5 53.5 25.5 57.5ZM40.5 52.5L35.5 53.5 38.5 57.5Z") +
        line("#1c6d60", 2, "M21.5 51.5Q32 56.5 42.5 51.5"),
      sad:
        fill("#fff", "M23.5 54L28.5 52.5 26.5 58ZM40.5 54L35.5 52.5 37.5 58Z") +
        line("#1c6d60", 2, "M21.5 55Q32 49 42.5 55"),
    },
    hair: fill("#2f9781", "M15 27.5C20 27.5 26 29 30.5 31.5V25H15ZM49 27.5C44 27.5 38 29 33.5 31.5V25H49Z"),
  },
};

/** A pawn: a round head in its colour, pale cheeks, and what it wears. */
function pawn(disc: string, skin: string, cheek: string, hair = "", behind = ""): Drawing {
  return {
    disc,
    head:
      behind +
      `<ellipse cx="32" cy="36.5" rx="22.5" ry="23.5" fill="${skin}"/>` +
      dots(cheek, 3.6, [16.5, 43], [47.5, 43]),
    hair,
    mouth: { glad: line(DARK, 2.3, "M27.5 46.5Q32 51 36.5 46.5"), sad: line(DARK, 2.3, "M27.5 50Q32 45 36.5 50") },
  };
}

const PLAIN = pawn("#e9e0ec", "#c3b3ce", "#dccfe4");
const PAWNS: Record<string, Drawing> = {
  // a tuft that will not lie down
  plum: pawn("#ecdcf9", "#b77be0", "#d9b0f2", fill("#55266f", "M9.5 33C8 17 18 9 30 9.5 28.5 7 28.5 4 31 1.5 32 5 35 8 36 9.5 47 10.5 56 18 54.5 33 52 27 49 24 46 22.5 38 26 24 27 17 23.5 14 25.5 11 29 9.5 33Z")),
  // a bun
  rose: pawn("#fcdde2", "#f299a8", "#fbc4cc", fill("#7c2c44", "M9 36C7 19 18 9.5 32 9.5S57 19 55 36C53 29 50 25 46.5 23 41 25.5 35 24 32 20 29 24 23 25.5 17.5 23 14 25 11 29 9 36Z") + dots("#7c2c44", 7.6, [32, 7.6])),
  // a cap, its peak to the side
  sky: pawn("#d8ebfa", "#8cc2ea", "#bfdff6", fill("#2b618f", "M9.5 27C9.5 15 19 8 32 8S54.5 15 54.5 27C47 23.5 40 22.5 32 22.5S17 23.5 9.5 27Z") + fill("#1f4a70", "M3 31.5C4 25 12 21.5 24 22 31 22.5 31 26 24 26.5 15 27 9 28.5 6 32 4.5 33.5 3 33 3 31.5Z") + dots("#1f4a70", 2.6, [32, 7.8])),
  // a knitted hat with a ball on top
  teal: pawn("#cfeeea", "#62bfb2", "#a5e0d7", fill("#ffcf70", "M25 8A7 7 0 1 1 39 8 7 7 0 1 1 25 8Z") + fill("#1c6a70", "M11 25C11 14 19 8.5 32 8.5S53 14 53 25Z") + fill("#134e55", "M9 22.5H55C57 22.5 58 24 58 25.5S57 29 55 29H9C7 29 6 27.5 6 25.5S7 22.5 9 22.5Z")),
  // curls
  rust: pawn("#fbdfcd", "#e79468", "#f6bd9c", [[12.5, 26], [18, 17.5], [27, 12.5], [37, 12.5], [46, 17.5], [51.5, 26]].map(([x, y]) => `<circle cx="${x}" cy="${y}" r="7.2" fill="#6b2b1f"/>`).join("") + fill("#6b2b1f", "M14 29C16 12 48 12 50 29 42 21 22 21 14 29Z")),
  // a felt hat with a feather
  moss: pawn("#e2edcc", "#a5c266", "#cbdf9e", fill("#4b6228", "M13 23C14 11 21 5 33 6.5 44 8 50 14 51 23Z") + fill("#e9b949", "M13.5 19H50.5L51 24H13Z") + fill("#3a4d1e", "M5 24.5C14 22 50 22 59 24.5 61 25.5 61 28 59 28.5 50 27 14 27 5 28.5 3 28 3 25.5 5 24.5Z") + fill("#e2604e", "M44 20C43 11 47 4 54 1 56 9 53 17 47 21Z")),
  // long fair hair with a parting
  sand: pawn("#faebc8", "#efc876", "#f8dfa8", fill("#a5652c", "M7 51C2 24 13 8.5 32 8.5S62 24 57 51C53 51 50.5 47 51 37 50.5 31 46 28 41 26 37 24.5 35 22 34 18.5 31 24 24 27 18 29 14.5 30.5 13 33 13 37 13.5 47 11 51 7 51Z")),
  // a bowler
  slate: pawn("#dde2ee", "#94a3c4", "#c0cae0", fill("#2f3650", "M13 24C13 10 21 4.5 32 4.5S51 10 51 24Z") + fill("#c9515c", "M13.3 18.5H50.7L51 24H13Z") + fill("#232840", "M5 22C9 24.5 20 23.5 32 23.5S55 24.5 59 22C61 25 58 29 53 29H11C6 29 3 25 5 22Z")),
};

export const FACES = Object.keys(PAWNS);

const drawing = (face: string | null): Drawing => (face && (ANIMALS[face] ?? PAWNS[face])) || PLAIN;

const shine = (...at: [number, number][]): string => dots("#fff", 1.25, ...at);
const eyes = (y: number, x: number, rx: number, ry: number): string =>
  [23, 41].map((at) => `<ellipse cx="${at + x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${DARK}"/>`).join("");
const EYES: Record<Mood, string> = {
  open: eyes(35, 0, 3.4, 4.1) + shine([24.3, 33.3], [42.3, 33.3]),
  joy: line(DARK, 2.7, "M18.8 36.5Q23 30.5 27.2 36.5M36.8 36.5Q41 30.5 45.2 36.5"),
  think: eyes(33.2, 1.6, 3.2, 3.7) + shine([26, 31.6], [44, 31.6]),
  sad: eyes(36.4, 0, 3, 3.4) + shine([24, 35], [42, 35]) + line(DARK, 1.9, "M18.2 31.3 25 28.7M45.8 31.3 39 28.7"),
};

/** The parts of a face in this mood, in the order in which they are drawn. */
export function parts(face: string | null, mood: Mood): { disc: string; head: string; eyes: string; hair: string } {
  const { disc, head, hair = "", mouth } = drawing(face);
  const lips = mouth?.[mood === "sad" ? "sad" : "glad"] ?? "";
  return { disc: `<circle cx="32" cy="35" r="28" fill="${disc}"/>`, head: head + lips, eyes: EYES[mood], hair };
}

/** Whose face a seat shows: a bot its level's, a person the one chosen. */
export function faceOf({ level, face }: Pick<SeatView, "level" | "face">): string | null {
  return level ?? face;
}
