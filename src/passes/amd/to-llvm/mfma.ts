/**
 * Dots by the matrix instructions of CDNA: each takes a vector of kBase elements of a row of A and of a column of B from every lane, and
 * adds to the lane's elements of the result. Source: third_party/amd/lib/TritonAMDGPUToLLVM/DotOpToLLVM/MFMA.cpp.
 */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { MATRIX } from "../../../dialects/rocdl/ops/matrix.js";
import { SBarrierOp, SchedBarrierOp, SetPrioOp } from "../../../dialects/rocdl/ops/synchronization.js";
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { SplatOp } from "../../../dialects/tt/ops/shape.js";
import { distributedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../../../ir/attribute.js";
import { floatAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, floatType, i8, i16, i32, i64, isFloat, isInteger, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { AmdMfmaParams } from "../../../layout/encoding-params.js";
import { vecType } from "../../ttg-to-llvm/ll-builder.js";

import { mfmaOfShape } from "../accelerate-matmul/mfma.js";
import type { Lowering } from "./amd-lowering.js";
import { FORMATS, repetitions } from "./matrix-tiles.js";

const typeOf = (value: Value): TensorType["params"] => (value.type as TensorType).params;
/** The lanes of a wave that has MFMA. */
const LANES = 64;

const kDim = ([m, n]: readonly number[], kWidth: number): number => (kWidth * LANES) / Math.min(m!, n!);

/** How an operand's elements are handed to the instructions. */
interface OperandForm {
  readonly batch: number;
  readonly nonK: number;
  readonly k: number;
  readonly kWidth: number;
  readonly kBase: number;
  readonly xf32: boolean;
  readonly keepsBf16: boolean;
}
type Vectors = (batch: number, nonK: number, k: number) => Value;

/** The vectors of kBase elements that an operand's elements are. */
function vectorsOf(lo: Lowering, operand: Value, { batch, nonK: rows, k, kWidth, kBase, xf32, keepsBf16 }: OperandForm): Vectors {
  const { b } = lo;
  const elements = lo.elements(operand);
  const { elementType } = typeOf(operand);
  const total = (k * kWidth) / kBase;
  const count = Math.max(1, Math.floor(total));
  const nonK = total < 1 ? Math.floor(rows / (kBase / (k * kWidth))) : rows;
  const made: Value[] = [];
  for (let first = 0; first < batch * nonK * count * kBase; first += kBase) {
    const vector = b.packVector(elements.slice(first, first + kBase));
    const isWide = (isFloat(elementType, "f32") || isFloat(elementType, "f64")) && !xf32;
    made.push(isWide ? b.extractElement(vector, b.i32(0)) : asArgument(lo, vector, elementType, kBase, keepsBf16));
  }
  return (at, row, vec) => made[(at * nonK + row) * count + vec]!;
}

/** A vector in the type that the instruction takes: bytes as words, bf16 as integers but on CDNA4. */
function asArgument({ b, ctx }: Lowering, raw: Value, elementType: Type, kBase: number, keepsBf16: boolean): Value {
  const isByte = bitWidth(elementType) === 8;
  const asI16 = isFloat(elementType, "bf16") && !keepsBf16;
  const element = isByte ? i8(ctx) : asI16 ? i16(ctx) : elementType;
  let vector = b.undef(vecType(element, kBase));
  for (let i = 0; i < kBase; i++) {
    const value = b.extractElement(raw, b.i32(i));
    vector = b.insertElement(vector, asI16 ? b.bitcast(value, element) : value, b.i32(i));
  }
  if (!isByte) return vector;
  if (kBase <= 2) return b.zext(b.bitcast(vector, kBase === 1 ? i8(ctx) : i16(ctx)), i32(ctx));
  if (kBase <= 8) return b.bitcast(vector, kBase === 4 ? i32(ctx) : i64(ctx));
  return b.bitcast(vector, vecType(i32(ctx), kBase / 4));
}

/** The lane's elements of the result, from which and into which tiles are taken. */
class Accumulator {
  readonly elements: Value[];
  constructor(
    private readonly lo: Lowering,
    c: Value,
    private readonly shape: readonly [m: number, n: number],
    private readonly perTile: number,
    /** How often K is repeated where it is smaller than the instruction's: the sums are that much too large. */
    private readonly duplicates: number,
  ) {
    this.elements = [...lo.elements(c)];
  }
  #first(batch: number, m: number, n: number): number {
    return ((batch * this.shape[0] + m) * this.shape[1] + n) * this.perTile;
  }
  take(batch: number, m: number, n: number): Value {
    const first = this.#first(batch, m, n);
    return this.lo.b.packVector(this.elements.slice(first, first + this.perTile));
  }
  put(batch: number, m: number, n: number, tile: Value): void {
    const { b } = this.lo;
    const first = this.#first(batch, m, n);
    for (let v = 0; v < this.perTile; v++) {
      const value = b.extractElement(tile, b.i32(v));
      this.elements[first + v] = this.duplicates === 1 ? value : this.#divide(value);
    }
  }
  #divide(value: Value): Value {
    const { b } = this.lo;
    if (isInteger(value.type)) return b.ashr(value, b.i32(Math.log2(this.duplicates)));
    return b.fmul(value, b.constant(value.type, floatAttr(value.type, 1 / this.duplicates)));
  }
}

