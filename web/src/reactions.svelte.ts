/** What people at a table say without words, each for a while. */
import type { LiveTable } from "./live.svelte";
import { settings } from "./memory";

const SAID = 3200;

export class Reactions {
  /** By seat. */
  shown = $state.raw<Record<number, string>>({});

  /** To be made while a component begins, with which it ends. */
  constructor(live: LiveTable) {
    $effect(() => {
      const timers = new Set<ReturnType<typeof setTimeout>>();
      const stop = live.onReaction(({ seat, emote }) => {
        if (settings().quiet) return;
        this.shown = { ...this.shown, [seat]: emote };
        const timer = setTimeout(() => {
          timers.delete(timer);
          const { [seat]: _, ...others } = this.shown;
          this.shown = others;
        }, SAID);
        timers.add(timer);
      });
      return () => {
        stop();
        for (const timer of timers) clearTimeout(timer);
      };
    });
  }
}
