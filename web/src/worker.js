// The service worker: keeps the page itself, so that without a line there is a page that says so, and the rules that were read.
const SHELL = [/* shell */];
const CACHE = `qwixx-${SHELL.join()}`;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("qwixx-") && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))));
  self.clients.claim();
});

// The page tells what else its reader needs.
self.addEventListener("message", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(event.data)));
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(kept(event.request));
  else if (url.pathname === "/api/games") event.respondWith(fresh(event.request));
  else if (event.request.mode === "navigate") event.respondWith(fetch(event.request).catch(() => caches.match("/")));
});

// A tap on "your turn" leads to that table, in a window that is open if there is one.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = event.notification.data;
  const find = async () => {
    const [page] = await self.clients.matchAll({ type: "window" });
    if (!page) return self.clients.openWindow(path);
    await page.focus();
    return page.navigate(path);
  };
  event.waitUntil(find());
});

/** Files that never change: from here if they are here. */
async function kept(request) {
  return (await caches.match(request)) ?? keep(request);
}

/** From the server if it answers, otherwise as it was last time. */
async function fresh(request) {
  try {
    return await keep(request);
  } catch {
    return (await caches.match(request)) ?? Response.error();
  }
}

async function keep(request) {
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(CACHE)).put(request, answer.clone());
  return answer;
}
