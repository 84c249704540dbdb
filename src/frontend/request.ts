/**
 * The interface between the command line and the code generator: which kernels a file has, and for which types, constants
 * and hints one of them is compiled. Constants are Python expressions as text; they are evaluated in the file's own scope.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.js";

import type { CommentSetting } from "./kernel-comment.js";

/** `i32`, `*fp16`, `tensordesc<fp16[64, 64]>`, `constexpr`; a tuple argument has a list. As in ASTSource's signature. */
export type TypeSpec = string | readonly TypeSpec[];

/** The specification of one argument: a type with its hints, a constant, or a tuple of these. */
export type ArgumentSpec =
  | {
      readonly kind: "type";
      readonly type: string;
      readonly divisibility: number | undefined;
      /** True for a pointer to a tensor of less than 2 GiB: its offsets fit 32 bits. */
      readonly isSmall?: boolean;
    }
  | { readonly kind: "constant"; readonly expression: string }
  | { readonly kind: "tuple"; readonly elements: readonly ArgumentSpec[] };

/** A parameter of a kernel as its `def` has it. */
export interface KernelParameter {
  readonly name: string;
  /** Annotated `tl.constexpr`. */
  readonly isConstexpr: boolean;
  /** How a launch specializes a number: by type alone (`do_not_specialize`), also by whether it is 1 (`..._on_alignment`), or by value. */
  readonly specialized: "value" | "one" | "type";
  /** The default value, as written in the source. */
  readonly defaultText: string | undefined;
}

/** One `triton.Config` of `@triton.autotune`; constants as Python expressions. */
export interface KernelConfig {
  readonly constants: ReadonlyMap<string, string>;
  readonly numWarps: number | undefined;
  readonly numStages: number | undefined;
  readonly numCtas: number | undefined;
  readonly maxnreg: number | undefined;
}

/** An entry of a signature that nobody gave: from a launch in the file or its tests, from an annotation, or guessed from the parameter's use. */
export interface Guess {
  readonly text: string;
  readonly from: "call" | "annotation" | "use";
}
export interface GuessedArguments {
  /** By parameter. */
  readonly entries: ReadonlyMap<string, Guess>;
  /** `num_warps` and its like, as the launch states them. */
  readonly options: ReadonlyMap<string, string>;
}

/** A function under `@triton.jit`. */
export interface KernelInfo {
  readonly name: string;
  /** The 1-based line of its first decorator. */
  readonly line: number;
  readonly parameters: readonly KernelParameter[];
  readonly configs: readonly KernelConfig[];
  /** Why its configurations are not known, where it has some. */
  readonly configsUnknown?: string | undefined;
  /** The parameters that `@triton.heuristics` computes. */
  readonly heuristics: readonly string[];
  /** `@triton.jit(debug=True)` */
  readonly debug: boolean;
  /** Signature entries for its parameters, as the file states them or as a guess. */
  readonly guess: () => GuessedArguments;
  /** The grid of its launch in the file, for numbers by parameter and constants as Python expressions; undefined where it depends on more. */
  readonly grid: (numbers: ReadonlyMap<string, number>, constants: ReadonlyMap<string, string>) => readonly number[] | undefined;
  /** As in a comment above it: what Inductor's decorator says. */
  readonly settings: readonly CommentSetting[];
  /** Why it cannot be compiled, whatever is asked for. */
  readonly refused?: Diagnostic | undefined;
}

/** A kernel and what it is compiled for: every parameter has a type, `constexpr` for constants. */
export interface Specialization {
  readonly kernel: string;
  /** In the order of the parameters. */
  readonly signature: ReadonlyMap<string, TypeSpec>;
  /** By path: `"2"` for the third argument, `"2,0"` for the first element of a tuple there. Python expressions. */
  readonly constants: ReadonlyMap<string, string>;
  /** By path: attributes of arguments, `[["tt.divisibility", 16]]`. */
  readonly attrs: ReadonlyMap<string, readonly (readonly [name: string, value: number])[]>;
  /** Whether heuristics may be guessed: what they compute of numbers whose values are not known. */
  readonly guess?: boolean;
}
