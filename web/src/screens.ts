/** A round that has begun: the largest part of a table, for which those who are invited need not wait. */
export const PLAYING = () => import("./parts/Playing.svelte");
/** One's own part of it, for which those who watch need not wait. */
export const OWN = () => import("./parts/own");
export type Own = Awaited<ReturnType<typeof OWN>>;

/** The screens of the page: each comes when it is needed. */
export const SCREENS = {
  home: () => import("./screens/Home.svelte"),
  table: () => import("./screens/Table.svelte"),
  rules: () => import("./screens/Rules.svelte"),
  learn: () => import("./screens/Learn.svelte"),
  explore: () => import("./screens/Explore.svelte"),
  finished: () => import("./screens/Finished.svelte"),
  study: () => import("./screens/Study.svelte"),
  new: () => import("./screens/New.svelte"),
};
