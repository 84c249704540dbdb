/** The messages between `run.ts` and `worker.ts`. */

export interface Request {
  readonly kernel: string;
  readonly target: string;
  /** Steps as they are without a fault: where the final code is the same it is not validated, nor where this is absent. */
  readonly sound?: readonly Step[];
  /** The process ends by OUT_OF_TIME after so much CPU time. */
  readonly limitMs: number;
}
/** A pass, and a hash of the text that it leaves. The last one is the final code: PTX, or the LLVM dialect of an AMD GPU. */
export type Step = readonly [pass: string, hash: string];
export interface Reply {
  readonly steps: readonly Step[];
  /** The compiler's own error: a diagnostic, or an exception. */
  readonly failed?: string | undefined;
  /** The report of `--validate`, and its exit code. */
  readonly validation?: { readonly code: number; readonly text: string };
  /** CPU time, as the next. */
  readonly compileMs: number;
  readonly validateMs: number;
  /** Indices of the places passed. */
  readonly reached?: readonly number[];
}
