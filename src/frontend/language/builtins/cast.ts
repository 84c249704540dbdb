/** Casts. Source: python/triton/language/core.py. */
import { defineBuiltin, REQUIRED } from "../define-builtin.js";
import { pyTruth } from "../python-text.js";
import { bitcast, cast } from "../semantic/cast.js";
import { toTensor } from "../semantic/constants.js";
import type { Semantic } from "../semantic.js";
import { type PyValue, type Tensor, unwrap } from "../values.js";
import { scalarTypeArgument } from "./arguments.js";

/** `tl.cast(input, dtype, fp_downcast_rounding, bitcast)`. */
export function castTo(s: Semantic, input: PyValue, dtype: PyValue, rounding: PyValue, asBits: PyValue): Tensor {
  const x = toTensor(s, input);
  if (pyTruth(unwrap(asBits))) return bitcast(s, x, scalarTypeArgument(dtype));
  return cast(s, x, unwrap(dtype), unwrap(rounding));
}

export const CAST = defineBuiltin("cast", { input: REQUIRED, dtype: REQUIRED, fp_downcast_rounding: null, bitcast: false }, (s, a) =>
  castTo(s, a.input, a.dtype, a.fp_downcast_rounding, a.bitcast),
);
