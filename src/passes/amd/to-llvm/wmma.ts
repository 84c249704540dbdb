/**
 * Dots by the matrix instructions of RDNA and gfx1250: each takes a vector of kBase elements of a row of A and of a column of B from
 * every lane, and adds to the lane's elements of the result. Source: third_party/amd/lib/TritonAMDGPUToLLVM/DotOpToLLVM/WMMA.cpp.
 */
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, i16, i32, isFloat, isInteger, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { AmdWmmaParams } from "../../../layout/encoding-params.js";
import { vecType } from "../../ttg-to-llvm/ll-builder.js";
import { selectWmma } from "../accelerate-matmul/wmma.js";
import type { Lowering } from "./amd-lowering.js";
import { zeroOf } from "./masked-memory.js";
import { FORMATS, type Repetitions, repetitions } from "./matrix-tiles.js";

const typeOf = (value: Value): TensorType["params"] => (value.type as TensorType).params;
const WORD = 32;

type Vectors = (batch: number, nonK: number, k: number) => Value;

/** The vectors of kBase elements that an operand's elements are. Those beyond a K smaller than the instruction's are zeros. */
function vectorsOf(lo: Lowering, operand: Value, { batch, nonK, k }: Repetitions, kBase: number, version: number, padding = 0): Vectors {
  const { b, ctx } = lo;
  const elements = lo.elements(operand);
  const { elementType } = typeOf(operand);
  const asArgument = (vector: Value): Value => {
    if (isFloat(elementType, "f32") || isFloat(elementType, "f16")) return vector;
    if (isFloat(elementType, "bf16")) return version < 3 ? b.bitcast(vector, vecType(i16(ctx), kBase)) : vector;
    const words = (kBase * bitWidth(elementType)!) / WORD;
    return b.bitcast(vector, words === 1 ? i32(ctx) : vecType(i32(ctx), words));
  };
  const made: Value[] = [];
  for (let first = 0; first < batch * nonK * k * kBase; first += kBase) {
    const own = elements.slice(first, first + kBase - padding);
    const zeros = Array.from({ length: padding }, () => zeroOf(b, own[0]!.type));
    made.push(asArgument(b.packVector([...own, ...zeros])));
  }
  return (at, row, step) => made[(at * nonK + row) * k + step]!;
}
/** How many of the kBase elements are beyond K, of which an instruction takes kDim. */
const paddingOf = (kBase: number, kDim: number, extent: number): number => kBase - kBase / Math.max(1, kDim / extent);

/**
 * The dot's tiles, each from its elements of the accumulator by one `multiply` for each step along K.
 * WMMA of version 1 fills a register of 32 bits with one element; `tied` makes two tiles share the registers of 16 bit elements.
 */
function eachTile(
  lo: Lowering,
  c: Value,
  [a, right]: readonly [Repetitions, Repetitions],
  { instrShape, version }: AmdWmmaParams,
  multiply: (tile: Value, at: { batch: number; row: number; column: number; step: number }, upper: boolean | undefined) => Value,
): readonly Value[] {
  const { b, target } = lo;
  const elements = [...lo.elements(c)];
  const [m, n] = instrShape as readonly [number, number];
  const perTile = (m * n) / target.threadsPerWarp;
  const stride = version === 1 ? WORD / bitWidth(typeOf(c).elementType)! : 1;
  const group = a.nonK % 2 === 0 && stride === 2 ? 2 : 1;
  const type = vecType(elements[0]!.type, perTile * stride);
  for (let batch = 0; batch < a.batch; batch++)
    for (let first = 0; first < a.nonK; first += group)
      for (let column = 0; column < right.nonK; column++) {
        const rows = Array.from({ length: group }, (_, i) => first + i);
        const each = (visit: (element: number, slot: number) => void): void => {
          for (let v = 0; v < perTile; v++)
            for (const [i, row] of rows.entries()) visit(((batch * a.nonK + row) * right.nonK + column) * perTile + v, v * stride + i);
        };
        let tile = b.undef(type);
        each((element, slot) => (tile = b.insertElement(tile, elements[element]!, b.i32(slot))));
        for (let step = 0; step < a.k; step++)
          for (const [i, row] of rows.entries()) tile = multiply(tile, { batch, row, column, step }, group === 2 ? i === 1 : undefined);
        each((element, slot) => (elements[element] = b.extractElement(tile, b.i32(slot))));
      }
  return elements;
}

