/** What only those need who sit at a table: what they can choose, the keys, what they are told. */
export { default as Chip } from "./Chip.svelte";
export { default as Keys } from "./Keys.svelte";
export { default as Told } from "./Told.svelte";
export { missing } from "../missing";
