/** Whether a key is pressed for the table: not with the browser's own keys, not in a field or over a dialog, and not on
 * something that the browser presses by itself. */
export function isForTable(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat) return false;
  const target = event.target as HTMLElement;
  if (target.closest("input, select, textarea, dialog, .cover")) return false;
  if (document.querySelector("dialog[open], .cover")) return false;
  const pressed = event.key === "Enter" || event.key === " ";
  return !(pressed && target.closest("button, a, summary"));
}