/** A raised priority is for the instructions after the first of the dot: another wave may wait at that one. */
function afterPriority(lo: Lowering, op: Operation): (first: Value) => void {
  const raised = op.prev && SetPrioOp.is(op.prev) ? lo.b.block.lastOp : undefined;
  let done = false;
  return (first) => {
    if (!done && raised && SetPrioOp.is(raised)) raised.moveAfter(first.definingOp!);
    done = true;
  };
}

export function lowerMfma(lo: Lowering, op: Operation, encoding: AmdMfmaParams): false | void {
  const { b } = lo;
  const placed = afterPriority(lo, op);
  const { a, b: right, c, d, inputPrecision } = DotOp.match(op)!;
  const { version, isTransposed, instrShape } = encoding;
  const [m, n, k] = instrShape as readonly [number, number, number];
  const [typeA, typeB] = [typeOf(a).elementType, typeOf(right).elementType];
  const xf32 = inputPrecision === "tf32" && version === 3;
  const form = mfmaOfShape({ version, m, n, k, a: typeA, b: typeB, withScale: false, xf32 });
  if (!form) return lo.fail(op, "no matching matrix core intrinsic due to unsupported element type", "lower.mma");
  const operand = distributedParams(typeOf(a).encoding)!;
  if (operand.kind !== "dot_op") return lo.fail(op, "both operands need a dot_op layout", "lower.mma");
  // Upstream counts twice as many for xf32, which is the same but where K is one instruction's: there it ends at missing elements.
  const { kWidth } = operand;
  const depth = kDim(instrShape, kWidth);
  const [repA, repB] = [repetitions(encoding, typeOf(a).shape, depth, 0), repetitions(encoding, typeOf(right).shape, depth, 1)];
  // The flat instructions multiply one block by 16.
  const broadcastB = m === 64 && n === 4 ? 16 : 1;
  const broadcastA = m === 4 && n === 64 ? 16 : 1;
  const shared = { kWidth, kBase: form.kBase, xf32, keepsBf16: form.name.includes(".bf16") && version >= 4 };
  const vectorsA = vectorsOf(lo, a, { ...shared, ...repA, k: repA.k * broadcastB });
  const vectorsB = vectorsOf(lo, right, { ...shared, ...repB, nonK: repB.nonK, k: repB.k * broadcastA });
  const steps = (repA.k * Math.max(broadcastA, broadcastB) * kWidth) / form.kBase;
  const duplicates = Math.max(1, depth / typeOf(a).shape.at(-1)!);
  const acc = new Accumulator(lo, c, [repA.nonK, repB.nonK], (m * n) / LANES, duplicates);
  const zero = b.i32(0);
  for (let batch = 0; batch < repA.batch; batch++)
    for (let row = 0; row < repA.nonK; row++)
      for (let column = 0; column < repB.nonK; column++) {
        let tile = acc.take(batch, row, column);
        for (let step = 0; step < steps; step++) {
          const x = vectorsA(batch, row, Math.floor(step / broadcastA));
          const y = vectorsB(batch, column, Math.floor(step / broadcastB));
          const broadcast = broadcastA * broadcastB;
          const flags = broadcast > 1 ? [b.i32(Math.log2(broadcast)), b.i32(step % broadcast)] : [zero, zero];
          tile = b.op(MATRIX[nameOf(form.name)]!, [...(isTransposed ? [y, x] : [x, y]), tile, ...flags, zero], tile.type);
          placed(tile);
        }
        acc.put(batch, row, column, tile);
      }
  lo.setElements(d, acc.elements);
}
const nameOf = (name: string): string => name.slice("rocdl.".length);

