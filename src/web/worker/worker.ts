/** The worker's shell: messages from the page, and slices of a few milliseconds between them. */
import type { Order, Report } from "../protocol.js";
import { Playground } from "./playground.js";

/** The part of a worker's global scope that is used. */
interface Scope {
  onmessage: ((event: { readonly data: Order }) => void) | null;
  postMessage(report: Report): void;
}
const scope = globalThis as unknown as Scope;

let lastReport = 0;
function send(report: Report): void {
  lastReport = performance.now();
  scope.postMessage(report);
}
const playground = new Playground(send, () => performance.now());

/** Milliseconds between looks at what the page has sent. */
const SLICE = 12;
/** Milliseconds without a report after which the page gets a sign of life. */
const SILENCE = 1000;
const { port1, port2 } = new MessageChannel();
let waiting = false;

/** Reports a bug, and goes on with what comes next. */
function safely<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    send({ kind: "broken", message: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}
function soon(): void {
  if (waiting) return;
  waiting = true;
  port2.postMessage(undefined);
}
port1.onmessage = () => {
  waiting = false;
  const until = performance.now() + SLICE;
  while (performance.now() < until) if (!safely(() => playground.step())) return send({ kind: "idle" });
  if (performance.now() - lastReport > SILENCE) send({ kind: "working" });
  soon();
};
scope.onmessage = ({ data }) => {
  safely(() => playground.receive(data));
  soon();
};
