/** How LLVM IR differs between the targets of LLVM. */
import type { Operation } from "../../ir/operation.js";

/** The differences of one target. */
export interface LlvmIrTarget {
  readonly dataLayout: string;
  readonly triple?: string;
  /** Texts of the module's flags: `!{i32 1, !"name", i32 2}`. */
  readonly flags: readonly string[];
  /** Definitions of globals that the module's own do not have. */
  readonly globals?: readonly string[];
  /** How a kernel is defined; undefined for a function that is none. */
  readonly kernel: (func: Operation) => KernelForm | undefined;
  /** Attributes that the dialect's mean there: key and value, or the key alone. */
  readonly attributes?: (func: Operation) => readonly (readonly [key: string, value: string | undefined])[];
  /** The body of a library's function; undefined where there is none. */
  readonly assembly?: (func: Operation) => InlineAsm | undefined;
}
/** A kernel's calling convention, and what it has besides its own attributes. */
export interface KernelForm {
  readonly convention: string;
  readonly attributes?: readonly (readonly [key: string, value: string])[];
  /** Attributes of each argument: `inreg`. */
  readonly argumentWords?: readonly string[];
}

/** A text for `asm`, and its constraints: the result, then the arguments. */
export interface InlineAsm {
  readonly text: string;
  readonly constraints: string;
}
