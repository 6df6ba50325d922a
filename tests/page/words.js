// Everything the page says, to be seen or to be heard.
() => {
  const names = ['aria-label', 'placeholder', 'title', 'alt'];
  const labelled = [...document.querySelectorAll(names.map((name) => `[${name}]`).join())];
  const labels = labelled.flatMap((el) => names.map((name) => el.getAttribute(name) ?? ''));
  return [document.body.innerText, document.title, ...labels].join('\n');
}
