/** The parameters and threads of a kernel, which its head says. */

import { declaredAs, isEntry, type PtxFunction, type Specifier } from "../../ptx/instruction.js";
import { parsePtx } from "../../ptx/parse.js";
import type { KernelParameter } from "./program.js";
import { bitsOfType, bytesOfVariable } from "./scope.js";

/** `kernel` is by default the first entry. The error is one line; of a text that is not PTX there is nothing to say here: who runs it reports it. */
export function kernelParameters(text: string, kernel?: string): readonly KernelParameter[] | { readonly error: string } {
  const { module, diagnostics } = parsePtx(text);
  if (diagnostics.length > 0) return [];
  const entries = module.items.filter((i): i is PtxFunction => i.kind === "function" && isEntry(i) && i.body !== undefined);
  const entry = kernel === undefined ? entries[0] : entries.find((e) => e.name === kernel);
  return entry === undefined
    ? { error: kernel === undefined ? "the text has no .entry with a body" : `there is no kernel '${kernel}'` }
    : parametersOf(entry);
}

/** The parameters of an entry, with their offsets in parameter space. */
export function parametersOf(entry: PtxFunction): KernelParameter[] {
  let offset = 0;
  return (entry.params ?? []).map(({ name, specifiers, dims }) => {
    const bytes = bytesOfVariable(specifiers, dims);
    const { type } = declaredAs(specifiers);
    const alignment = Math.max(dims.length > 0 ? alignOf(specifiers) : 1, bitsOfType(type) / 8);
    offset = Math.ceil(offset / alignment) * alignment;
    const made = { name, type, bytes, offset, isPointer: specifiers.some((s) => s.name === "ptr") };
    offset += bytes;
    return made;
  });
}

const alignOf = (specifiers: readonly Specifier[]): number => declaredAs(specifiers).align ?? 1;

/** Threads of a CTA, where the text says how many. */
export const threadsOf = (entry: PtxFunction): readonly [number, number, number] | undefined =>
  extents(entry, "reqntid") ?? extents(entry, "maxntid");

/** CTAs of a cluster. */
export function numCtasOf(entry: PtxFunction): number {
  const [x, y, z] = extents(entry, "reqnctapercluster") ?? [1, 1, 1];
  return x * y * z;
}

function extents(entry: PtxFunction, directive: string): readonly [number, number, number] | undefined {
  const found = entry.directives.find((d) => d.name === directive);
  if (found === undefined) return undefined;
  const [x = 1, y = 1, z = 1] = found.values.map((v) => (v.kind === "integer" ? Number(v.value) : 1));
  return [x, y, z];
}
