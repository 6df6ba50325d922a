// From the press of the button to the picture after it, and to the server's word; and what moves meanwhile.
() => {
  window.shown = []; window.confirmed = []; window.shifts = [];
  const tray = () => document.querySelector('.tray');
  document.addEventListener('click', (event) => {
    const go = event.target.closest('.go');
    if (!go || tray()?.dataset.phase === 'roll') return;
    const [start, number, before] = [performance.now(), tray().dataset.number, tray().innerHTML];
    requestAnimationFrame(() => {
      const changed = tray()?.innerHTML !== before;
      requestAnimationFrame(() => window.shown.push([changed, performance.now() - start]));
    });
    const watch = new MutationObserver(() => {
      if (tray()?.dataset.number === number) return;
      window.confirmed.push(performance.now() - start);
      watch.disconnect();
    });
    watch.observe(document.body, { subtree: true, attributes: true, childList: true });
  }, true);
  new PerformanceObserver((list) => tray() && window.shifts.push(...list.getEntries().map((entry) => [entry.value, entry.hadRecentInput, entry.sources.map((s) => s.node?.className ?? '').join()])))
    .observe({ type: 'layout-shift' });
}
