/** TMA loads that still look synchronous. Source: NVWSOps.td. */

import { intOf } from "../../../ir/builtin-attrs.js";
import { defaultAttr, I32, I32Attr, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { type InterfaceImpl, implement } from "../../../ir/interfaces.js";
import { I32Tensor, TensorDesc } from "../../tt/constraints.js";
import { CacheModifierAttr, EvictionPolicyAttr } from "../../tt/enums.js";
import { DescriptorOpInterface } from "../../tt/op-interfaces.js";
import { readsGlobal } from "../../tt/tt-op.js";
import { writesShared } from "../../ttg/ttg-op.js";
import { MemDescOperand } from "../../ttg/types.js";
import { DescriptorLoadOpInterface } from "../interfaces.js";

const loadsThroughDescriptor: readonly InterfaceImpl[] = [
  implement(DescriptorLoadOpInterface, { desc: (op) => op.operand(0), txCount: (op) => intOf(op.attr("txCount")) ?? 0 }),
  implement(DescriptorOpInterface, { desc: (op) => op.operand(0) }),
];

export const DescriptorLoadOp = defineOp("nvws.descriptor_load", () => ({
  summary: "Load from descriptor and store into shared memory",
  operands: { desc: TensorDesc, indices: variadic(I32), result: MemDescOperand },
  attrs: {
    txCount: I32Attr,
    cache: defaultAttr(CacheModifierAttr, "none"),
    evict: defaultAttr(EvictionPolicyAttr, "evict_normal"),
  },
  interfaces: loadsThroughDescriptor,
  format:
    "$desc `[` $indices `]` $txCount $result oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type(operands)",
  effects: ({ desc, result }) => [readsGlobal(desc), writesShared(result)],
}));

export const DescriptorGatherOp = defineOp("nvws.descriptor_gather", () => ({
  summary: "gather multiple rows from a descriptor into shared memory",
  operands: { desc: TensorDesc, x_offsets: I32Tensor, y_offset: I32, result: MemDescOperand },
  attrs: { txCount: I32Attr },
  interfaces: loadsThroughDescriptor,
  format: "$desc `[` $x_offsets `,` $y_offset `]` $txCount $result attr-dict `:` type(operands)",
  effects: ({ desc, result }) => [readsGlobal(desc), writesShared(result)],
}));
