/** How older Tritons wrote the ops of `tt` that are still there. Source: TritonOps.td and Ops.cpp of 2.0 and 2.1. */
import type { OpParser, ParsedOperand } from "../../ir/asm.js";
import type { Type } from "../../ir/attribute.js";
import { i32ArrayAttr } from "../../ir/builtin-attrs.js";
import { i32, NoneType, RankedTensorType, withElementType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { OlderForm, OlderForms } from "../../ir/spelling.js";
import { LOAD_3_9, STORE_3_9 } from "./cache-policy.js";
import { defaultsOf } from "./defaults-of.js";
import { OldReduceOp } from "./older-reduce.js";
import { getI1SameShape, getPointeeType, getPointerTypeSameShape } from "./types.js";

/** `%x : (T) -> T` instead of `%x : T -> T`, for ops of one part each. */
export const functionalForm: Extract<OlderForm, { kind: "syntax" }> = {
  kind: "syntax",
  tells: true,
  parse(p) {
    const operands = p.operands();
    p.optAttrDict();
    p.punct(":");
    const { inputs, results } = p.functionType();
    p.state.operands.push(...p.resolveAll(operands, inputs));
    p.state.types.push(...results);
  },
  print(op, p) {
    p.write(` ${p.values(op.operands)}`);
    p.optAttrDict(op, defaultsOf(op));
    p.write(
      ` : ${p.functionType(
        op.operands.map((v) => v.type),
        op.resultTypes,
      )}`,
    );
  },
};

/** `%x : (T) -> T`: the two dimensions of a matrix change places. */
const trans: OlderForm = {
  ...functionalForm,
  parse(p) {
    functionalForm.parse(p);
    if (!p.state.attrs.some(([name]) => name === "order")) p.setAttr("order", i32ArrayAttr(p.ctx, [1, 0]));
  },
  print(op, p) {
    p.write(` ${p.values(op.operands)}`);
    p.optAttrDict(op, ["order"]);
    p.write(
      ` : ${p.functionType(
        op.operands.map((v) => v.type),
        op.resultTypes,
      )}`,
    );
  },
};

/** `%ptr, %mask, %other {cache = 1 : i32, ...} : T`: the type loaded; that of the pointers follows from it. Listings leave it out. */
const load: OlderForm = {
  kind: "syntax",
  tells: false,
  parse(p) {
    const operands = someOperands(p, 1, 3);
    p.optAttrDict();
    const pointers = operands[0]!.value.type;
    const result = p.atPunct(":") || NoneType.is(pointers) ? p.colonType() : getPointeeType(pointers)!;
    const types = [getPointerTypeSameShape(result), getI1SameShape(result), result];
    p.state.operands.push(...operands.map((operand, i) => resolveKnown(p, operand, types[i]!)));
    p.setAttr(SIZES, i32ArrayAttr(p.ctx, [1, operands.length > 1 ? 1 : 0, operands.length > 2 ? 1 : 0]));
    p.state.types.push(result);
  },
  print(op, p) {
    p.write(` ${p.values(op.operands)}`);
    const hidden = defaultsOf(op).filter((name) => name !== "cache" && name !== "evict" && name !== "isVolatile");
    p.optAttrDict(op, [SIZES, ...hidden]);
    p.write(` : ${p.type(op.result().type)}`);
  },
};

/** `%ptr, %value, %mask : T`: the type stored. */
const store: OlderForm = {
  kind: "syntax",
  tells: false,
  parse(p) {
    const operands = someOperands(p, 2, 3);
    p.optAttrDict();
    const value = p.colonType();
    const types = [getPointerTypeSameShape(value), value, getI1SameShape(value)];
    p.state.operands.push(...operands.map((operand, i) => resolveKnown(p, operand, types[i]!)));
  },
  print(op, p) {
    p.write(` ${p.values(op.operands)}`);
    p.optAttrDict(op, defaultsOf(op));
    p.write(` : ${p.type(op.operand(1).type)}`);
  },
};

/** `{axis = 0 : i32} : i32` */
const programId: OlderForm = {
  kind: "syntax",
  tells: false,
  parse(p) {
    p.optAttrDict();
    p.state.types.push(p.colonType());
  },
  print(op, p) {
    p.optAttrDict(op);
    p.write(` : ${p.type(op.result().type)}`);
  },
};

/** `%ptr, %offset : tensor<16x!tt.ptr<f16>>`: the offsets are as many 32-bit integers. */
const addPtr: OlderForm = {
  kind: "syntax",
  tells: false,
  parse(p) {
    const [ptr, offset] = someOperands(p, 2, 2);
    p.optAttrDict();
    const type = p.colonType();
    const integers = RankedTensorType.is(type) ? withElementType(type, i32(p.ctx)) : i32(p.ctx);
    p.state.operands.push(p.resolve(ptr!, type), resolveKnown(p, offset!, integers));
    p.state.types.push(type);
  },
  print(op, p) {
    p.write(` ${p.values(op.operands)}`);
    p.optAttrDict(op);
    p.write(` : ${p.type(op.result().type)}`);
  },
};

/** No syntax of its own yet. */
const GENERIC: OlderForm = { kind: "generic" };
const SIZES = "operandSegmentSizes";

function someOperands(p: OpParser, least: number, most: number): readonly ParsedOperand[] {
  const at = p.pos;
  const operands = p.operands();
  if (operands.length < least || operands.length > most)
    p.fail(`expected ${least === most ? least : `${least} to ${most}`} operands, got ${operands.length}`, at, "parse.operand-count");
  return operands;
}
/** The value, which is of a type not spelt here: as defined, where it is defined already. */
function resolveKnown(p: OpParser, operand: ParsedOperand, otherwise: Type): Operation["operands"][number] {
  if (NoneType.is(operand.value.type)) return p.resolve(operand, otherwise);
  // A pointer to a tensor, or to another address space: only what it points to was spelt.
  const { type } = operand.value;
  if (type !== otherwise && getPointeeType(type) !== getPointeeType(otherwise)) return p.resolve(operand, otherwise);
  return operand.value;
}

export const TT_OLDER_FORMS: OlderForms = {
  "3.9": { "tt.load": LOAD_3_9, "tt.store": STORE_3_9 },
  "2.1": {
    "tt.splat": functionalForm,
    "tt.broadcast": functionalForm,
    "tt.expand_dims": functionalForm,
    "tt.reshape": functionalForm,
    "tt.cat": functionalForm,
    "tt.trans": trans,
    "tt.load": load,
    "tt.store": store,
  },
  "2.0": {
    "tt.get_program_id": programId,
    "tt.get_num_programs": programId,
    "tt.reduce": { kind: "op", def: OldReduceOp },
    "tt.atomic_rmw": GENERIC,
    "tt.atomic_cas": GENERIC,
  },
  "1.9": { "tt.addptr": addPtr },
};
