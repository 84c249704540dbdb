/** Fences between ordinary accesses and asynchronous ones; those between threads order what the machine does in order. */

import { fenceProxy } from "../clocks.js";
import type { Rule } from "../instruction-compiler.js";

export const fence: Rule = (c) => {
  // Of the variants only this one says that asynchronous hardware sees what was written.
  if (c.has("proxy") && c.op.modifiers.some((m) => m === "async" || m.startsWith("async::"))) c.emit(fenceProxy);
};
