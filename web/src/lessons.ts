/** Guided games: scripts on the real law, told in the reader's language. A game without a script has none. */

/** One thing to learn: what has happened, and what is asked for. */
export interface Step {
  /** Its words in `lesson.<language>.json`. */
  text: string;
  /** What happens before: throws and choices as records write them. */
  events?: string[];
  /** The learner is to throw, and this falls. */
  dice?: string;
  /** The learner is to choose one of these; other legal choices are answered with why. */
  good?: string[];
  /** What each of them does by the law, for the test that proves the script; 0 is what it must not do. */
  does?: Record<string, number>;
  /** What its last event did, for the same test. */
  happens?: Record<string, number>;
  /** What the others choose at the same time. */
  others?: Record<string, string>;
}

export interface Lesson {
  players: number;
  first: number;
  /** The learner's. */
  seat: number;
  steps: Step[];
}

export interface LessonText {
  title: string;
  /** What is said once it is over. */
  done: string;
  /** What is said, and what if something else was chosen. */
  steps: Record<string, { say: string; no?: string }>;
}

const scripts = import.meta.glob<string>("./games/*/lesson.json", { eager: true, query: "?url", import: "default" });
const texts = import.meta.glob<string>("./games/*/lesson.*.json", { eager: true, query: "?url", import: "default" });

export const hasLesson = (game: string): boolean => `./games/${game}/lesson.json` in scripts;

const read = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;

export const lessonOf = (game: string): Promise<Lesson> => read(scripts[`./games/${game}/lesson.json`]!);
export const lessonText = (game: string, language: string): Promise<LessonText> =>
  read(texts[`./games/${game}/lesson.${language}.json`]!);
