/** The grid, ranges and filled blocks. Source: python/triton/language/core.py. */
import { GetNumProgramsOp, GetProgramIdOp, MakeRangeOp } from "../../../dialects/tt/ops/program.js";
import type { OpDef } from "../../../ir/define-op.js";
import { defineBuiltin, REQUIRED } from "../define-builtin.js";
import { raise } from "../errors.js";
import { pyStr } from "../python-text.js";
import { makeScalar, toTensor } from "../semantic/constants.js";
import { emit } from "../semantic/emit.js";
import { splat } from "../semantic/shape.js";
import type { Semantic } from "../semantic.js";
import { blockType, INT32 } from "../types.js";
import { type PyValue, type Tensor, unwrap } from "../values.js";
import { shapeArgument } from "./arguments.js";

const AXES = ["x", "y", "z"] as const;
const gridValue = (name: string, def: OpDef) =>
  defineBuiltin(name, { axis: REQUIRED }, (s, a) => {
    const given = unwrap(a.axis);
    const axis = AXES[Number(given)];
    if (axis === undefined || (typeof given !== "bigint" && typeof given !== "boolean"))
      return raise("ValueError", `${name} axis must be 0, 1, or 2 but got ${pyStr(given)}`);
    return emit(s, def, { axis }, INT32);
  });

/** 0, 1, ... as int32; the bounds are known at compile time. */
export function makeRange(s: Semantic, start: PyValue, end: PyValue): Tensor {
  const [from, to] = [start, end].map((bound) => (typeof bound === "boolean" ? BigInt(bound) : bound));
  if (typeof from !== "bigint" || typeof to !== "bigint") return raise("ValueError", "arange's arguments must be of type tl.constexpr");
  if (from >> 32n !== 0n || to >> 32n !== 0n) raise("ValueError", "arange must fit in int32");
  if (to <= from) raise("ValueError", "arange's end argument must be greater than the start argument");
  const count = to - from;
  if ((count & (count - 1n)) !== 0n) raise("ValueError", "arange's range must be a power of 2");
  return emit(s, MakeRangeOp, { start: Number(from), end: Number(to) }, blockType(INT32, [Number(count)]));
}

export const CREATION = [
  gridValue("program_id", GetProgramIdOp),
  gridValue("num_programs", GetNumProgramsOp),
  defineBuiltin("arange", { start: REQUIRED, end: REQUIRED }, (s, a) => makeRange(s, unwrap(a.start), unwrap(a.end))),
  defineBuiltin("full", { shape: REQUIRED, value: REQUIRED, dtype: REQUIRED }, (s, a) => {
    const shape = shapeArgument(a.shape);
    return splat(s, makeScalar(s, unwrap(a.value), unwrap(a.dtype)), shape);
  }),
  defineBuiltin("to_tensor", { x: REQUIRED }, (s, a) => toTensor(s, a.x)),
];
