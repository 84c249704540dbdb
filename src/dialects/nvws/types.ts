/** Types and attributes of nvws. Source: third_party/nvidia/include/Dialect/NVWS/IR/NVWSTypes.td, NVWSAttrDefs.td. */
import { defineAttr, defineType, type Type } from "../../ir/attribute.js";
import { arrayAttrOf, i32EnumAttr, rankedTensorOf, type TypeConstraint, typeConstraint } from "../../ir/constraints.js";

/** `!nvws.aref<[!ttg.memdesc<...>, ...]>`: a ring of buffers that producers and consumers hand to each other. */
export const ArefType = defineType<{ readonly baseType: readonly Type[] }>("nvws.aref", {
  summary: "Asynchronous Reference",
  parse(p) {
    p.punct("<");
    const baseType = p.list("[", "]", () => p.type());
    p.punct(">");
    return { baseType };
  },
  print: ({ baseType }, p) => `<[${baseType.map((type) => p.type(type)).join(", ")}]>`,
});
export const Aref: TypeConstraint = { ...typeConstraint(ArefType.summary!, (t) => ArefType.is(t)), stripped: ArefType.name };

/** A token that a producer and a consumer acquire and release in turns; older than arefs. */
export const TokenType = defineType<Record<string, never>>("nvws.token");
// Upstream's token has no summary, so the element's description is empty.
export const TokenTensor = rankedTensorOf(
  typeConstraint("", (t) => TokenType.is(t)),
  "tensor of  values",
);

export const TokenLoadTypeAttr = i32EnumAttr("TokenLoadType", "", {
  none: 0,
  asyncLoadOp: 1,
  tmaLoadOp: 2,
  localStoreOp: 3,
  TmemLoadOp: 4,
});

const ASYNC_OPS = ["none", "tma_load", "tc5mma", "tmem_copy", "cp_async", "wgmma"] as const;
export type AsyncOpKind = (typeof ASYNC_OPS)[number];
/** `#nvws.async_op<tma_load>`: what a holder of a buffer does with it asynchronously. */
export const AsyncOpAttr = defineAttr<{ readonly value: AsyncOpKind }>("nvws.async_op", {
  parse(p) {
    p.punct("<");
    const at = p.pos;
    const word = p.optAnyKeyword();
    const value = ASYNC_OPS.find((op) => op === word);
    if (value === undefined)
      return p.fail(`expected ::mlir::triton::nvws::AsyncOp to be one of: ${ASYNC_OPS.join(", ")}`, at, "parse.enum");
    p.punct(">");
    return { value };
  },
  print: ({ value }) => `<${value}>`,
});
export const AsyncOpArrayAttr = arrayAttrOf("array of async op attributes", {
  description: "",
  test: (a) => AsyncOpAttr.is(a),
  read: (a) => a,
});
