/** What only those need who sit at a table: what they can choose, the keys, what they are told. */
import { lateWords } from "../lateWords";

await lateWords("own");

export { default as Chip } from "./Chip.svelte";
export { default as Keys } from "./Keys.svelte";
export { default as Told } from "./Told.svelte";
export { missing } from "../missing";
