/**
 * Work in another thread, which bin/second-thread.js starts: PTX, or LLVM IR for AMD's GPUs, of a module that takes too long to write at
 * the end of its compilation (the passes run on the text once more without recording them), and machine code by NVIDIA's assembler or LLVM.
 */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { type Rejected, readSource } from "../library/sources.js";
import type { MachineCode, Trace } from "../trace/trace.js";
import { start } from "./compiler.js";
import { assembledText } from "./machine-step.js";
import type { CompilerInput, Ptx, WhatIf } from "./state/state.js";

/** The message that starts the thread: without functions, as these cannot be sent to a thread. */
type Order =
  | { readonly kind: "ptx"; readonly name: string; readonly input: Omit<CompilerInput, "source">; readonly settings: WhatIf }
  | ({ readonly kind: "machine code" } & ToAssemble);
/** The PTX or LLVM IR of a compilation. */
export interface ToAssemble extends Pick<Trace, "target" | "options"> {
  readonly text: string;
}

/** The machine code, or why there is none. */
export type Assembled = MachineCode | { readonly error: string };
/** Runs the assembler that is found. */
export type Assembler = (code: ToAssemble) => Assembled;

/** Starts a thread that writes PTX; `news` is called with how far it is, and last with the PTX. Returns a function that stops it. */
export function writePtx({ source, edited: _, ...input }: CompilerInput, settings: WhatIf, news: (ptx: Ptx) => void): () => void {
  const { name } = source.request;
  let last: Ptx | undefined;
  const tell = (ptx: Ptx): void => news((last = ptx));
  const ended = (why: string) => last?.kind === "text" || last?.kind === "none" || news({ kind: "none", why });
  return begin({ kind: "ptx", name: source.defaults ? `${name}.ttir` : name, input, settings }, tell, ended);
}
/** Starts a thread that assembles. Returns a function that stops it. */
export function assemble(code: ToAssemble, news: (made: Assembled) => void): () => void {
  let isMade = false;
  const made = (code: Assembled): void => {
    isMade = true;
    news(code);
  };
  return begin({ kind: "machine code", ...code }, made, (error) => isMade || made({ error }));
}
function begin<T>(order: Order, news: (message: T) => void, ended: (why: string) => void): () => void {
  const worker = new Worker(join(dirname(realpathSync(process.argv[1]!)), "second-thread.js"), { workerData: order });
  worker.on("message", news);
  worker.on("error", ({ message }) => ended(message));
  worker.on("exit", () => ended("its thread ended"));
  return () => {
    worker.removeAllListeners();
    void worker.terminate();
  };
}

/** The main function of the second thread. */
export function secondThread(assembler: Assembler): void {
  const order = workerData as Order;
  if (order.kind === "ptx") writeOrderedPtx(order, (ptx) => parentPort!.postMessage(ptx));
  else parentPort!.postMessage(assembler(order));
}

function writeOrderedPtx({ name, input, settings }: Extract<Order, { kind: "ptx" }>, tell: (ptx: Ptx) => void): void {
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
  const made = next.value;
  const text = made.kind === "error" ? undefined : assembledText(made.trace);
  if (made.kind === "error" || text === undefined) return tell({ kind: "none", why: why(made) ?? "the module is not lowered to the end" });
  const instructions: Record<number, readonly string[]> = {};
  let number = 0;
  source.module.walk((op) => {
    const names = made.artifacts.instructions?.[made.idOf(op.id)];
    if (names) instructions[number] = names;
    number++;
  });
  tell({ kind: "text", text, instructions });
}
