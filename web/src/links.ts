/** Links to give to others. */
import { reachedAt } from "./api";

/** An address of this very machine leads nobody else here; the server knows whether another one does. */
export const isLocal = (host: string): boolean => /^((.+\.)?localhost|127\.[0-9.]+|\[::1\])$/.test(host);

/** Where others reach this page: here, or where the server says; here again where it says nothing. */
export async function linkTo(path: string): Promise<string> {
  const address = isLocal(location.hostname) ? await reachedAt().catch(() => null) : null;
  return `${address ? new URL(address).origin : location.origin}${path}`;
}

/** Into the clipboard; pages that come by plain http have none of their own, and use a box of text. */
export async function copy(text: string, box: HTMLTextAreaElement | HTMLInputElement | undefined): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (!box) return false;
    box.value = text;
    box.select();
    return document.execCommand("copy");
  }
}