/** The scales that the instruction picks from a word: along K first, then along the other dimension. */
interface Scales {
  readonly vectors: Vectors | undefined;
  readonly alongK: number;
  readonly across: number;
}
function scalesOf(
  lo: Lowering,
  scale: Value | undefined,
  rep: { readonly batch: number; readonly nonK: number; readonly k: number },
): Scales {
  const isConstant = scale?.definingOp !== undefined && (ConstantOp.is(scale.definingOp!) || SplatOp.is(scale.definingOp!));
  const kBase = isConstant ? 1 : Math.min(4, rep.k * rep.nonK);
  const alongK = isConstant ? 1 : Math.min(4, rep.k);
  const form = { ...rep, kWidth: 1, kBase, xf32: false, keepsBf16: false };
  return { vectors: scale && vectorsOf(lo, scale, form), alongK, across: kBase / alongK };
}

export function lowerScaledMfma(lo: Lowering, op: Operation, encoding: AmdMfmaParams): false | void {
  const { b, ctx } = lo;
  const placed = afterPriority(lo, op);
  const view = DotScaledOp.match(op)!;
  const { a, b: right, a_scale: scaleA, b_scale: scaleB, c, d } = view;
  if ((scaleA === undefined) !== (scaleB === undefined)) return lo.fail(op, "Single scale is not supported", "lower.mma");
  const [formatA, formatB] = [FORMATS[view.a_elem_type], FORMATS[view.b_elem_type]];
  if (!formatA || !formatB) return lo.fail(op, "mxfp6 cannot be lowered", "lower.mma");
  const { version, isTransposed, instrShape } = encoding;
  const [m, n, k] = instrShape as readonly [number, number, number];
  const [typeA, typeB] = [floatType(ctx, formatA[1] as never), floatType(ctx, formatB[1] as never)];
  const form = mfmaOfShape({ version, m, n, k, a: typeA, b: typeB, withScale: true, xf32: false });
  if (!form) return lo.fail(op, "no matching matrix core intrinsic due to unsupported element type", "lower.mma");
  // Two f4 are a byte.
  const [kA, kB] = [formatA, formatB].map(([format]) => (format === 4 ? form.kBase / 2 : form.kBase)) as [number, number];
  const repA = repetitions(encoding, typeOf(a).shape, kDim(instrShape, kA), 0);
  const repB = repetitions(encoding, typeOf(right).shape, kDim(instrShape, kB), 1);
  const vectorsA = vectorsOf(lo, a, { ...repA, kWidth: kA, kBase: kA, xf32: false, keepsBf16: false });
  const vectorsB = vectorsOf(lo, right, { ...repB, k: repA.k, kWidth: kB, kBase: kB, xf32: false, keepsBf16: false });
  const scalesA = scalesOf(lo, scaleA, repA);
  const scalesB = scalesOf(lo, scaleB, { ...repB, k: repA.k });
  const duplicates = Math.max(1, kDim(instrShape, kA) / typeOf(a).shape.at(-1)!);
  const acc = new Accumulator(lo, c, [repA.nonK, repB.nonK], (m * n) / LANES, duplicates);
  const zero = b.i32(0);
  const pick = ({ vectors, alongK, across }: Scales, batch: number, row: number, step: number): Value[] =>
    vectors
      ? [b.i32((row * repA.k + step) % (alongK * across)), vectors(batch, Math.floor(row / across), Math.floor(step / alongK))]
      : [zero, zero];
  const multiply = (tile: Value, batch: number, row: number, column: number, step: number): Value => {
    const left = { value: vectorsA(batch, row, step), format: formatA[0], scale: pick(scalesA, batch, row, step) };
    const other = { value: vectorsB(batch, column, step), format: formatB[0], scale: pick(scalesB, batch, column, step) };
    const [x, y] = isTransposed ? [other, left] : [left, other];
    const args = [x.value, y.value, tile, b.i32(x.format), b.i32(y.format), ...x.scale, ...y.scale];
    const sum = b.op(MATRIX[nameOf(form.name)]!, args, tile.type);
    placed(sum);
    return sum;
  };
  // A ping-pong has two steps, each with half of K.
  const twoSteps = op.hasAttr("pingpong_2step");
  const half = (repA.k * repA.batch * repA.nonK * repB.nonK) / 2;
  let count = 0;
  for (let outer = 0; outer < (twoSteps ? repA.k : 1); outer++)
    for (let batch = 0; batch < repA.batch; batch++)
      for (let row = 0; row < repA.nonK; row++)
        for (let column = 0; column < repB.nonK; column++) {
          if (twoSteps && count++ === half) {
            b.create(SchedBarrierOp, { mask: 0 });
            b.create(SBarrierOp, {});
            b.create(SchedBarrierOp, { mask: 0 });
          }
          let tile = acc.take(batch, row, column);
          if (twoSteps) tile = multiply(tile, batch, row, column, outer);
          else for (let step = 0; step < repA.k; step++) tile = multiply(tile, batch, row, column, step);
          acc.put(batch, row, column, tile);
        }
  return lo.setElements(d, acc.elements);
}
