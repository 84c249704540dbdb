/** Layout attributes of older Tritons, as dialects of attributes only. */
import type { AttrDef, Attribute } from "../../../ir/attribute.js";
import { type DialectDef, defineDialect } from "../../../ir/define-dialect.js";
import * as encodings from "../encodings/index.js";
import { BlockedLayout } from "./blocked-layout.js";
import { legacyEncodings } from "./encodings.js";

export { encodingFor } from "./encodings.js";

const byName = (defs: readonly object[]): Readonly<Record<string, unknown>> => Object.fromEntries(defs.entries());
const olderTritonGpu = legacyEncodings("triton_gpu");
const olderTtg = legacyEncodings("ttg");
const isRenamed = (def: unknown): boolean => olderTtg.some(({ name }) => name === (def as { name?: string }).name);

/** `#triton_gpu.*`: Triton up to 3.2. */
export const tritonGpuLayouts: DialectDef = defineDialect("triton_gpu", { ops: [], attrs: [byName([...olderTritonGpu, BlockedLayout])] });

/** `#ttg.*` with CTAsPerCGA, CTASplitNum and CTAOrder: Triton 3.3 to 3.5. Layouts that did not change are today's. */
export const ttgLayoutsBefore36: DialectDef = defineDialect("ttg", {
  ops: [],
  attrs: [byName([...olderTtg, ...Object.values(encodings).filter((def) => !isRenamed(def))])],
});

/** The attribute as its era's printer wrote it: from 3.0 on it printed `hasLeadingOffset` whatever it was. */
export function asItsEraPrints(attr: Attribute): Attribute {
  if (attr.def.name !== "triton_gpu.shared") return attr;
  const params = attr.params as { readonly names: readonly string[]; readonly values: readonly unknown[] };
  if (params.names.includes("hasLeadingOffset")) return attr;
  const full = { names: [...params.names, "hasLeadingOffset"], values: [...params.values, false] };
  return (attr.def as AttrDef<typeof params>).get(attr.ctx, full);
}
