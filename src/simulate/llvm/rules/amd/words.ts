/** Values as words of 32 bits, in which AMD's instructions move them. */
import { intOf } from "../../../../ir/builtin-attrs.js";
import type { Operation } from "../../../../ir/operation.js";
import type { Value } from "../../../../ir/value.js";
import { type FunctionText, NotExecutable } from "../../function-text.js";

/** A flag among the attributes. */
export const flag = (op: Operation, name: string): number => ((intOf(op.attr(name)) ?? 0) === 0 ? 0 : 1);
/** An instruction of a wave: two warps of the machine do it together where it has 64 lanes. */
export const wave = (f: FunctionText, text: string): void => f.put(`wave${f.amd?.warpSize === 32 ? "32" : ""}.${text}`);
export const list = (registers: readonly string[]): string => `{${registers.join(", ")}}`;

/** A value as words; 8 and 16 bits have one each. */
export function wordsOf(f: FunctionText, value: Value): readonly string[] {
  const { bits } = f.leaves(value.type)[0]!;
  const registers = f.use(value);
  if (bits === 1) throw new NotExecutable("bits of predicates");
  const total = bits * registers.length;
  if (total % 32 === 0) return f.reshape(registers, bits, 32);
  if (registers.length > 1) throw new NotExecutable(`${total} bits in words`);
  const word = f.fresh(32);
  f.put(`cvt.u32.u${bits} ${word}, ${registers[0]}`);
  return [word];
}
/** The value of a result from words. */
export function fromWords(f: FunctionText, result: Value, words: readonly string[]): void {
  const leaves = f.leaves(result.type);
  const { bits } = leaves[0]!;
  if (bits * leaves.length >= 32) return f.bind(result, f.reshape(words, 32, bits));
  const [d] = f.define(result);
  f.put(`cvt.u${bits}.u32 ${d}, ${words[0]}`);
}
export const fresh = (f: FunctionText, count: number): string[] => Array.from({ length: count }, () => f.fresh(32));
export const register = (f: FunctionText, value: number): string => {
  const r = f.fresh(32);
  f.put(`mov.b32 ${r}, ${value}`);
  return r;
};