export function lowerWmma(lo: Lowering, op: Operation, encoding: AmdWmmaParams): false | void {
  const { b } = lo;
  const { a, b: right, c, d } = DotOp.match(op)!;
  const { version, isTransposed, instrShape } = encoding;
  const types = [typeOf(a).elementType, typeOf(right).elementType] as const;
  const [first, second] = isTransposed ? [types[1], types[0]] : types;
  const sum = typeOf(d).elementType;
  const form = selectWmma(version, first, second, sum, instrShape[2]!);
  if (!form || form.k !== instrShape[2])
    return lo.fail(op, "no matching matrix core intrinsic due to unsupported element type", "lower.mma");
  const { k, kBase } = form;
  const reps = [repetitions(encoding, typeOf(a).shape, k, 0), repetitions(encoding, typeOf(right).shape, k, 1)] as const;
  const padding = paddingOf(kBase, k, typeOf(a).shape.at(-1)!);
  const rows = vectorsOf(lo, a, reps[0], kBase, version, padding);
  const columns = vectorsOf(lo, right, reps[1], kBase, version, padding);
  const elements = eachTile(lo, c, reps, encoding, (tile, { batch, row, column, step }, upper) => {
    const operands = [rows(batch, row, step), columns(batch, column, step)] as const;
    const [x, y] = isTransposed ? [operands[1], operands[0]] : operands;
    const args =
      version === 3 ? argsOfGfx1250(lo, [first, x], [second, y], tile) : argsOfRdna(lo, [first, x], [second, y], tile, sum, upper);
    return b.intrinsic(upper === undefined ? form.name : `${form.name}.tied`, tile.type, args)!;
  });
  return lo.setElements(d, elements);
}

type Typed = readonly [type: Type, value: Value];
/** Whether integers are signed; for 16 bit results the half of the registers; for 32 bit integers whether they saturate. */
function argsOfRdna({ b }: Lowering, x: Typed, y: Typed, tile: Value, sum: Type, upper: boolean | undefined): Value[] {
  const signed = ([type, value]: Typed): Value[] => (isInteger(type) ? [b.i1(true), value] : [value]);
  const last = upper !== undefined || bitWidth(sum)! <= 16 || isInteger(sum, 32) ? [b.i1(upper ?? false)] : [];
  return [...signed(x), ...signed(y), tile, ...last];
}
/** Whether integers are signed, modifiers of floats, and whether an operand is used again. */
function argsOfGfx1250({ b }: Lowering, x: Typed, y: Typed, tile: Value): Value[] {
  const isWide = (type: Type): boolean => !isInteger(type) && [16, 32].includes(bitWidth(type)!);
  const modified = ([type, value]: Typed): Value[] => (isInteger(type) || isWide(type) ? [b.i1(isInteger(type)), value] : [value]);
  const modifier = isInteger(x[0]) ? [] : [b.i16(0)];
  return [...modified(x), ...modified(y), ...modifier, tile, b.i1(false), b.i1(false)];
}

/** Elements of a row that a lane holds, and scales for a lane. */
const SCALED_KBASE = 64;
const SCALES = 4;

export function lowerScaledWmma(lo: Lowering, op: Operation, encoding: AmdWmmaParams): false | void {
  const { b } = lo;
  const view = DotScaledOp.match(op)!;
  const { a, b: right, a_scale: scaleA, b_scale: scaleB, c, d } = view;
  if (!scaleA || !scaleB) return lo.fail(op, "WMMA needs scales of both operands", "lower.mma");
  const [formatA, formatB] = [FORMATS[view.a_elem_type], FORMATS[view.b_elem_type]];
  if (!formatA || !formatB) return lo.fail(op, "NYI: FP6 scaled dot", "lower.mma");
  const { version, isTransposed, instrShape, tilesPerWarp } = encoding;
  const side = (value: Value, scale: Value, [format]: readonly [number, string], index: 0 | 1) => {
    // Two f4 are a byte.
    const packed = format === 4 ? 2 : 1;
    const [kBase, kDim] = [SCALED_KBASE / packed, instrShape[2]! / packed];
    const rep = repetitions(encoding, typeOf(value).shape, kDim, index);
    const tiles = tilesPerWarp[typeOf(value).shape.length - 2 + index]!;
    return { value, scale, format, kBase, kDim, rep, tiles };
  };
  const [left, other] = [side(a, scaleA, formatA, 0), side(right, scaleB, formatB, 1)];
  const extent = typeOf(a).shape.at(-1)!;
  const vectors = ({ value, rep, kBase }: typeof left) => vectorsOf(lo, value, rep, kBase, version, paddingOf(kBase, left.kDim, extent));
  const scales = ({ scale, rep, tiles }: typeof left) =>
    vectorsOf(lo, scale, { ...rep, k: left.rep.k, nonK: rep.nonK / tiles }, SCALES, version);
  const [rows, columns] = [vectors(left), vectors(other)];
  const [rowScales, columnScales] = [scales(left), scales(other)];
  const elements = eachTile(lo, c, [left.rep, other.rep], encoding, (tile, { batch, row, column, step }) => {
    const argsOf = ({ format, tiles }: typeof left, at: number, values: Vectors, scale: Vectors) => ({
      values: [b.i32(format), values(batch, at, step)],
      // Which half of the lanes has the scales, and their format, E8M0.
      scales: [b.i32(at % tiles), b.i32(0), scale(batch, Math.floor(at / tiles), step)],
    });
    const sides = [argsOf(left, row, rows, rowScales), argsOf(other, column, columns, columnScales)] as const;
    const [x, y] = isTransposed ? [sides[1], sides[0]] : sides;
    const args = [...x.values, ...y.values, b.i16(0), tile, ...x.scales, ...y.scales, b.i1(false), b.i1(false)];
    return b.intrinsic("llvm.amdgcn.wmma.scale.f32.16x16x128.f8f6f4", tile.type, args)!;
  });
  return lo.setElements(d, elements);
}
