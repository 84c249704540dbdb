/** Fences between programs, and between ordinary accesses and asynchronous ones. Within a CTA the machine does things in order. */

import { fenceProxy } from "../clocks.js";
import type { Rule } from "../instruction-compiler.js";

export const fence: Rule = (c) => {
  const wide = !c.has("cta") && !c.has("cluster");
  if (wide && !c.has("proxy") && (c.op.opcode === "membar" || c.has("acq_rel") || c.has("sc")))
    c.emit((warp) => warp.cta.order?.fence(warp));
  // The async proxy's fence is the only proxy fence that makes writes visible to asynchronous hardware.
  if (c.has("proxy") && c.op.modifiers.some((m) => m === "async" || m.startsWith("async::"))) c.emit(fenceProxy);
};
