/**
 * PTX of a module that takes too long to write at the end of its compilation: another thread, which starts this program's own
 * file again, runs the passes on the text once more without recording them.
 */
import { parentPort, Worker, workerData } from "node:worker_threads";
import { parse, start } from "./compiler.js";
import type { CompilerInput, Ptx, WhatIf } from "./state/state.js";

/** The message that starts the thread: without functions, as these cannot be sent to a thread. */
interface Order {
  readonly input: Omit<CompilerInput, "regenerate">;
  readonly settings: WhatIf;
}

/** Starts the thread; `news` is called with how far it is, and last with the PTX. Returns a function that stops it. */
export function writePtx({ regenerate: _, ...input }: CompilerInput, settings: WhatIf, news: (ptx: Ptx) => void): () => void {
  const order: Order = { input, settings };
  const worker = new Worker(process.argv[1]!, { workerData: order });
  let last: Ptx | undefined;
  worker.on("message", (ptx: Ptx) => {
    last = ptx;
    news(ptx);
  });
  worker.on("error", ({ message }) => news({ kind: "none", why: message }));
  worker.on("exit", () => last?.kind === "text" || last?.kind === "none" || news({ kind: "none", why: "its thread ended" }));
  return () => {
    worker.removeAllListeners();
    void worker.terminate();
  };
}

/** The main function of the second thread. */
export function writeOrderedPtx(): void {
  const { input, settings } = workerData as Order;
  const tell = (ptx: Ptx) => parentPort!.postMessage(ptx);
  const parsed = parse(input.name, input.text);
  if ("error" in parsed) return tell({ kind: "none", why: parsed.error.split("\n")[0]! });
  const options = { texts: false, steps: false, remarks: false, verifyEach: false, maxArtifactOps: Number.POSITIVE_INFINITY };
  const run = start(input, parsed.module, settings, () => performance.now(), options);
  let next = run.next();
  for (; !next.done; next = run.next()) {
    const { done, total } = next.value;
    tell({ kind: "making", done, total, what: next.value.next.flag });
  }
  const { artifacts, diagnostics } = next.value.trace;
  const problem = diagnostics.find((d) => d.severity === "error")?.message ?? "the module is not lowered to the end";
  tell(artifacts.ptx === undefined ? { kind: "none", why: problem } : { kind: "text", text: artifacts.ptx });
}
