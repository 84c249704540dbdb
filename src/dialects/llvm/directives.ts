/** The `custom<...>` directives that formats of LLVM ops use. Source: mlir/lib/Dialect/LLVMIR/IR/LLVMDialect.cpp. */
import type { OpParser, ParsedOperand } from "../../ir/asm.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import {
  ArrayAttr,
  arrayAttr,
  DenseElementsAttr,
  denseElements,
  i32ArrayAttr,
  intsOf,
  stringAttr,
  wrapInt,
} from "../../ir/builtin-attrs.js";
import { bitWidth, VectorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { defineCustomDirective, partValues } from "../../syntax/custom-directive.js";
import { typeAtPosition } from "./ops/aggregates.js";
import { DYNAMIC_INDEX } from "./ops/memory.js";
import { bundlesText, parseBundles } from "./ops/op-bundles.js";

function attrOf(p: OpParser, name: string): Attribute | undefined {
  const { attrs } = p.state;
  for (let i = 0; i < attrs.length; i++) if (attrs[i]![0] === name) return attrs[i]![1];
  return undefined;
}

/** `(type($res), ref(type($container)), ref($position))`: the type at the position; nothing is spelt. */
defineCustomDirective("llvm", "InsertExtractValueElementType", {
  parse(p, state, args) {
    // Some of the most frequent directives: taking `args` apart would cost as much as the rest.
    const type = typeAtPosition(state.type(args[1]!)!, intsOf(attrOf(p, args[2]!)) ?? []);
    if (typeof type === "string") p.fail(`custom op '${p.opName}' ${type}`);
    else state.setType(args[0]!, type);
  },
  print() {},
});

/** `(ref(type($v1)), type($res), ref($mask))`: a vector as long as the mask. */
defineCustomDirective("llvm", "ShuffleType", {
  parse(p, state, [vector, target, mask]) {
    const type = state.types(vector!)[0];
    if (!VectorType.is(type)) return p.fail(`custom op '${p.opName}' expected an LLVM compatible vector type`);
    const length = intsOf(attrOf(p, mask!))?.length ?? 0;
    state.setTypes(target!, [VectorType.get(p.ctx, { ...type.params, shape: [length] })]);
  },
  print() {},
});

/** `0, %i, 3`: constants are in the attribute, which marks the place of operands. */
defineCustomDirective("llvm", "GEPIndices", {
  parse(p, state, [dynamic, raw]) {
    const operands: ParsedOperand[] = [];
    const constants: number[] = [];
    do {
      const operand = p.optOperand();
      if (operand) operands.push(operand);
      constants.push(operand ? DYNAMIC_INDEX : p.int());
    } while (p.optPunct(","));
    state.setOperands(dynamic!, operands);
    p.setAttr(raw!, i32ArrayAttr(p.ctx, constants));
  },
  print(p, op, [dynamic, raw]) {
    const operands = partValues(op, dynamic!);
    let next = 0;
    const texts = (intsOf(op.attr(raw!)) ?? []).map((index) => (index === DYNAMIC_INDEX ? p.value(operands[next++]!) : String(index)));
    p.write(texts.join(", "));
  },
});

/** A list of successors with their operands, which become one operand group with the sizes of its parts. */
class SuccessorList {
  readonly operands: ParsedOperand[] = [];
  readonly types: Type[] = [];
  readonly sizes: number[] = [];
  readonly blocks: Block[] = [];
  parse(p: OpParser): void {
    this.blocks.push(p.successor());
    const operands = p.optPunct("(") ? p.operands() : [];
    if (operands.length > 0) {
      const types = p.colonTypes();
      p.punct(")");
      if (types.length !== operands.length) p.fail("number of operands and types do not match");
      this.operands.push(...operands);
      this.types.push(...types);
    }
    this.sizes.push(operands.length);
  }
}

/** `[ 0: ^bb1(%a : i32), -1: ^bb2 ]`, each case on a line of its own. */
defineCustomDirective("llvm", "SwitchOpCases", {
  parse(p, state, [value, caseValues, , caseOperands]) {
    const flagType = state.types(value!)[0]!;
    const list = new SuccessorList();
    const values: bigint[] = [];
    p.list("[", "]", () => {
      values.push(wrapInt(p.integer(Math.min(bitWidth(flagType) ?? 64, 64)), flagType));
      p.punct(":");
      list.parse(p);
    });
    if (values.length > 0)
      p.setAttr(
        caseValues!,
        denseElements(VectorType.get(p.ctx, { shape: [values.length], elementType: flagType, scalable: undefined }), values),
      );
    p.state.successors.push(...list.blocks);
    state.setOperands(caseOperands!, list.operands);
    state.setTypes(caseOperands!, list.types);
    p.setAttr("case_operand_segments", i32ArrayAttr(p.ctx, list.sizes));
  },
  print(p, op, [, caseValues, , caseOperands]) {
    p.write("[");
    p.newline();
    const attr = op.attr(caseValues!);
    if (!DenseElementsAttr.is(attr)) return p.write("]");
    const { elements, splat } = attr.params;
    const parts = successorParts(op, caseOperands!, "case_operand_segments");
    op.successors.slice(1).forEach(({ block }, i) => {
      if (i > 0) {
        p.write(",");
        p.newline();
      }
      p.write(`  ${elements[splat ? 0 : i]}: ${p.successor(block, parts[i]!)}`);
    });
    p.newline();
    p.write("]");
  },
  present: () => true,
});

/** `[ ^bb1(%a : i32), ^bb2 ]`, each on a line of its own. */
defineCustomDirective("llvm", "IndirectBrOpSucessors", {
  parse(p, state, [, , operands]) {
    const list = new SuccessorList();
    p.list("[", "]", () => list.parse(p));
    p.state.successors.push(...list.blocks);
    state.setOperands(operands!, list.operands);
    state.setTypes(operands!, list.types);
    p.setAttr("indbr_operand_segments", i32ArrayAttr(p.ctx, list.sizes));
  },
  print(p, op, [, , operands]) {
    const parts = successorParts(op, operands!, "indbr_operand_segments");
    p.write("[");
    op.successors.forEach(({ block }, i) => {
      if (i > 0) p.write(",");
      p.newline();
      p.write(p.successor(block, parts[i]!));
    });
    if (parts.length > 0) p.newline();
    p.write("]");
  },
});
function successorParts(op: Operation, operands: string, sizesName: string) {
  const values = partValues(op, operands);
  let start = 0;
  return (intsOf(op.attr(sizesName)) ?? []).map((size) => values.slice(start, (start += size)));
}

/** `["tag"(%a : i32)]` of llvm.intr.assume. */
defineCustomDirective("llvm", "OpBundles", {
  parse(p, state, [operands, , tags]) {
    const bundles = parseBundles(p);
    state.setOperands(
      operands!,
      bundles.flatMap((b) => b.operands),
    );
    state.setTypes(
      operands!,
      bundles.flatMap((b) => b.types),
    );
    p.setAttr(
      "op_bundle_sizes",
      i32ArrayAttr(
        p.ctx,
        bundles.map((b) => b.operands.length),
      ),
    );
    if (bundles.length > 0)
      p.setAttr(
        tags!,
        arrayAttr(
          p.ctx,
          bundles.map((b) => stringAttr(p.ctx, b.tag)),
        ),
      );
  },
  print(p, op, [operands, , tags]) {
    p.write(bundlesText(p, partValues(op, operands!), intsOf(op.attr("op_bundle_sizes")) ?? [], op.attr(tags!)));
  },
  present: (op) => ArrayAttr.is(op.attr("op_bundle_tags")),
});
