// Text that is cut off, sticks out of what holds it, is covered by other text, or broken within a word.
() => {
  const problems = [];
  if (document.documentElement.scrollWidth > innerWidth + 1) problems.push(`wider than the screen: ${document.documentElement.scrollWidth}`);
  const layer = (el) => el.closest('dialog, .cover, .doing, .toast, .make') ?? document.body;
  // What has been scrolled away covers nothing.
  const scroller = (el) => (el && !/auto|scroll/.test(getComputedStyle(el).overflowY) ? scroller(el.parentElement) : el);
  const rects = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, el = node.parentElement, text = node.textContent.trim();
    if (!text || el.closest('.unseen, noscript, script, style, option, .hint')) continue;
    if (!el.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) continue;
    const pane = scroller(el)?.getBoundingClientRect();
    // The head of a card stays where it is: what is under it has been scrolled away too.
    const head = el.closest('dialog > :not(.head)') && el.closest('dialog').querySelector(':scope > .head');
    const from = head ? head.getBoundingClientRect().bottom : pane?.top;
    const shown = ({ left, right, top, bottom }) =>
      pane ? { left, right, top: Math.max(top, from), bottom: Math.min(bottom, pane.bottom) } : { left, right, top, bottom };
    // As high as the whole line is, also where little of it is left: that much of another must be under it.
    const line = [...range.getClientRects()].map((r) => ({ ...shown(r), height: r.height })).filter((r) => r.bottom > r.top);
    if (!line.length) continue;
    for (const { 0: word, index } of node.textContent.matchAll(/[\p{L}\p{N}\u00ad]{2,}/gu)) {
      if (word.includes('\u00ad')) continue; // it says itself where
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const [first, ...rest] = range.getClientRects();
      if (rest.some((one) => one.top > first.top + 0.5 * first.height) && !el.closest('.hex, code')) problems.push(`broken: "${word}" of ${el.tagName}.${el.className}`);
    }
    range.selectNodeContents(node);
    rects.push(...line.map((r) => ({ r, text, el, layer: layer(el) })));
    for (let up = el; up && up !== document.body; up = up.parentElement) {
      const style = getComputedStyle(up), r = up.getBoundingClientRect();
      const cuts = ['hidden', 'clip'].includes(style.overflowX) || ['hidden', 'clip'].includes(style.overflowY);
      const owns = up.matches('button, a, li, td, th, label, .cell, .chip, .also > span, .button, .card, section, dialog');
      const scrolls = ['auto', 'scroll'].includes(style.overflowX) || ['auto', 'scroll'].includes(style.overflowY);
      if (scrolls) break;
      if (!cuts && !owns) continue;
      // The box of a line is higher than its letters, in some browsers by more than in others.
      const air = Math.max(2, 0.1 * line[0].height);
      if (box.left < r.left - 1.5 || box.right > r.right + 1.5 || box.top < r.top - air || box.bottom > r.bottom + air)
        problems.push(`${cuts ? 'cut off' : 'sticks out'}: "${text}" of ${up.tagName}.${up.className}`);
      break;
    }
  }
  for (let i = 0; i < rects.length; i++) for (let j = i + 1; j < rects.length; j++) {
    const a = rects[i], b = rects[j];
    if (a.layer !== b.layer || a.el === b.el) continue;
    const wide = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
    const high = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
    // The boxes of lines are higher than their letters by a few pixels.
    if (wide > 2 && high > 0.3 * Math.min(a.r.height, b.r.height)) problems.push(`"${a.text}" covers "${b.text}"`);
  }
  return [...new Set(problems)];
}
