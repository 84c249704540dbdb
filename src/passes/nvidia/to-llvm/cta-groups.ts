/**
 * CTAs of a cluster that share a buffer: bits of a CTA's number that the buffer's layout does not depend on. The CTA of a group in which
 * those bits are 0 leads it. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/Utility.cpp; TritonNvidiaGPU/IR/Ops.cpp, getTMAMulticastMaskEncoding.
 */
import { toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { MemDescParams } from "../../../dialects/ttg/types.js";
import { i32 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { memDescOf } from "../../ttg-to-llvm/local-memory.js";
import type { Lowering } from "./nvidia-lowering.js";

/** The bits of a CTA's number that do not matter to where an element of the buffer is. */
export const sharingBits = ({ shape, encoding }: MemDescParams): number =>
  toLinearLayout(shape, encoding).getFreeVariableMasks().get("block") ?? 0;
export const sharingBitsOf = (buffer: Value): number => sharingBits(memDescOf(buffer));

/** True in the CTA that leads its group. */
export function leads(lo: Lowering, bits: number, cta: Value = lo.code.clusterCTAId(lo)): Value {
  const { b } = lo;
  return b.icmp("eq", b.and(cta, b.i32(bits)), b.i32(0));
}
/** True in the CTA of a pair that does its dots and copies to tensor memory. */
export function leadsPair(lo: Lowering): Value {
  const { b } = lo;
  const cta = lo.code.clusterCTAId(lo);
  return b.icmp("eq", lo.forms.pairsInClusters ? b.and(cta, b.i32(1)) : cta, b.i32(0));
}

/** `predicate`, in the CTAs that lead alone; without groups as it is. */
export function inLeader(lo: Lowering, predicate: Value | undefined, bits: number): Value | undefined {
  if (bits === 0) return predicate;
  const leader = leads(lo, bits);
  return predicate ? lo.b.and(predicate, leader) : leader;
}
/** The address of the same place in the CTA that leads: the CTA's number is in bits 24 and up. */
export function leaderAddress(lo: Lowering, address: Value, bits: number): Value {
  if (bits === 0) return address;
  const { b } = lo;
  return b.inttoptr(b.and(b.ptrtoint(address, i32(lo.ctx)), b.i32(~(bits << 24))), address.type);
}
/** A bit for each CTA of the group. */
export function groupMask(lo: Lowering, bits: number): Value {
  const { b, target } = lo;
  const own = ~bits & (target.numCTAs - 1);
  let pattern = 1;
  for (let bit = 1; bit < target.numCTAs; bit *= 2) if ((own & bit) === 0) pattern |= pattern << bit;
  return b.shl(b.i32(pattern), b.and(lo.code.clusterCTAId(lo), b.i32(own)));
}
