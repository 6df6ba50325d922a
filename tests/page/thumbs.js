// What can be pressed and is smaller than a thumb needs.
() => [...document.querySelectorAll('button, a[href], select, input, [role=slider]')].flatMap((el) => {
  if (!el.checkVisibility({ visibilityProperty: true }) || el.matches('.cell')) return [];
  if (document.querySelector('dialog[open]') && !el.closest('dialog')) return [];
  const target = el.matches('input[type=radio], input[type=checkbox]') ? el.closest('label') : el;
  const r = target.getBoundingClientRect();
  return r.width >= 43.5 && r.height >= 43.5 ? [] : [`${el.tagName}.${el.className} ${r.width.toFixed()} × ${r.height.toFixed()}`];
})
