/** The grid, ranges and filled blocks. Source: python/triton/language/core.py. */
import { GetNumProgramsOp, GetProgramIdOp } from "../../../dialects/tt/ops/program.js";
import type { OpDef } from "../../../ir/define-op.js";
import { defineBuiltin, REQUIRED } from "../define-builtin.js";
import { raise } from "../errors.js";
import { pyStr } from "../python-text.js";
import { makeRange, makeScalar, toTensor } from "../semantic/constants.js";
import { emit } from "../semantic/emit.js";
import { splat } from "../semantic/shape.js";
import { INT32 } from "../types.js";
import { unwrap } from "../values.js";
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
