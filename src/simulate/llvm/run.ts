/** Executes the LLVM dialect at thread level. */
import type { Operation } from "../../ir/operation.js";
import { type PtxLaunch, type PtxRun, runPtx } from "../ptx/run.js";
import { sharedBytesOf, translateToPtx } from "./translate.js";

/** As `runPtx`; places in findings are lines of `file`. The error is one line. */
export function runLlvm(module: Operation, launch: PtxLaunch, file: string): PtxRun | { readonly error: string } {
  const translated = translateToPtx(module, file, launch.kernel);
  if ("error" in translated) return translated;
  const sharedBytes = launch.sharedBytes ?? sharedBytesOf(module);
  return runPtx(translated.text, { ...launch, kernel: translated.kernel, ...(sharedBytes === undefined ? {} : { sharedBytes }) }, file);
}
