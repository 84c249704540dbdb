/** Matrix products. Source: python/triton/language/semantic.py, core.py. */
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { SplatOp } from "../../../dialects/tt/ops/shape.js";
import { type ScaledShape, scaleFactorOf } from "../../../dialects/tt/scale-factor.js";
import { check, raise } from "../errors.js";
import { pyStr, typeName } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import {
  BFLOAT16,
  type BlockType,
  blockType,
  type Dtype,
  FLOAT8E4B8,
  FLOAT8E4B15,
  FLOAT8E4NV,
  FLOAT8E5,
  FLOAT8E5B16,
  FLOAT16,
  FLOAT32,
  FLOAT64,
  INT8,
  INT32,
  isFloating,
  isFp8,
  isInt,
  UINT8,
  UINT16,
} from "../types.js";
import { dtypeOf, extentsOf, isBlockTensor, type PyValue, type Tensor, tensor } from "../values.js";
import { bitcast, cast } from "./cast.js";
import { emit, emitOrFold, nullValue } from "./emit.js";
import { constexprShape } from "./memory.js";
import { listText, reshape, shapeText } from "./shape.js";

export interface DotOptions {
  readonly inputPrecision: PyValue;
  readonly maxNumImpreciseAcc: PyValue;
  readonly outDtype: Dtype;
}

/** `tl.dot`: of blocks of any rank, those beyond three folded into one batch dimension. */
export function dotOfAnyRank(s: Semantic, x: Tensor, y: Tensor, given: Tensor | undefined, options: DotOptions): Tensor {
  const [a, b] = [extentsOf(x), extentsOf(y)];
  check(a.length === b.length && b.length >= 2, "input and other must have equal ranks >= 2");
  check(listText(a.slice(0, -2)) === listText(b.slice(0, -2)), "input and other must have equal batch shapes");
  check(a.at(-1) === b.at(-2), "input and other must have equal reduction dimensions");
  const c = [...a.slice(0, -1), b.at(-1)!];
  if (given) check(listText(extentsOf(given)) === listText(c), "accumulator shape is incompatible");
  if (c.length < 4) return dot(s, x, y, given, options);
  const batch = c.slice(0, -2).reduce((product, extent) => product * extent, 1);
  const folded = (t: Tensor) => reshape(s, t, [batch, ...extentsOf(t).slice(-2)], false);
  const lhs = folded(x);
  const rhs = folded(y);
  return reshape(s, dot(s, lhs, rhs, given && folded(given), options), c, false);
}

const OPERANDS: readonly Dtype[] = [INT8, UINT8, FLOAT16, BFLOAT16, FLOAT32, FLOAT64];

export function dot(s: Semantic, x: Tensor, y: Tensor, acc: Tensor | undefined, options: DotOptions): Tensor {
  let [lhs, rhs] = [x, y];
  check(isBlockTensor(lhs) && isBlockTensor(rhs), "dot takes blocks, not scalars");
  const [a, b] = [dtypeOf(lhs) as Dtype, dtypeOf(rhs) as Dtype];
  const bothFp8 = isFp8(a) && isFp8(b);
  if (!bothFp8) {
    check(OPERANDS.includes(a), `Unsupported lhs dtype ${typeName(a)}`);
    check(OPERANDS.includes(b), `Unsupported rhs dtype ${typeName(b)}`);
    check(a === b, `Both operands must be same dtype. Got ${typeName(a)} and ${typeName(b)}`);
  }
  [lhs, rhs] = upcastForeignFloats(s, lhs, rhs);
  const inputPrecision = precision(s, options.inputPrecision ?? s.options.defaultDotInputPrecision);
  checkShapes(s, lhs, rhs);
  const element = dtypeOf(lhs) as Dtype;
  const result = resultDtype(element, options.outDtype);
  // The zero is made whether or not it becomes the accumulator.
  const zero = nullValue(s, isInt(element) ? INT32 : element === FLOAT64 || result === FLOAT16 ? result : FLOAT32);
  const [m, k] = extentsOf(lhs).slice(-2) as [number, number];
  const n = extentsOf(rhs).at(-1)!;
  const type = blockType(result, extentsOf(lhs).length === 3 ? [extentsOf(lhs)[0]!, m, n] : [m, n]);
  const c = accumulator(s, acc, zero, type, options.outDtype);
  const fp8 = isFp8(dtypeOf(lhs)) && isFp8(dtypeOf(rhs));
  let maxNumImpreciseAcc = 0;
  if (options.maxNumImpreciseAcc === null) maxNumImpreciseAcc = fp8 ? s.options.maxNumImpreciseAccDefault : 0;
  else {
    maxNumImpreciseAcc = Number(options.maxNumImpreciseAcc);
    if (fp8 && maxNumImpreciseAcc > k) raise("ValueError", `max_num_imprecise_acc (${maxNumImpreciseAcc}) must be <= K (${k})`);
  }
  // The op has the accumulator's type, whatever the result is taken for.
  return tensor(emit(s, DotOp, { a: lhs.handle, b: rhs.handle, c: c.handle, inputPrecision, maxNumImpreciseAcc }, c.type).handle, type);
}

