/** The instructions of AMD's GPUs on a line of their assembly: `buffer_load_dwordx4 v[2:5], v1, s[8:11], 0 offen`. */
import type { InstructionFacts } from "../instruction-facts.js";
import { amdKindOf } from "./amd-lines.js";

/** Bits of a lane by the parts of a name that say them. */
const WIDTHS: readonly (readonly [part: RegExp, bits: number])[] = [
  [/dwordx4|_b128/, 128],
  [/dwordx3|_b96/, 96],
  [/dwordx2|_[bfiu]64/, 64],
  [/pk_/, 32],
  [/short|_[bfiu]16/, 16],
  [/byte|_[bfiu]8/, 8],
  [/dword|_[bfiu]32/, 32],
];
const MOVES = new Set(["load", "store", "atomic", "async-copy", "matrix-load"]);

/** The name as the LLVM dialect has it. Atomics of LDS are named by what they compute alone, and RDNA has loads of LDS for reads. */
const intrinsicOf = (name: string): string =>
  name
    .replace(/^v_/, "")
    .replace(/^ds_(?=(?:add|r?sub|inc|dec|min|max|and|or|xor|mskor|pk_add|cmp\w+|wrxchg|storexchg)_)/, "ds_atomic_")
    .replace(/^ds_load_/, "ds_read_")
    .replace(/^ds_store_/, "ds_write_")
    .replace(/^ds_read_b\d+_tr_/, "ds_read_tr_");

/** The effect of the instruction on a line; undefined for labels, directives and arithmetic. */
export function readAmdAssembly(line: string): InstructionFacts | undefined {
  const [, name = "", operands = ""] = /^\s+([a-z]\w+)\s*([^;]*)/.exec(line) ?? [];
  const known = amdKindOf(intrinsicOf(name));
  const found = name.endsWith("_dpp") ? { kind: "shuffle" as const, space: undefined } : known;
  if (!found) return undefined;
  const isCounter = name.startsWith("s_wait");
  const modifiers = isCounter ? [] : (operands.match(/\b(?:sc0|sc1|nt|glc|slc|dlc|lds)\b/g) ?? []);
  const instruction = [name, ...(isCounter ? [operands.trim()] : modifiers)].join(" ").trim();
  const fact = { ...found, instruction, modifiers, predicate: undefined, mma: undefined, widthBits: 0, vector: 0, bytesPerThread: 0 };
  const one = WIDTHS.find(([part]) => part.test(name))?.[1];
  if (one === undefined || !MOVES.has(found.kind)) return fact;
  // Two addresses at once: ds_read2_b64, ds_write2st64_b32, ds_load_2addr_b32.
  const bits = /^ds_\w+?2(?:st64|addr(?:_stride64)?)?_/.test(name) ? 2 * one : one;
  return { ...fact, widthBits: Math.min(bits, 32), vector: Math.max(1, bits / 32), bytesPerThread: bits / 8 };
}
