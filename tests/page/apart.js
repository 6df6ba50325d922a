// What lies on what it should lie beside: the sheet on the tray, its foot out of its frame, a piece on its number,
// what a chip tells on its edge, parts of a player's card on each other, a ring cut off.
() => {
  const box = (el) => el.getBoundingClientRect();
  const over = (upper, lower) => upper.bottom - lower.top > 0.5 && upper.right > lower.left && upper.left < lower.right;
  const problems = [];
  const sheet = document.querySelector('.sheet'), tray = document.querySelector('.doing');
  if (sheet && tray) {
    const [foot, ...more] = sheet.querySelectorAll('.foot, .foot > *');
    const rows = [...sheet.querySelectorAll('.row')];
    if (over(box(sheet), box(tray))) problems.push(`the sheet lies ${(box(sheet).bottom - box(tray).top).toFixed(1)} on the tray`);
    if (over(box(rows.at(-1)), box(foot))) problems.push(`the rows lie ${(box(rows.at(-1)).bottom - box(foot).top).toFixed(1)} on the foot`);
    for (const part of [foot, ...more].filter((one) => one.checkVisibility()))
      if (box(part).bottom > box(sheet).bottom + 0.5) problems.push(`.${part.className} leaves the sheet by ${(box(part).bottom - box(sheet).bottom).toFixed(1)}`);
  }
  for (const piece of document.querySelectorAll('.cell:not(.lock) > .piece')) {
    const number = piece.parentElement.querySelector('b'), range = document.createRange();
    range.selectNodeContents(number);
    // A line is higher than its figures by a quarter above and below.
    const line = box(range), depth = line.bottom - line.height / 4 - box(piece).top;
    if (line.height && depth > 1) problems.push(`a piece lies ${depth.toFixed(1)} on its number ${number.textContent}`);
  }
  for (const chip of document.querySelectorAll('.chip')) {
    const [out, parts] = [box(chip), [...chip.querySelectorAll('.name, .made, .skips, .gains, .bars')]];
    for (const part of parts.filter((one) => one.checkVisibility({ opacityProperty: true }))) {
      const { left, right, top, bottom } = box(part), by = Math.max(out.left - left, right - out.right, out.top - top, bottom - out.bottom);
      if (by > 0.5) problems.push(`.${part.className} of ${chip.dataset.move} leaves its chip by ${by.toFixed(1)}`);
    }
    const also = chip.querySelector('.also'), name = chip.querySelector('.name');
    if (also) {
      const range = document.createRange();
      range.setStartAfter(name.querySelector('.unseen'));
      range.setEndAfter(name.lastChild);
      if (box(range).right > box(also).left + 1.5 && box(range).top < box(also).bottom - 0.4 * box(range).height) problems.push(`the corner of ${chip.dataset.move} lies on its number`);
    }
  }
  // Where something of a part is seen: its letters, and what is drawn.
  const inked = (part) => {
    if (part.matches('.badge, .boxes')) return [box(part)];
    const found = [...part.querySelectorAll('i, svg')].map(box);
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      if (texts.currentNode.parentElement.closest('.unseen')) continue;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      // Letters without the space above and below them.
      for (const { left, right, top, bottom, height } of range.getClientRects())
        found.push({ left, right, top: top + height / 5, bottom: bottom - height / 5 });
    }
    return found.filter((one) => one.right - one.left > 1);
  };
  const lies = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  for (const seat of document.querySelectorAll('.players .seat')) {
    const total = seat.querySelector('.points');
    if (total.checkVisibility() && inked(total).some((one) => one.right > box(seat).right + 0.5 || one.left < box(seat).left))
      problems.push("a total comes out of its card, where a neighbour's frame is");
    const parts = [...seat.querySelectorAll('.points, .left, .boxes, .name, .now, .badge')]
      .filter((one) => one.checkVisibility() && !one.parentElement.closest('.now'));
    for (const [i, part] of parts.entries())
      for (const other of parts.slice(i + 1))
        if (inked(part).some((one) => inked(other).some((two) => lies(one, two))))
          problems.push(`.${part.className} lies on .${other.className} of a player's card`);
  }
  // The ring around a field that can be taken lies outside of it.
  for (const field of document.querySelectorAll('.board .open'))
    if (getComputedStyle(field).overflow !== 'visible') problems.push(`the ring of ${field.dataset.field} is cut off`);
  return [...new Set(problems)];
}
