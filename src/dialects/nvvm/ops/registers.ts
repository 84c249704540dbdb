/** Special registers. Source: mlir/include/mlir/Dialect/LLVMIR/NVVMOps.td, "NVVM special register op definitions". */
import { optionalAttr } from "../../../ir/constraints.js";
import { defineOp, type OpDef } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";
import { ConstantRangeC } from "../../llvm/constraints.js";
import { LLVMType } from "../../llvm/type-constraints.js";

/** A register whose values may be known to lie in a range. */
const ranged = (name: string) =>
  defineOp(`nvvm.read.ptx.sreg.${name}`, () => ({
    attrs: { range: optionalAttr(ConstantRangeC) },
    results: { res: LLVMType },
    traits: [Pure],
    format: "(`range` $range^)? attr-dict `:` type($res)",
  }));
const pure = (name: string) =>
  defineOp(`nvvm.read.ptx.sreg.${name}`, () => ({ results: { res: LLVMType }, traits: [Pure], format: "attr-dict `:` type($res)" }));
/** Registers that change while a thread runs. */
const volatile = (name: string) =>
  defineOp(`nvvm.read.ptx.sreg.${name}`, () => ({ results: { res: LLVMType }, format: "attr-dict `:` type($res)" }));

export const ThreadIdXOp = ranged("tid.x");
export const ThreadIdYOp = ranged("tid.y");
export const ThreadIdZOp = ranged("tid.z");
export const BlockDimXOp = ranged("ntid.x");
export const BlockDimYOp = ranged("ntid.y");
export const BlockDimZOp = ranged("ntid.z");
export const BlockIdXOp = ranged("ctaid.x");
export const BlockIdYOp = ranged("ctaid.y");
export const BlockIdZOp = ranged("ctaid.z");
export const GridDimXOp = ranged("nctaid.x");
export const GridDimYOp = ranged("nctaid.y");
export const GridDimZOp = ranged("nctaid.z");
export const ClusterIdXOp = ranged("clusterid.x");
export const ClusterIdYOp = ranged("clusterid.y");
export const ClusterIdZOp = ranged("clusterid.z");
export const ClusterDimXOp = ranged("nclusterid.x");
export const ClusterDimYOp = ranged("nclusterid.y");
export const ClusterDimZOp = ranged("nclusterid.z");
export const BlockInClusterIdXOp = ranged("cluster.ctaid.x");
export const BlockInClusterIdYOp = ranged("cluster.ctaid.y");
export const BlockInClusterIdZOp = ranged("cluster.ctaid.z");
export const ClusterDimBlocksXOp = ranged("cluster.nctaid.x");
export const ClusterDimBlocksYOp = ranged("cluster.nctaid.y");
export const ClusterDimBlocksZOp = ranged("cluster.nctaid.z");
export const ClusterId = ranged("cluster.ctarank");
export const ClusterDim = ranged("cluster.nctarank");
export const LaneIdOp = ranged("laneid");
export const WarpSizeOp = ranged("warpsize");
export const WarpIdOp = ranged("warpid");
export const WarpDimOp = ranged("nwarpid");
export const SmIdOp = ranged("smid");
export const SmDimOp = ranged("nsmid");
export const GridIdOp = ranged("gridid");
export const LaneMaskEqOp = pure("lanemask.eq");
export const LaneMaskLeOp = pure("lanemask.le");
export const LaneMaskLtOp = pure("lanemask.lt");
export const LaneMaskGeOp = pure("lanemask.ge");
export const LaneMaskGtOp = pure("lanemask.gt");
export const ClockOp = volatile("clock");
export const Clock64Op = volatile("clock64");
export const GlobalTimerOp = volatile("globaltimer");
export const GlobalTimerLoOp = volatile("globaltimer.lo");

/** `envreg0` to `envreg31`, by name. */
export const ENVIRONMENT_REGISTERS: Readonly<Record<string, OpDef>> = Object.fromEntries(
  Array.from({ length: 32 }, (_, i): [string, OpDef] => [`envreg${i}`, pure(`envreg${i}`)]),
);
