/**
 * PTX of a module that takes too long to write at the end of its compilation: another thread, which starts this program's own
 * file again, runs the passes on the text once more without recording them.
 */
import { parentPort, Worker, workerData } from "node:worker_threads";
import { type Rejected, readSource } from "../library/sources.js";
import { start } from "./compiler.js";
import type { CompilerInput, Ptx, WhatIf } from "./state/state.js";

/** The message that starts the thread: without functions, as these cannot be sent to a thread. */
interface Order {
  readonly name: string;
  readonly input: Omit<CompilerInput, "source">;
  readonly settings: WhatIf;
}

/** Starts the thread; `news` is called with how far it is, and last with the PTX. Returns a function that stops it. */
export function writePtx({ source, ...input }: CompilerInput, settings: WhatIf, news: (ptx: Ptx) => void): () => void {
  const { name } = source.request;
  const order: Order = { name: source.defaults ? `${name}.ttir` : name, input, settings };
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
  const { name, input, settings } = workerData as Order;
  const tell = (ptx: Ptx) => parentPort!.postMessage(ptx);
  const why = ({ diagnostics }: Pick<Rejected, "diagnostics">) => diagnostics.find((d) => d.severity === "error")?.message;
  const source = readSource({ name, text: input.text });
  if (source.kind !== "module") return tell({ kind: "none", why: (source.kind === "error" && why(source)) || "it is no IR" });
  const options = { record: "nothing", verifyEach: false, maxArtifactOps: Number.POSITIVE_INFINITY } as const;
  const run = start({ ...input, source }, settings, () => performance.now(), options);
  let next = run.next();
  for (; !next.done; next = run.next()) {
    const { done, total } = next.value;
    tell({ kind: "making", done, total, what: next.value.next.flag });
  }
  const ptx = next.value.kind === "error" ? undefined : next.value.artifacts.ptx;
  tell(ptx === undefined ? { kind: "none", why: why(next.value) ?? "the module is not lowered to the end" } : { kind: "text", text: ptx });
}
