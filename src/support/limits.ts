/**
 * How much one input may ask for. Some texts stand for far more than themselves: forty lines of nested aliases are 2^40 elements,
 * a loop of one line doubles a string. Anything that can grow so is measured here before it is made.
 */

/** `most` of `what`; `hint` says what to do. `tt-step --explain limit.NAME` shows it. */
interface Limit {
  readonly most: number;
  readonly what: string;
  readonly hint: string;
}

export const LIMITS = {
  "alias-nesting": {
    most: 1024,
    what: "levels of nesting where aliases are written out",
    hint: "Aliases that are made of each other nest as deeply as the text without them would.",
  },
  "attribute-text": {
    most: 1 << 25,
    what: "characters in the text of one attribute or type",
    hint: "Aliases that contain each other several times over are written out in full where MLIR prints no alias. Nest them less deeply.",
  },
  "conversion-rounds": {
    most: 1000,
    what: "rounds of tritongpu-remove-layout-conversions over the ttg.convert_layout ops of a module",
    hint: "Each round computes sources of conversions again in the layout wanted, and leaves conversions of others: real Triton does not end on such IR either.",
  },
  "drawn-cells": {
    most: 1 << 20,
    what: "cells to draw",
    hint: "Give a smaller layout, tile or number of threads. Offsets, sizes and compositions, which are not drawn, have no such limit.",
  },
  "module-text": {
    most: 1 << 28,
    what: "characters in the text of one module",
    hint: "After lowering to the LLVM dialect a struct has a field for each element of a thread, and each use of it prints its type. Use smaller tensors, or more warps.",
  },
  "unrolled-ops": {
    most: 1 << 18,
    what: "ops that a loop is unrolled to",
    hint: "Lower tt.loop_unroll_factor (tl.range's loop_unroll_factor), or the rounds of tl.static_range.",
  },
  nesting: {
    most: 256,
    what: "levels of nesting",
    hint: "Text nested that deeply is damaged, or made by a program that can name its parts.",
  },
  "packed-elements": {
    most: 1024,
    what: "elements for one call of the function of tl.map_elementwise",
    hint: "Lower pack: a thread has no more elements than that.",
  },
  "pipeline-stages": { most: 256, what: "stages of a pipelined loop", hint: "Lower num_stages, of the kernel or of the loop (tl.range)." },
  programs: {
    most: 1 << 20,
    what: "programs of one launch that are executed",
    hint: "Give a smaller grid, or name the programs (--program).",
  },
  "python-file": {
    most: 1 << 21,
    what: "bytes in a Python file that is imported",
    hint: "The file is not read. Give what the kernel needs of it with --define.",
  },
  "python-imports": {
    most: 64,
    what: "modules that import each other in a row",
    hint: "The last of them is not read.",
  },
  "python-modules": {
    most: 1000,
    what: "Python files that are read for one kernel's file",
    hint: "Only what a kernel, a decorator or a condition needs is read.",
  },
  "python-packages": {
    most: 32,
    what: "levels of packages and folders above a Python file",
    hint: "Folders further up are not looked at.",
  },
  "python-value": {
    most: 1 << 22,
    what: "elements, characters or bits of a value that Python computes while compiling",
    hint: "Python code outside of kernels runs to find constants and helpers; a value of that size is none.",
  },
  "rewrites-of-an-op": {
    most: 100,
    what: "rewrites for each op of the region (of 1000 at least) in one round of a greedy rewrite driver",
    hint: "Patterns or folds that undo each other, or make ever new ops, do not end; real Triton does not end on such IR either.",
  },
  "static-turns": {
    most: 1 << 16,
    what: "turns of tl.static_range in one kernel",
    hint: "Each turn is written out. Use tl.range or range, which make a loop.",
  },
  "tensor-elements": {
    most: 1 << 27,
    what: "elements of one tensor that is executed",
    hint: "A program keeps its tensors in registers and shared memory: one of Triton has 2^20 elements at most.",
  },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

/** The input asks for more than `LIMITS` allows. Whoever knows the place reports it there, with `code`. */
export class LimitError extends Error {
  override readonly name = "LimitError";
  readonly code: string;
  constructor(readonly limit: LimitName) {
    super(limitMessage(limit));
    this.code = `limit.${limit}`;
  }
}

/** `limit: more than 1000 steps of a loop`. */
export function limitMessage(limit: LimitName): string {
  const { most, what } = LIMITS[limit];
  return `limit: more than ${most} ${what}`;
}

/** Throws a `LimitError` if `amount` is more than the limit; NaN is. */
export function within(limit: LimitName, amount: number): void {
  if (!(amount <= LIMITS[limit].most)) throw new LimitError(limit);
}
