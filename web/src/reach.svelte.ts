/** Where other devices reach this table: by the address this page came by, or else as the server knows. */
import { offer, reached } from "./api";
import type { Offer } from "./messages";

/** An address of this very machine leads nobody else here. */
const local = /^((.+\.)?localhost|127\.[0-9.]+|\[::1\])$/.test(location.hostname);

class Reach {
  /** Null as long as nothing is known. */
  origins = $state.raw<string[] | null>(local ? null : [location.origin]);
  /** Why nobody else can come: it listens to this machine alone, or the machine is in no network. */
  why = $state<"local" | "alone">("local");
  /** No other device can come. */
  nobody = $derived(this.origins !== null && !this.origins.length);

  /** What the page knows already is shown at once, so that nothing below moves under a finger; then it asks again.
   * Without a line, it stays as it was. */
  async look(): Promise<void> {
    if (!local) return;
    const show = (found: Offer): void => this.show(found);
    if (!this.origins) await offer().then(show).catch(() => undefined);
    await reached().then(show).catch(() => undefined);
  }

  show(found: Offer): void {
    if (!local) return;
    this.why = found.only_here ? "local" : "alone";
    this.origins = found.addresses.map((address) => new URL(address).origin);
  }
}

export const reach = new Reach();
