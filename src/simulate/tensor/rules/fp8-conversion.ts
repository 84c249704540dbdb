/**
 * `tt.fp_to_fp` as Triton's targets compute it: what is not in hardware is done with bits, by way of a half that was cut
 * off, and so does not always round to the nearest:
 *
 *     100.03 to f8E4M3FN before sm_90: as a half 100.0, a tie, and so 96; from sm_90 on 104
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ElementwiseOpToLLVM.cpp, FpToFpOpConversion.
 */

import * as tt from "../../../dialects/tt/ops/index.js";
import type { AmdGpu } from "../../../gpu/amd.js";
import type { Operation } from "../../../ir/operation.js";
import { encode, type Rounding, type SmallFloatKind, valuesOf } from "../../numbers/small-float.js";
import { F32, floatElement } from "../elements.js";
import { type Tensor, tensor, tensorSpec } from "../value.js";
import { castFloat } from "./arith.js";
import { pure } from "./elementwise.js";

const ROUNDING: Readonly<Record<string, Rounding>> = { rtz: "rz", rtne: "rn" };

export const fpToFp = pure((op) => {
  const rounding = ROUNDING[String(tt.FpToFpOp.match(op)!.rounding)] ?? "rn";
  const to = tensorSpec(op.result(0).type).element;
  const toFp8 = to.name === "f8E5M2" || to.name === "f8E4M3FN";
  return ([value], { gpu: { cuda, hip } }) => {
    const { element: from, data, shape } = value!;
    if (hip) return onAmd(op, rounding, value!, hip);
    if (from.name === "f8E5M2" && to.name === "bf16")
      return tensor(
        to,
        shape,
        Uint16Array.from(data as Uint8Array, (x) => bf16OfE5M2[x]!),
      );
    if (!toFp8) return castFloat(op, rounding, value!);
    const throughHalf = from === F32 && !(cuda?.fp8Singles && rounding !== "rz");
    const source = throughHalf ? cutToHalf(value!) : value!;
    const inBits = to.name === "f8E5M2" && (rounding === "rz" || !cuda?.fp8Pairs);
    if (!inBits) return castFloat(op, rounding, source);
    const convert = source.element.name === "bf16" ? e5m2OfBf16 : rounding === "rz" ? (bits: number) => bits >> 8 : e5m2OfHalf;
    return tensor(to, shape, Uint8Array.from(source.data as Uint16Array, convert));
  };
});

/**
 * On AMD's GPUs conversions to 8 bits saturate. Those towards zero cut off bits of a half, and before CDNA4 f32 becomes a format
 * without infinities by way of a half unless there is an instruction.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/ElementwiseOpToLLVM.cpp, FpToFpOpConversion.
 */
function onAmd(op: Operation, rounding: Rounding, value: Tensor, { family }: AmdGpu): Tensor {
  const { element } = tensorSpec(op.result(0).type);
  const kind = FP8_KINDS[element.name];
  if (kind === undefined) return castFloat(op, rounding, value);
  const { decode } = value.element;
  const { shape, data } = value;
  const numbers = Float64Array.from(data as Float32Array, (raw) => (decode ? decode[raw]! : raw));
  const halves = valuesOf("f16");
  const isFromSingle = value.element === F32;
  // With bits, what is infinite becomes the NaN of a format without infinities.
  const small = (x: number): number =>
    encode(kind, kind.endsWith("FNUZ") && family !== "CDNA3" && !Number.isFinite(x) ? NaN : x, rounding, rounding === "rn");
  const throughHalf = rounding === "rz" || (kind.endsWith("FNUZ") && isFromSingle && family !== "CDNA3" && family !== "CDNA4");
  const rounded = throughHalf && isFromSingle ? numbers.map((x) => halves[encode("f16", x, rounding, false)]!) : numbers;
  return tensor(element, shape, Uint8Array.from(rounded, small));
}
const FP8_KINDS: Readonly<Record<string, SmallFloatKind>> = {
  f8E4M3FN: "f8E4M3FN",
  f8E5M2: "f8E5M2",
  f8E4M3FNUZ: "f8E4M3FNUZ",
  f8E5M2FNUZ: "f8E5M2FNUZ",
};

function cutToHalf({ shape, data }: Tensor): Tensor {
  return tensor(
    floatElement("f16"),
    shape,
    Uint16Array.from(data as Float32Array, (x) => encode("f16", x, "rz", false)),
  );
}
/** Half a step is added to the bits without the last one: ties go away from zero. */
const e5m2OfHalf = (bits: number): number => ((bits & 0xfffe) + 0x80) >> 8;
/** Clamped to what e5m2 has; ties away from zero, too. */
const e5m2OfBf16 = (bits: number): number =>
  ((bits & 0x8000) >> 8) | (((Math.min(Math.max(bits & 0x7fff, 0x3800), 0x57e0) + 0x10 - 0x3800) << 3) >> 8);
/** By moving the bits and a multiplication, on every target: infinities and NaNs come out as numbers. */
const bf16OfE5M2 = Uint16Array.from({ length: 256 }, (_, bits) => {
  const magnitude = (bits & 0x7f) < 0x7c ? valuesOf("f8E5M2")[bits & 0x7f]! : (1 + (bits & 3) / 4) * 2 ** 16;
  return ((bits & 0x80) << 8) | encode("bf16", magnitude, "rn", false);
});