/** 8-bit floats that the target's tensor cores do not take become fp16. */
function upcastForeignFloats(s: Semantic, x: Tensor, y: Tensor): readonly [Tensor, Tensor] {
  const either = (type: Dtype) => dtypeOf(x) === type || dtypeOf(y) === type;
  const toHalf = (): readonly [Tensor, Tensor] => {
    const lhs = cast(s, x, FLOAT16);
    return [lhs, cast(s, y, FLOAT16)];
  };
  const deprecated = s.options.deprecatedFp8DotOperandDtypes;
  if (either(FLOAT8E4B15)) {
    if (deprecated.includes("fp8e4b15"))
      s.warn(
        "the use of fp8e4b15 is deprecated on Hopper and later architectures and can cause significant slow down. " +
          "It will be removed in a future triton release",
      );
    return toHalf();
  }
  const amd = either(FLOAT8E4B8) ? "fp8e4b8" : either(FLOAT8E5B16) ? "fp8e5b16" : undefined;
  if (!amd || !deprecated.includes(amd)) return [x, y];
  const arch = s.options.gpu.archName;
  s.warn(
    `${amd} is AMD gfx942 specific and not supported on ${arch} so it's upcasted to fp16 and can cause significant slow down. ` +
      `Please use OCP fp8 variants on ${arch} for performance`,
  );
  return toHalf();
}

/** The name of an input precision as the op's attribute has it. */
export function precision(s: Semantic, given: PyValue): string {
  if (typeof given !== "string") return raise("AttributeError", `'${typeof given}' object has no attribute 'lower'`);
  const allowed = s.options.allowedDotInputPrecisions;
  const name = given.toLowerCase();
  check(allowed.includes(name), `input_precision must be one of (${allowed.map((p) => `'${p}'`).join(", ")}). Got ${given}`);
  return name;
}

function checkShapes(s: Semantic, x: Tensor, y: Tensor): void {
  const [a, b] = [extentsOf(x), extentsOf(y)];
  const [lhs, rhs] = [constexprShape(a), constexprShape(b)];
  check(a.length === b.length && (a.length === 2 || a.length === 3), `Both inputs must be either 2D or 3D; (lhs: ${lhs} vs rhs: ${rhs})`);
  check(
    a.at(-1) === b.at(-2),
    `First input shape (${lhs}) and second input shape ${rhs} are not compatible for matmul ` +
      `(second index of first shape (${a.at(-1)}) must be equal to first index of second shape (${b.at(-2)})`,
  );
  const [aBits, bBits] = [(dtypeOf(x) as Dtype).bits, (dtypeOf(y) as Dtype).bits];
  check(aBits === bBits, "lhs and rhs bitwidth must be the same");
  const [minM, minN, minK] = s.options.gpu.smallestDot(aBits);
  const isLarge = a.at(-2)! >= minM && a.at(-1)! >= minK && b.at(-1)! >= minN;
  check(isLarge, `Input shapes should have M >= ${minM}, N >= ${minN} and K >= ${minK}`);
}

function resultDtype(operand: Dtype, out: Dtype): Dtype {
  if (isInt(operand)) {
    check(operand === INT8, "only int8 supported!");
    return INT32;
  }
  if (out === BFLOAT16)
    raise("ValueError", "out_dtype=bfloat16 is unsupported. Please use out_dtype=float32/float16 and cast with `.to(tl.bfloat16)`");
  if (operand === FLOAT32 || operand === BFLOAT16) return FLOAT32;
  if (operand === FLOAT64) return FLOAT64;
  // Triton itself aborts here.
  if (!isFloating(out)) raise("ValueError", `out_dtype=${typeName(out)} is unsupported for operands of type ${typeName(operand)}`);
  return out;
}

function accumulator(s: Semantic, acc: Tensor | undefined, zero: Tensor, type: BlockType, out: Dtype): Tensor {
  if (!acc) return emitOrFold(s, SplatOp, { src: zero.handle }, type);
  check(
    listText(extentsOf(acc)) === listText(type.shape) && dtypeOf(acc) === out,
    `the accumulator must be ${typeName(type)}, but it is ${typeName(acc.type)}`,
  );
  return acc;
}

// --- microscaling --------------------------------------------------------------------------------

export interface ScaledOperand {
  readonly value: Tensor;
  readonly scale: Tensor | undefined;
  readonly format: PyValue;
  readonly kPack: boolean;
}

