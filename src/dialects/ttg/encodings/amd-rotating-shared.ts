/** `#ttg.amd_rotating_shared`: swizzling that rotates from block to block of rows. Source: TritonGPUAttrDefs.td, AMDRotatingSharedEncodingAttr. */
import type { AmdRotatingSharedParams } from "../../../layout/encoding-params.js";
import { cgaBases, cgaLayout } from "./cga.js";
import { defineEncoding } from "./define-encoding.js";
import { parseSwizzled, type SwizzledAttrParams } from "./swizzled-shared.js";

export const AmdRotatingSharedEncoding = defineEncoding<SwizzledAttrParams, AmdRotatingSharedParams>("amd_rotating_shared", {
  summary: "rows in shared memory with swizzling that rotates",
  alias: "shared",
  parse: parseSwizzled,
  toEncoding: ({ CGALayout, ...rest }) => ({ kind: "amd_rotating_shared", ...rest, cga: cgaLayout(CGALayout, rest.order.length) }),
  fromEncoding: ({ vec, perPhase, maxPhase, order, cga }) => ({ vec, perPhase, maxPhase, order, CGALayout: cgaBases(cga) }),
});
