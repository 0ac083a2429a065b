// Keeps the pages themselves, so that the app opens while the table is out of reach; data always comes from the table.
const SHELL = "pinpoint-shell-1";

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== SHELL).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const shell = url.pathname === "/" || url.pathname.startsWith("/static/");
  if (event.request.method !== "GET" || url.origin !== self.location.origin || !shell) return;
  event.respondWith(fresh(event.request, url));
});

async function fresh(request, url) {
  const key = url.origin + url.pathname; // never with the secret of a link in it
  const cache = await caches.open(SHELL);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(key, answer.clone());
    return answer;
  } catch (error) {
    const kept = await cache.match(key);
    if (kept) return kept;
    throw error;
  }
}
