/** The parameters of a kernel, without compiling it. */

import { isEntry, type PtxFunction } from "../../ptx/instruction.js";
import { parsePtx } from "../../ptx/parse.js";
import { parametersOf } from "./compile.js";
import type { KernelParameter } from "./program.js";

/** `kernel` is by default the first entry. The error is one line. */
export function kernelParameters(text: string, kernel?: string): readonly KernelParameter[] | { readonly error: string } {
  const { module } = parsePtx(text);
  const entries = module.items.filter((i): i is PtxFunction => i.kind === "function" && isEntry(i) && i.body !== undefined);
  const entry = kernel === undefined ? entries[0] : entries.find((e) => e.name === kernel);
  return entry === undefined
    ? { error: kernel === undefined ? "the text has no .entry with a body" : `there is no kernel '${kernel}'` }
    : parametersOf(entry);
}
