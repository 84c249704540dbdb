/** Values of other lanes of the wave. Source: ROCDLOps.td. */
import { BoolAttr, I1, I32, I32Attr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AllTypesMatch, Pure } from "../../../ir/traits.js";
import { LLVMType } from "../../llvm/type-constraints.js";

export const UpdateDppOp = defineOp("rocdl.update.dpp", () => ({
  summary: "value of a lane near by, or of `old` where there is none",
  operands: { old: LLVMType, src: LLVMType },
  attrs: { dppCtrl: I32Attr, rowMask: I32Attr, bankMask: I32Attr, boundCtrl: BoolAttr },
  results: { res: LLVMType },
  traits: [AllTypesMatch("res", "src", "old")],
  format: "$old `,` $src `with` $dppCtrl `,` $rowMask `,` $bankMask `,` $boundCtrl attr-dict `:` type($src)",
}));
export const ReadlaneOp = defineOp("rocdl.readlane", () => ({
  summary: "value of the lane of that number",
  operands: { src0: LLVMType, src1: I32 },
  results: { res: LLVMType },
  format: "$src0 `,` $src1 attr-dict `:` functional-type(operands, results)",
}));
export const DsSwizzleOp = defineOp("rocdl.ds_swizzle", () => ({
  summary: "value of another lane, by a constant pattern",
  operands: { src: I32, offset: I32 },
  results: { res: I32 },
  format: "$src `,` $offset attr-dict `:` functional-type(operands, results)",
}));
export const DsBpermuteOp = defineOp("rocdl.ds_bpermute", () => ({
  summary: "value of the lane whose number times 4 is the index",
  operands: { index: I32, src: I32 },
  results: { res: I32 },
  format: "$index `,` $src attr-dict `:` functional-type(operands, results)",
}));
export const PermlaneX16Op = defineOp("rocdl.permlanex16", () => ({
  summary: "value of a lane of the other row of 16",
  operands: { old: LLVMType, src0: LLVMType, src1: I32, src2: I32 },
  attrs: { fi: BoolAttr, boundControl: BoolAttr },
  results: { res: LLVMType },
  traits: [AllTypesMatch("res", "old", "src0"), AllTypesMatch("src1", "src2")],
  format: "attr-dict $old `,` $src0 `,` $src1 `,` $src2 `,` $fi `,` $boundControl `:` type($src0) `,` type($src1)",
}));
export const BallotOp = defineOp("rocdl.ballot", () => ({
  summary: "a word with one bit for each lane of the wave",
  operands: { pred: I1 },
  results: { res: LLVMType },
  format: "$pred attr-dict `:` type($res)",
}));
/** Lanes below this one among those of a mask, added to a number: of the lower and of the upper 32 lanes. */
const mbcnt = (half: string) =>
  defineOp(`rocdl.mbcnt.${half}`, () => ({
    summary: "number of lanes below this one that the mask has",
    operands: { in0: I32, in1: I32 },
    results: { res: I32 },
    traits: [Pure],
    format: "$in0 `,` $in1 attr-dict `:` functional-type(operands, results)",
  }));
export const MbcntLoOp = mbcnt("lo");
export const MbcntHiOp = mbcnt("hi");
