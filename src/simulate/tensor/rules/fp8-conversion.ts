/**
 * `tt.fp_to_fp` as Triton's targets compute it: what is not in hardware is done with bits, by way of a half that was cut
 * off, and so does not always round to the nearest:
 *
 *     100.03 to f8E4M3FN before sm_90: as a half 100.0, a tie, and so 96; from sm_90 on 104
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ElementwiseOpToLLVM.cpp, FpToFpOpConversion.
 */

import * as tt from "../../../dialects/tt/ops/index.js";
import { encode, type Rounding, valuesOf } from "../../numbers/small-float.js";
import { F32, floatElement } from "../elements.js";
import { type Tensor, tensor, tensorSpec } from "../value.js";
import { castFloat } from "./arith.js";
import { pure } from "./elementwise.js";

const ROUNDING: Readonly<Record<string, Rounding>> = { rtz: "rz", rtne: "rn" };

export const fpToFp = pure((op) => {
  const rounding = ROUNDING[String(tt.FpToFpOp.match(op)!.rounding)] ?? "rn";
  const to = tensorSpec(op.result(0).type).element;
  const toFp8 = to.name === "f8E5M2" || to.name === "f8E4M3FN";
  return ([value], { gpu }) => {
    const { element: from, data, shape } = value!;
    if (from.name === "f8E5M2" && to.name === "bf16")
      return tensor(
        to,
        shape,
        Uint16Array.from(data as Uint8Array, (x) => bf16OfE5M2[x]!),
      );
    if (!toFp8) return castFloat(op, rounding, value!);
    const throughHalf = from === F32 && !(gpu.fp8Singles && rounding !== "rz");
    const source = throughHalf ? cutToHalf(value!) : value!;
    const inBits = to.name === "f8E5M2" && (rounding === "rz" || !gpu.fp8Pairs);
    if (!inBits) return castFloat(op, rounding, source);
    const convert = source.element.name === "bf16" ? e5m2OfBf16 : rounding === "rz" ? (bits: number) => bits >> 8 : e5m2OfHalf;
    return tensor(to, shape, Uint8Array.from(source.data as Uint16Array, convert));
  };
});

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
