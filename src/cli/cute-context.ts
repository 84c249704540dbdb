/** The arguments of `cute-layout` as its commands take them, and errors at a place in them. */
import { SyntaxProblem } from "../cute/parse-term.js";
import { CuteError } from "../cute/term.js";
import { LayoutError } from "../layout/layout-error.js";
import type { CUTE_FORMATS, CuteArgs, Word } from "./options/cute.js";

export type Format = (typeof CUTE_FORMATS)[number];

/** An error at a place in a text (a command line argument, a file). */
export class Problem extends Error {
  constructor(
    readonly source: string,
    readonly text: string,
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

/** The arguments of one run; `fail` reports an error at one of them. */
export interface CuteContext {
  readonly args: CuteArgs;
  readonly fail: (word: Word | undefined, message: string) => never;
  readonly format: Format;
}

/** Runs `f`; what it refuses points into `text`. */
export function within<T>(text: string, f: () => T, source = "<expression>"): T {
  try {
    return f();
  } catch (e) {
    if (e instanceof SyntaxProblem) throw new Problem(source, text, e.offset, e.message);
    if (e instanceof CuteError || e instanceof LayoutError) throw new Problem(source, text, 0, e.message);
    throw e;
  }
}
