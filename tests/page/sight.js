// What has to be in sight while a game runs and is not: whose turn it is, the totals, the fields.
() => {
  const table = document.querySelector('[data-phase]');
  if (!table || table.dataset.over !== undefined || !document.querySelector('[data-turn]')) return [];
  const seen = (el) => {
    const r = el.getBoundingClientRect();
    const within = r.top >= -1 && r.left >= -1 && r.bottom <= innerHeight + 1;
    return r.width > 0 && within && r.right <= innerWidth + 1;
  };
  const problems = [];
  if (![...document.querySelectorAll('[data-turn]')].some(seen)) problems.push('whose turn it is');
  for (const total of document.querySelectorAll('[data-total]')) if (!seen(total)) problems.push('a total');
  const flying = document.querySelector('.tumbling') !== null; // dice may come from beyond the edge
  if (!flying && document.documentElement.scrollHeight > innerHeight + 1) problems.push('scrolls');
  for (const cell of document.querySelectorAll('[data-field]')) {
    const r = cell.getBoundingClientRect();
    const top = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
    if (!top?.closest('.row')) problems.push(`${cell.dataset.field} is covered`);
  }
  return problems;
}
