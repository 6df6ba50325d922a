/** Words that few ever read: they come with the parts that say them. */
import { speakAlso } from "./language.svelte";

const urls = import.meta.glob<string>("./languages/*.??.json", { eager: true, query: "?url", import: "default" });
const coming = new Map<string, Promise<void>>();

type Part =
  | "end" | "ended" | "explore" | "faces" | "gather" | "hints" | "invite" | "manners" | "menu" | "new" | "own"
  | "practice" | "study";
/** The words of a part in the present language, and from now on in every other; asked for once. */
export function lateWords(part: Part): Promise<void> {
  let asked = coming.get(part);
  if (!asked) {
    asked = speakAlso((language) => urls[`./languages/${part}.${language}.json`]);
    coming.set(part, asked);
    asked.catch(() => coming.delete(part));
  }
  return asked;
}
