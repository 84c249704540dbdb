/**
 * Branches between blocks in the LLVM dialect. Arguments of blocks are converted by the branches that lead there.
 * Source: mlir/lib/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.cpp, LLVMCommon/PrintCallHelper.cpp.
 */

import { AssertOp } from "../../dialects/cf/ops/assert.js";
import { BranchOp, CondBranchOp } from "../../dialects/cf/ops/branch.js";
import { SwitchOp } from "../../dialects/cf/ops/switch.js";
import * as ll from "../../dialects/llvm/ops/index.js";
import { LLVMArrayType, LLVMFunctionType, ptrType, voidType } from "../../dialects/llvm/types/types.js";
import type { Type } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import { denseElements, dictAttr, dictEntries } from "../../ir/builtin-attrs.js";
import { i8, tensorType } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import { Operation } from "../../ir/operation.js";
import { lookupSymbol } from "../../ir/symbol-table.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import type { Conversion } from "../../rewrite/conversion.js";
import { type ConversionPattern, conversionPattern, kindConversionPattern } from "../../rewrite/conversion-pattern.js";
import { ConversionTarget } from "../../rewrite/conversion-target.js";
import { applyPartialConversion } from "../../rewrite/dialect-conversion.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import type { TypeConverter } from "../../rewrite/type-converter.js";
import { bytesOf } from "../../support/bytes.js";
import { llvmTypeConverter } from "./llvm-type-converter.js";

export const convertControlFlowToLLVM = definePass("convert-cf-to-llvm", {
  name: "ConvertControlFlowToLLVMPass",
  summary: "Convert ControlFlow operations to the LLVM dialect",
  source: "mlir/lib/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.cpp",
  options: { indexBitwidth: option.int({ default: 0, summary: "Bitwidth of the index type, 0 to use size of machine word" }) },
  run(root, { listener, fail }) {
    const target = new ConversionTarget().addLegalDialect("llvm").addIllegalDialect("cf");
    const converter = llvmTypeConverter();
    const patterns = [...branchPatterns(converter), assertion(root, converter)];
    if (!applyPartialConversion(root, target, patterns, { listener }).ok) fail();
  },
});

/** How branches are converted. */
export const branchPatterns = (converter: TypeConverter): ConversionPattern[] => [
  branch(BranchOp, ll.BrOp, converter),
  branch(CondBranchOp, ll.CondBrOp, converter),
  branch(SwitchOp, ll.SwitchOp, converter, false),
];

/** Both dialects give operands, successors and attributes in the same order under the same names. */
const branch = (from: OpDef, to: OpDef, converter: TypeConverter, keepsHints = true): ConversionPattern =>
  kindConversionPattern(
    from,
    (op, ranges, rw, conversion) => {
      const successors: Block[] = [];
      for (const { block } of op.successors) {
        const converted = convertedBlock(block, converter, conversion);
        if (!converted) return rw.noMatch("a block has an argument that LLVM has no type for", op);
        successors.push(converted);
      }
      const attrs = keepsHints
        ? op.attrs
        : dictAttr(
            rw.ctx,
            dictEntries(op.attrs).filter(([name]) => op.def.inherent.has(name)),
          );
      rw.insert(new Operation(rw.ctx, to, { loc: op.locRef, operands: ranges.flat(), resultTypes: [], attrs, successors }));
      return rw.erase(op);
    },
    { converter },
  );

function convertedBlock(block: Block, converter: TypeConverter, conversion: Conversion): Block | undefined {
  const signature = converter.convertBlockSignature(block);
  return signature && conversion.applySignatureConversion(block, signature, converter);
}

/** Where the condition is false, the text is printed and the program ends, in a block at the end of the function. */
const assertion = (module: Operation, converter: TypeConverter): ConversionPattern =>
  conversionPattern(
    "convert-assert",
    AssertOp,
    ({ op, msg }, { arg: condition }, rw) => {
      const before = op.block!;
      const trueDest = rw.splitBlock(before, op.next!);
      const text = addString(rw, module, msg);
      const falseDest = rw.createBlock(before.region!);
      const pointer = ptrType(rw.ctx);
      const base = rw.value(ll.AddressOfOp, { global_name: text.name }, { types: [pointer] });
      const first = { base, dynamicIndices: [], rawConstantIndices: [0], elem_type: text.type, noWrapFlags: 0 };
      call(rw, module, "puts", [rw.value(ll.GEPOp, first, { types: [pointer] })]);
      call(rw, module, "abort", []);
      rw.create(ll.UnreachableOp, {});
      rw.setEnd(before);
      rw.create(ll.CondBrOp, { condition, trueDest, trueDestOperands: [], falseDest, falseDestOperands: [] });
      return rw.erase(op);
    },
    { converter },
  );

/** A string of the module that ends with a zero byte. */
function addString(rw: Rewriter, module: Operation, content: string): { readonly name: string; readonly type: Type } {
  const bytes = [...bytesOf(content), 0].map((byte) => BigInt.asIntN(8, BigInt(byte)));
  const type = LLVMArrayType.get(rw.ctx, { elementType: i8(rw.ctx), numElements: bytes.length });
  let name = "assert_msg";
  for (let i = 0; lookupSymbol(module, name); i++) name = `assert_msg_${i}`;
  const value = denseElements(tensorType([bytes.length], i8(rw.ctx)), bytes);
  atStart(rw, module, () => rw.create(ll.GlobalOp, { global_type: type, sym_name: name, linkage: "private", constant: true, value }));
  return { name, type };
}
/** Calls a function of C that returns nothing, declared where it is not. */
function call(rw: Rewriter, module: Operation, callee: string, args: readonly Value[]): void {
  if (!lookupSymbol(module, callee)) {
    const types = { returnType: voidType(rw.ctx), params: args.map(({ type }) => type), varArg: false };
    atStart(rw, module, () => rw.create(ll.LLVMFuncOp, { sym_name: callee, function_type: LLVMFunctionType.get(rw.ctx, types) }));
  }
  rw.create(ll.CallOp, { callee, callee_operands: args, op_bundle_operands: [], op_bundle_sizes: [] }, { types: [] });
}
function atStart(rw: Rewriter, module: Operation, make: () => void): void {
  rw.preserving(() => {
    rw.setStart(module.regions[0]!.firstBlock!);
    make();
  });
}
