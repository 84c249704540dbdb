/** Loop annotations as metadata: `distinct !{!5, !6}` with one node a property. Source: mlir/lib/Target/LLVMIR/LoopAnnotationTranslation.cpp. */
import type { Attribute } from "../../ir/attribute.js";
import { IntegerAttr } from "../../ir/builtin-attrs.js";
import { bitWidth } from "../../ir/builtin-types.js";
import type { MetadataNode } from "./debug-info.js";

/** Which property a parameter is; `not`: it says the opposite. */
const PROPERTIES: readonly (readonly [group: string | undefined, parameter: string, property: string, not?: "not" | "flag"])[] = [
  [undefined, "disableNonforced", "llvm.loop.disable_nonforced", "flag"],
  [undefined, "mustProgress", "llvm.loop.mustprogress", "flag"],
  ["vectorize", "disable", "llvm.loop.vectorize.enable", "not"],
  ["vectorize", "width", "llvm.loop.vectorize.width"],
  ["interleave", "count", "llvm.loop.interleave.count"],
  ["unroll", "disable", "llvm.loop.unroll.disable", "flag"],
  ["unroll", "count", "llvm.loop.unroll.count"],
  ["unroll", "full", "llvm.loop.unroll.full", "flag"],
  ["unroll", "runtimeDisable", "llvm.loop.unroll.runtime.disable"],
  ["licm", "disable", "llvm.licm.disable", "flag"],
  ["licm", "versioningDisable", "llvm.loop.licm_versioning.disable", "flag"],
  ["distribute", "disable", "llvm.loop.distribute.enable", "not"],
  ["pipeline", "disable", "llvm.loop.pipeline.disable"],
  ["pipeline", "initiationinterval", "llvm.loop.pipeline.initiationinterval"],
  ["peeled", "count", "llvm.loop.peeled.count"],
];

/** The node of an annotation; branches with one annotation share it. */
export function loopMetadata(annotation: Attribute): MetadataNode {
  const operands: MetadataNode[] = [];
  const params = annotation.params as Readonly<Record<string, Attribute | undefined>>;
  for (const [group, parameter, property, not] of PROPERTIES) {
    const holder = group === undefined ? params : (params[group]?.params as Readonly<Record<string, Attribute | undefined>> | undefined);
    const value = holder?.[parameter];
    if (IntegerAttr.is(value)) operands.push(propertyNode(property, value.params.value, bitWidth(value.params.type) ?? 1, not));
  }
  const node: MetadataNode = {
    slot: -1,
    operands,
    text: () => `distinct !{!${node.slot}${operands.map((o) => `, !${o.slot}`).join("")}}`,
  };
  return node;
}
function propertyNode(property: string, value: bigint, width: number, not: "not" | "flag" | undefined): MetadataNode {
  const text = not === "not" ? String(value === 0n) : width === 1 ? String(value !== 0n) : String(value);
  const body = not === "flag" ? `!{!"${property}"}` : `!{!"${property}", i${width} ${text}}`;
  return { slot: -1, operands: [], text: () => body };
}
