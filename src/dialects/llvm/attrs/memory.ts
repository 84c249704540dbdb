/** Alias analysis and memory effects. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMAttrDefs.td. */

import type { Attribute } from "../../../ir/attribute.js";
import { defineAttr } from "../../../ir/attribute.js";
import { attr, bool, dflt, keywordOf, opt, type Param, str, structAttr, uint } from "./params.js";

const alias = { alias: true } as const;
const modRef = keywordOf({ none: 0, read: 1, write: 2, readwrite: 3 });

export const MemoryEffectsAttr = structAttr("llvm.memory_effects", { other: modRef, argMem: modRef, inaccessibleMem: modRef });
export const AliasScopeDomainAttr = structAttr("llvm.alias_scope_domain", { id: attr(), description: opt(attr()) }, alias);
export const AliasScopeAttr = structAttr(
  "llvm.alias_scope",
  { id: attr(), domain: attr("llvm.alias_scope_domain"), description: opt(attr()) },
  alias,
);
export const AccessGroupAttr = structAttr("llvm.access_group", { id: attr() }, alias);

export const TBAARootAttr = structAttr("llvm.tbaa_root", { id: opt(attr()) }, { alias: true, optionalBody: true });
/** `<type, offset>` */
export const TBAAMemberAttr = defineAttr<{ readonly typeDesc: Attribute; readonly offset: bigint }>("llvm.tbaa_member", {
  parse(p) {
    p.punct("<");
    const typeDesc = p.attribute();
    p.punct(",");
    const offset = p.integer();
    p.punct(">");
    return { typeDesc, offset };
  },
  print: ({ typeDesc, offset }, p) => `<${p.attr(typeDesc)}, ${offset}>`,
});
/** `{<type, offset>, ...}` */
const members: Param<readonly Attribute[]> = {
  parse: (p) => p.list("{", "}", () => attr("llvm.tbaa_member").parse(p)),
  print: (values, p) => `{${values.map((m) => p.stripped(m)).join(", ")}}`,
};
export const TBAATypeDescriptorAttr = structAttr("llvm.tbaa_type_desc", { id: str, members }, alias);
export const TBAATagAttr = structAttr(
  "llvm.tbaa_tag",
  { base_type: attr("llvm.tbaa_type_desc"), access_type: attr("llvm.tbaa_type_desc"), offset: uint, constant: dflt(bool, false) },
  alias,
);
/** `<"prefix":"suffix">` */
export const MMRATagAttr = defineAttr<{ readonly prefix: string; readonly suffix: string }>("llvm.mmra_tag", {
  parse(p) {
    p.punct("<");
    const prefix = p.string();
    p.punct(":");
    const suffix = p.string();
    p.punct(">");
    return { prefix, suffix };
  },
  print: ({ prefix, suffix }, p) => `<${p.string(prefix)}:${p.string(suffix)}>`,
  alias: () => "mmra_tag",
});
export const DereferenceableAttr = structAttr("llvm.dereferenceable", { bytes: uint, mayBeNull: dflt(bool, false) });
export const AddressSpaceAttr = defineAttr<{ readonly addressSpace: number }>("llvm.address_space", {
  parse(p) {
    p.punct("<");
    const addressSpace = p.int();
    p.punct(">");
    return { addressSpace };
  },
  print: ({ addressSpace }) => `<${addressSpace}>`,
});
