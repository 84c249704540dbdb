/** Why a dot is done by the instructions that it becomes: their shape, how many, how warps share the result, what lies together along k. */
import { DotOpInterface } from "../../dialects/tt/op-interfaces.js";
import { distributedParams, encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { type MemDesc, MemDescType } from "../../dialects/ttg/types.js";
import { TCGen5MMAOp } from "../../dialects/ttng/ops/tc-gen5-mma.js";
import type { Type } from "../../ir/attribute.js";
import { bitWidth, elementTypeOrSelf, RankedTensorType, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";

/** Lines; none for ops that are no dot with a layout of tensor cores. */
export function dotDerivation(op: Operation): readonly string[] {
  const dot = op.def.interface(DotOpInterface);
  const result = dot?.d(op).type;
  if (result && MemDescType.is(result)) return TCGen5MMAOp.match(op) ? tensorMemoryDot(result, dot!.a(op).type) : [];
  if (!result || !RankedTensorType.is(result) || result.params.shape.length !== 2) return [];
  const mma = distributedParams(result.params.encoding);
  if (mma?.kind !== "nvidia_mma") return mma?.kind === "blocked" ? blockedDot(result, mma.sizePerThread) : [];
  const [m, n] = result.params.shape as [number, number];
  const a = dot.a(op).type as TensorType;
  const k = a.params.shape[1]!;
  const bits = bitWidth(elementTypeOrSelf(a))!;
  const [wm, wn] = mma.warpsPerCTA as [number, number];
  const isGroup = mma.versionMajor === 3;
  const [im, inn, ik] = [isGroup ? 64 : 16, mma.instrShape.at(isGroup ? 1 : -1)!, isGroup ? 256 / bits : depthOf(bits)];
  const [pm, pn, pk] = [Math.max(1, m / (16 * wm)), Math.max(1, n / (inn * wn)), Math.max(1, k / ik)];
  const lines = [
    isGroup
      ? `wgmma: a group of 4 warps takes 64 rows; the widest n that divides ${n} and that a group's part has room for is ${inn}; k is 32 bytes: ${ik} elements of ${bits} bits`
      : `mma.sync of version 2 is 16 rows by 8 columns, and 32 bytes deep: k = ${ik} elements of ${bits} bits`,
    `${wm}x${wn} warps over the result of ${m}x${n}: each has ${Math.max(16, m / wm)}x${Math.max(isGroup ? inn : 8, n / wn)}. ${
      isGroup
        ? "Four warps lie along m, as the instruction has them"
        : "Warps are added where more instructions repeat, so that each operand is read by few warps"
    }`,
    `${pm}x${pn}x${pk} = ${pm * pn * pk} instructions of ${im}x${inn}x${ik} in each warp${isGroup ? " group" : ""}, along m, n and k`,
  ];
  const operand = distributedParams(a.params.encoding);
  if (operand?.kind === "dot_op" && operand.kWidth > 0)
    lines.push(
      `kWidth ${operand.kWidth}: so many elements beside each other along k are in one thread, ${operand.kWidth * bits} bits; an instruction takes them by registers of 32 bits`,
    );
  return lines;
}

/** A product of tcgen05: one thread starts each instruction, and the result is in tensor memory. */
function tensorMemoryDot({ params: { shape, encoding } }: MemDesc, a: Type): readonly string[] {
  const block = encodingParams(encoding);
  if (block?.kind !== "tensor_memory_encoding" || !MemDescType.is(a)) return [];
  const [m, n] = shape.slice(-2) as [number, number];
  const bits = bitWidth(a.params.elementType)!;
  const { blockM, blockN, twoCTAs } = block;
  const [k, ik] = [a.params.shape.at(-1)!, 256 / bits];
  const rows = twoCTAs ? 2 * blockM : blockM;
  const count = [Math.max(1, m / rows), Math.max(1, n / blockN), Math.max(1, k / ik)] as const;
  return [
    `tcgen05.mma: ${blockM} rows of tensor memory (128, or 64 for smaller results)${twoCTAs ? " in each of two CTAs" : ""}; n is the result's, 256 at most: ${blockN}; k is 32 bytes: ${ik} elements of ${bits} bits`,
    `${count.join("x")} = ${count[0] * count[1] * count[2]} instructions of ${rows}x${blockN}x${ik}, along m, n and k; one thread starts each of them`,
    `the result of ${m}x${n} stays in tensor memory, in ${n} columns: it takes no registers until ttng.tmem_load reads it`,
  ];
}

/** Elements of mma.sync along k. */
const depthOf = (bits: number): number => (bits === 64 ? 4 : 256 / bits);

function blockedDot({ params: { shape } }: TensorType, sizePerThread: readonly number[]): readonly string[] {
  return [
    `no layout of tensor cores (yet): multiply-adds of single numbers, in tiles of ${sizePerThread.join("x")} of the result of ${shape.join("x")} a thread`,
  ];
}
