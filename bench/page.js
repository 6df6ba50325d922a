// What bench/page.py lets the page do and write down about itself.
() => {
  const table = () => document.querySelector('[data-phase]');
  const all = (selector) => [...document.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const measured = { shown: [], confirmed: [], shifts: [], throws: 0, taps: 0, began: Infinity, finished: null };
  window.measured = measured;

  // From the tap on a choice to the picture after it, and from the last tap to the server's word.
  document.addEventListener('click', (event) => {
    const [chip, go] = [event.target.closest('[data-move]'), event.target.closest('[data-do="confirm"]')];
    const start = performance.now();
    if (chip && chip.getAttribute('aria-pressed') === 'false') {
      requestAnimationFrame(() => {
        const drawn = chip.getAttribute('aria-pressed') === 'true';
        requestAnimationFrame(() => measured.shown.push([drawn, performance.now() - start]));
      });
    } else if (chip || (go && go.getAttribute('aria-disabled') !== 'true')) {
      const number = table().dataset.number;
      const watch = new MutationObserver(() => {
        if (table()?.dataset.number === number) return;
        measured.confirmed.push(performance.now() - start);
        watch.disconnect();
      });
      watch.observe(document.body, { subtree: true, attributes: true, childList: true });
    }
  }, true);

  const named = (node) => {
    const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    return element ? `${element.localName}.${String(element.className.baseVal ?? element.className).split(' ').filter((name) => !name.startsWith('svelte-')).join('.')}` : '(gone)';
  };
  const rect = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
  new PerformanceObserver((list) => {
    for (const { value, startTime, sources } of list.getEntries()) {
      if (startTime < measured.began || one('[data-over]')) continue; // another screen is no shift
      const what = sources.map((source) => `${named(source.node)} (${rect(source.previousRect)} → ${rect(source.currentRect)})`);
      measured.shifts.push([value, table()?.dataset.phase ?? null, what.join('; ')]);
    }
  }).observe({ type: 'layout-shift' });

  // When dice take off and how long they fly, for whoever traces. Nothing is asked of the page in between: who wants to be called for
  // every frame is part of every frame.
  const [thrown, held] = ['tumbling', 'tumbling held'].map((names) => document.getElementsByClassName(names));
  let rolls = false;
  const look = () => {
    if (rolls === thrown.length > held.length) return;
    rolls = !rolls;
    if (rolls) measured.throws += 1;
    const flights = [...thrown].map((die) => parseFloat(die.style.getPropertyValue('--flight')));
    performance.mark(rolls ? `tumble ${Math.max(...flights)}` : 'rest');
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributeFilter: ['class'] });

  // Somebody who decides at once: the choice that skips least, and none that skips more than two for nothing.
  const skips = (chip) => Number(/skips (\d+)/.exec(chip.textContent)?.[1] ?? 0);
  const wish = (manner) => {
    if (!one('[data-acting]')) return manner.hurry ? one('[data-do="hurry"]') : null;
    if (one('[data-do="roll"]')) return one('[data-do="roll"][aria-busy="false"]');
    const picked = one('[data-move][aria-pressed="true"]:enabled') ?? one('[data-do="pass"][aria-pressed="true"]');
    if (picked) return picked;
    const [best] = all('[data-move]:enabled').sort((a, b) => skips(a) - skips(b));
    const pass = one('[data-do="pass"]');
    return best && (skips(best) <= 2 || pass?.classList.contains('costly')) ? best : pass;
  };
  const tap = (target) => {
    measured.taps += 1;
    target.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    target.click();
  };
  window.playOn = (manner) => {
    const began = (measured.began = performance.now());
    let [moment, since] = ['', 0];
    const act = (now) => {
      if (one('[data-over]')) {
        measured.finished = { taps: measured.taps, seconds: (performance.now() - began) / 1000 };
        return;
      }
      const dice = manner.skip && one('.tumbling');
      const target = dice ? one('.tray') : wish(manner);
      const seen = `${table()?.dataset.number} ${dice ? 'tumble' : ''} ${target?.dataset.do ?? target?.dataset.move} ${target?.ariaPressed}`;
      // A tap that changed nothing is not made again at once.
      if (target && (seen !== moment || now - since > 600)) {
        [moment, since] = [seen, now];
        tap(target);
      }
      // Who waits for the dice looks seldom, so that the looking is no part of their frames.
      if (one('.tumbling') && !manner.skip) setTimeout(() => act(performance.now()), 100);
      else requestAnimationFrame(act);
    };
    requestAnimationFrame(act);
  };
}
