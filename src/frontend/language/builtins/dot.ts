/** Matrix products. Source: python/triton/language/core.py. */
import { defineBuiltin, REQUIRED } from "../define-builtin.js";
import { check, raise } from "../errors.js";
import { noAttribute, pyTruth } from "../python-text.js";
import { dotOfAnyRank, dotScaled } from "../semantic/dot.js";
import { type Dtype, FLOAT32 } from "../types.js";
import { dtypeOf, isConstexpr, type PyValue, type Tensor, unwrap } from "../values.js";
import { isNone, scalarTypeArgument, self, truth } from "./arguments.js";

const optional = (value: PyValue): Tensor | undefined => (isNone(value) ? undefined : self(unwrap(value)));
const formatOf = (value: PyValue): PyValue => (isConstexpr(value) ? value.value : raise("AttributeError", noAttribute(value, "value")));

export const DOT = [
  defineBuiltin(
    "dot",
    {
      input: REQUIRED,
      other: REQUIRED,
      acc: null,
      input_precision: null,
      allow_tf32: null,
      max_num_imprecise_acc: null,
      out_dtype: null,
    },
    (s, a) => {
      const acc = optional(a.acc);
      const implied = acc && s.rules.impliesDotType ? (dtypeOf(acc) as Dtype) : FLOAT32;
      check(a.input_precision === null || a.allow_tf32 === null, "Only one of input_precision and allow_tf32 can be specified");
      const tf32 = s.options.allowedDotInputPrecisions.includes("tf32") && (a.allow_tf32 === null || pyTruth(a.allow_tf32));
      const fallback = s.options.fp32Default || (tf32 ? "tf32" : "ieee");
      const inputPrecision = a.input_precision === null ? fallback : unwrap(a.input_precision);
      return dotOfAnyRank(s, self(a.input), self(a.other), acc, {
        inputPrecision,
        maxNumImpreciseAcc: unwrap(a.max_num_imprecise_acc),
        outDtype: isNone(a.out_dtype) ? implied : (scalarTypeArgument(a.out_dtype) as Dtype),
      });
    },
  ),
  defineBuiltin(
    "dot_scaled",
    {
      lhs: REQUIRED,
      lhs_scale: REQUIRED,
      lhs_format: REQUIRED,
      rhs: REQUIRED,
      rhs_scale: REQUIRED,
      rhs_format: REQUIRED,
      acc: null,
      fast_math: false,
      lhs_k_pack: true,
      rhs_k_pack: true,
      out_dtype: FLOAT32,
    },
    (s, a) => {
      const outDtype = scalarTypeArgument(a.out_dtype) as Dtype;
      check(outDtype === FLOAT32, "Only float32 is supported for out_dtype at the moment");
      const operand = (value: PyValue, scale: PyValue, format: PyValue, kPack: PyValue) => ({
        value: self(value),
        scale: optional(scale),
        format: formatOf(format),
        kPack: truth(kPack),
      });
      const lhs = operand(a.lhs, a.lhs_scale, a.lhs_format, a.lhs_k_pack);
      const rhs = operand(a.rhs, a.rhs_scale, a.rhs_format, a.rhs_k_pack);
      return dotScaled(s, lhs, rhs, optional(a.acc), truth(a.fast_math), outDtype);
    },
  ),
];