/** Formats by name: the dtype of the operand and the integer it may come as. */
const FORMATS: ReadonlyMap<string, readonly [float: Dtype, integer: Dtype]> = new Map([
  ["e5m2", [FLOAT8E5, UINT8]],
  ["e4m3", [FLOAT8E4NV, UINT8]],
  ["bf16", [BFLOAT16, UINT16]],
  ["fp16", [FLOAT16, UINT16]],
]);
const KNOWN_FORMATS = ["e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "bf16", "fp16"];
const ALLOWED_FORMATS = ["e2m1", "e4m3", "e5m2", "bf16", "fp16"];

export function dotScaled(
  s: Semantic,
  lhs: ScaledOperand,
  rhs: ScaledOperand,
  acc: Tensor | undefined,
  fastMath: boolean,
  outDtype: Dtype,
): Tensor {
  check(isBlockTensor(lhs.value) && isBlockTensor(rhs.value), "dot_scaled takes blocks, not scalars");
  const [aShape, bShape] = [extentsOf(lhs.value), extentsOf(rhs.value)];
  const rank = aShape.length;
  const shapes = `(lhs: ${constexprShape(aShape)} vs rhs: ${constexprShape(bShape)})`;
  check(rank === bShape.length && (rank === 2 || rank === 3), `Both inputs must be either 2D or 3D; ${shapes}`);
  const [aFormat, bFormat] = [formatName(lhs.format), formatName(rhs.format)];
  check(ALLOWED_FORMATS.includes(aFormat), `NYI: lhs_format ${aFormat}`);
  check(ALLOWED_FORMATS.includes(bFormat), `NYI: rhs_format ${bFormat}`);
  const a = asFormat(s, lhs.value, aFormat);
  const b = asFormat(s, rhs.value, bFormat);
  const packable = "only mxfp4 inputs can be packed along a dimension different than K";
  check(lhs.kPack || aFormat === "e2m1", packable);
  check(rhs.kPack || bFormat === "e2m1", packable);
  const [aPacked, bPacked] = [aFormat === "e2m1" ? 2 : 1, bFormat === "e2m1" ? 2 : 1];
  let [m, k] = aShape.slice(-2) as [number, number];
  let [bK, n] = bShape.slice(-2) as [number, number];
  if (rhs.kPack) bK *= bPacked;
  else n *= bPacked;
  if (lhs.kPack) k *= aPacked;
  else m *= aPacked;
  check(bK === k, `Reduction dimension should pack the same number of elements; ${shapes}`);
  const type = blockType(outDtype, rank === 3 ? [aShape[0]!, m, n] : [m, n]);
  const zero = nullValue(s, FLOAT32);
  const c = accumulator(s, acc, zero, type, outDtype);
  checkScales(s, lhs, rhs, { m, n, k });
  return emit(
    s,
    DotScaledOp,
    {
      a: a.handle,
      b: b.handle,
      c: c.handle,
      a_scale: lhs.scale?.handle,
      b_scale: rhs.scale?.handle,
      a_elem_type: aFormat,
      b_elem_type: bFormat,
      fastMath,
      lhs_k_pack: lhs.kPack,
      rhs_k_pack: rhs.kPack,
    },
    type,
  );
}

function formatName(given: PyValue): string {
  const known = typeof given === "string" ? given : undefined;
  // Formats are looked up without regard to case, but only lower case passes what follows.
  if (known === undefined || !KNOWN_FORMATS.includes(known.toLowerCase()))
    return raise("ValueError", `Invalid float format: ${pyStr(given)}.`);
  return known;
}
function asFormat(s: Semantic, value: Tensor, format: string): Tensor {
  const type = dtypeOf(value);
  const known = FORMATS.get(format);
  if (!known) {
    check(type === UINT8, `e2m1 format must be packed as uint8. Got ${typeName(type)}`);
    return value;
  }
  if (type === known[0]) return value;
  check(type === known[1], `Unexpected dtype for ${format}. Got ${typeName(type)}`);
  return bitcast(s, value, known[0]);
}
function checkScales(s: Semantic, lhs: ScaledOperand, rhs: ScaledOperand, { m, n, k }: Record<"m" | "n" | "k", number>): void {
  const byType = (scale: Tensor) => (dtypeOf(scale) === FLOAT8E4NV ? 16 : 32);
  const factor = s.ctx.triton.generalScaledDots ? scaleFactor(lhs, rhs) : undefined;
  const leading = factor ? "..., " : "";
  for (const [scale, name, outer] of [
    [lhs.scale, "lhs_scale", m],
    [rhs.scale, "rhs_scale", n],
  ] as const) {
    if (!scale) continue;
    const shape = [outer, Math.trunc(k / (factor ?? byType(scale)))];
    const got = extentsOf(scale);
    check(
      listText(factor ? got.slice(-2) : got) === listText(shape),
      `${name} must be a tensor of shape [${leading}${shape.join(", ")}]. Got ${shapeText(got)}`,
    );
  }
}
function scaleFactor(lhs: ScaledOperand, rhs: ScaledOperand): number {
  const shapeOf = ({ value, scale, format, kPack }: ScaledOperand): ScaledShape => ({
    shape: extentsOf(value),
    scales: scale && extentsOf(scale),
    packsK: format === "e2m1" && kPack,
  });
  const factor = scaleFactorOf(shapeOf(lhs), shapeOf(rhs));
  return typeof factor === "number" ? factor : raise("ValueError", factor);
}
