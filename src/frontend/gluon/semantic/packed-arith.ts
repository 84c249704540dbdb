/** Arithmetic on pairs of elements. Source: python/triton/experimental/gluon/language/nvidia/blackwell/__init__.py of 3.8, _packed_arith. */

import { layoutRules } from "../../../dialects/tt/infer-layout.js";
import { PackedArithOp } from "../../../dialects/ttng/ops/packed-arith.js";
import { type TensorType, tensorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { raise } from "../../language/errors.js";
import { pyStr } from "../../language/python-text.js";
import { cast } from "../../language/semantic/cast.js";
import { toTensor } from "../../language/semantic/constants.js";
import { emitOp, irType } from "../../language/semantic/emit.js";
import { computationType } from "../../language/semantic/promote.js";
import { broadcastValues } from "../../language/semantic/shape.js";
import type { Semantic } from "../../language/semantic.js";
import { type BlockType, type Dtype, INT1, isBlock, isFloating, isFp8, isInt, scalarOf, withElement } from "../../language/types.js";
import { dtypeOf, extentsOf, type PyValue, type Tensor } from "../../language/values.js";
import { expect, listText, withInferredLayout } from "./shape.js";

const isDistributed = ({ type }: Tensor): boolean => isBlock(type) && type.layout !== undefined;
const count = (x: Tensor): number => extentsOf(x).reduce((a, b) => a * b, 1);

export function packedArith(s: Semantic, kind: string, given: readonly PyValue[], asked: PyValue): Tensor {
  const operands = given.map((x) => toTensor(s, x));
  expect(operands.some(isDistributed), () => "packed arithmetic requires at least one distributed tensor operand");
  const floats = operands.filter((x) => isDistributed(x) && isFloating(dtypeOf(x)));
  // The first of the largest ones, as Python's max.
  const reference = floats.reduce<Tensor | undefined>((most, x) => (most && count(most) >= count(x) ? most : x), undefined);
  if (!reference) {
    expect(asked !== null, () => "packed FP4 operands require an explicit result dtype");
    const dtype = checked(asked);
    const handles = operands.map((x) => {
      expect(isPackedFp4(x, fp4Shape(operands[0]!)), () => "packed FP4 operands require a floating-point tensor operand");
      return x.handle;
    });
    const [first] = handles as [Value];
    const { shape, encoding } = (first.type as TensorType).params;
    const layout = layoutRules(encoding!).inferFp4ToFpOpEncoding(shape, shape.length - 1, encoding!, true, (message) =>
      raise("ValueError", message),
    );
    const type = tensorType(fp4Shape(operands[0]!), irType(s, dtype), layout);
    const op = emitOp(s, PackedArithOp, { operands: handles, op_kind: kind }, [type]);
    return withInferredLayout(op.result(0), dtype, fp4Shape(operands[0]!));
  }
  const shape = extentsOf(reference);
  const dtype = checked(asked ?? impliedType(s, kind, operands, reference));
  const handles = operands.map((x) => {
    if (isPackedFp4(x, shape)) return x.handle;
    const element = isBlock(x.type) ? x : cast(s, x, dtype);
    return broadcastValues(s, reference, element)[1].handle;
  });
  const type = withElement(reference.type as BlockType, dtype) as BlockType;
  const op = emitOp(s, PackedArithOp, { operands: handles, op_kind: kind }, [irType(s, type)]);
  return withInferredLayout(op.result(0), dtype, shape);
}

const fp4Shape = (x: Tensor): number[] => extentsOf(x).map((extent, d, all) => (d === all.length - 1 ? 2 * extent : extent));
/** Bytes of another shape than the result's hold two numbers of fp4 each. */
const isPackedFp4 = (x: Tensor, shape: readonly number[]): boolean => {
  const type = dtypeOf(x);
  return isDistributed(x) && isInt(type) && type !== INT1 && (type as Dtype).bits === 8 && listText(extentsOf(x)) !== listText(shape);
};
function checked(value: PyValue): Dtype {
  if (value !== null && typeof value === "object" && value.kind === "dtype") return value;
  return raise("ValueError", `expected 'dtype' to be a dtype but got ${pyStr(value)}`);
}
/** The type of the result where none is asked for. */
function impliedType(s: Semantic, kind: string, operands: readonly Tensor[], reference: Tensor): Dtype {
  const last = dtypeOf(operands.at(-1)!) as Dtype;
  const addsFp8 = (kind === "add" || kind === "sub" || kind === "fma") && isFp8(last);
  let type = addsFp8 ? last : (dtypeOf(reference) as Dtype);
  for (const x of operands) {
    const own = scalarOf(x.type) as Dtype;
    if (!isFloating(own) || (isFp8(type) && isFp8(own))) continue;
    type = computationType(s, type, false, own, !isBlock(x.type), false);
  }
  return type;
}
