/** Keeps the page's files, so that it opens without a network; a new build takes the place of the old one when it is complete. */
declare const FILES: readonly string[];
declare const VERSION: string;

interface Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
/** The part of a service worker's global scope that is used. */
interface Scope {
  addEventListener(type: "install" | "activate", listener: (event: Event) => void): void;
  addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  readonly registration: { readonly scope: string };
}
const scope = globalThis as unknown as Scope;
const name = `tt-step ${VERSION}`;

scope.addEventListener("install", (event) =>
  event.waitUntil(
    caches
      .open(name)
      .then((cache) => cache.addAll(["./", ...FILES]))
      .then(() => scope.skipWaiting()),
  ),
);
scope.addEventListener("activate", (event) =>
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((other) => other.startsWith("tt-step ") && other !== name).map((old) => caches.delete(old))),
      )
      .then(() => scope.clients.claim()),
  ),
);
scope.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(scope.registration.scope)) return;
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(event.request)));
});
