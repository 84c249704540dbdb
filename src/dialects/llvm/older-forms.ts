/**
 * The LLVM dialect of older Tritons: of 2.0, whose pointers said what they point to and whose intrinsics had no syntax of
 * their own; and of 3.1, whose printer left a space for flags where none are set.
 * Source: mlir/lib/Dialect/LLVMIR/IR/LLVMDialect.cpp of LLVM 15 and of mid 2024.
 */
import type { OpParser, OpPrinter } from "../../ir/asm.js";
import type { Type } from "../../ir/attribute.js";
import { i32ArrayAttr, i32Attr, i64ArrayAttr, intsOf, typeAttr } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import type { OlderForm, OlderForms } from "../../ir/spelling.js";
import { typeAtPosition } from "./ops/aggregates.js";
import * as intrinsics from "./ops/intrinsics.js";
import { DYNAMIC_INDEX, GEPOp } from "./ops/memory.js";
import { LLVMPointerType } from "./types/types.js";

const INBOUNDS = 3;

/** `%base[%i, 0] : (!llvm.ptr<f32, 1>, i32) -> !llvm.ptr<f32, 1>` */
const getElementPtr: OlderForm = {
  kind: "syntax",
  tells: false,
  parse(p) {
    if (p.optKeyword("inbounds")) p.setAttr("noWrapFlags", i32Attr(p.ctx, INBOUNDS));
    const operands = [p.operand()];
    const indices = p.list("[", "]", () => {
      const operand = p.optOperand();
      if (operand) operands.push(operand);
      return operand ? DYNAMIC_INDEX : p.int();
    });
    p.optAttrDict();
    p.punct(":");
    const { inputs, results } = p.functionType();
    p.setAttr("rawConstantIndices", i32ArrayAttr(p.ctx, indices));
    p.setAttr("elem_type", typeAttr(pointeeOf(p, inputs[0])));
    p.state.operands.push(...p.resolveAll(operands, inputs));
    p.state.types.push(...results);
  },
  print(op, p) {
    if (GEPOp.match(op)!.noWrapFlags === INBOUNDS) p.write(" inbounds");
    let next = 1;
    const indices = (intsOf(op.attr("rawConstantIndices")) ?? []).map((i) =>
      i === DYNAMIC_INDEX ? p.value(op.operand(next++)) : String(i),
    );
    p.write(` ${p.value(op.operand(0))}[${indices.join(", ")}]`);
    p.optAttrDict(op, ["noWrapFlags", "rawConstantIndices", "elem_type"]);
    p.write(` : ${p.functionType(typesOf(op), op.resultTypes)}`);
  },
};

/** `%p : !llvm.ptr<vector<4xf32>, 3>` */
const load: OlderForm = {
  kind: "syntax",
  tells: false,
  parse(p) {
    if (p.optKeyword("volatile")) p.fail("volatile loads are not known of this era");
    const address = p.operand();
    p.optAttrDict();
    const type = p.colonType();
    p.state.types.push(pointeeOf(p, type));
    p.state.operands.push(p.resolve(address, type));
  },
  print(op, p) {
    p.write(` ${p.value(op.operand(0))}`);
    p.optAttrDict(op, defaultsOf(op));
    p.write(` : ${p.type(op.operand(0).type)}`);
  },
};

/** `%value, %p : !llvm.ptr<f32, 3>` */
const store: OlderForm = {
  kind: "syntax",
  tells: false,
  parse(p) {
    const value = p.operand();
    p.punct(",");
    const address = p.operand();
    p.optAttrDict();
    const type = p.colonType();
    p.state.operands.push(p.resolve(value, pointeeOf(p, type)), p.resolve(address, type));
  },
  print(op, p) {
    p.write(` ${p.value(op.operand(0))}, ${p.value(op.operand(1))}`);
    p.optAttrDict(op, defaultsOf(op));
    p.write(` : ${p.type(op.operand(1).type)}`);
  },
};

/** Positions in aggregates were attributes like any other: `[0]` of 64 bits, `[0 : i32]` where somebody made one of 32. */
const NARROW = "position_type";
function position(p: OpParser): void {
  const elements = p.list("[", "]", () => {
    const element = p.integer();
    if (p.optPunct(":")) p.setAttr(NARROW, typeAttr(p.type()));
    return element;
  });
  p.setAttr("position", i64ArrayAttr(p.ctx, elements));
}
function positionText(op: Operation, p: OpPrinter): string {
  const narrow = op.attr(NARROW);
  return `[${(intsOf(op.attr("position")) ?? []).map((i) => (narrow ? `${i} : ${p.attr(narrow)}` : String(i))).join(", ")}]`;
}
function elementAt(p: OpParser, container: Type): Type {
  const at = intsOf(p.state.attrs.find(([name]) => name === "position")?.[1]) ?? [];
  const type = typeAtPosition(container, at);
  return typeof type === "string" ? p.fail(type) : type;
}
const extractValue: OlderForm = {
  kind: "syntax",
  tells: false,
  parse(p) {
    const container = p.operand();
    position(p);
    p.optAttrDict();
    const type = p.colonType();
    p.state.operands.push(p.resolve(container, type));
    p.state.types.push(elementAt(p, type));
  },
  print(op, p) {
    p.write(` ${p.value(op.operand(0))}${positionText(op, p)}`);
    p.optAttrDict(op, ["position", NARROW]);
    p.write(` : ${p.type(op.operand(0).type)}`);
  },
};
const insertValue: OlderForm = {
  kind: "syntax",
  tells: false,
  parse(p) {
    const value = p.operand();
    p.punct(",");
    const container = p.operand();
    position(p);
    p.optAttrDict();
    const type = p.colonType();
    const byName = { container: p.resolve(container, type), value: p.resolve(value, elementAt(p, type)) };
    p.state.operands.push(byName.container, byName.value);
    p.state.types.push(type);
  },
  print(op, p) {
    p.write(` ${p.value(op.operand(1))}, ${p.value(op.operand(0))}${positionText(op, p)}`);
    p.optAttrDict(op, ["position", NARROW]);
    p.write(` : ${p.type(op.operand(0).type)}`);
  },
};

function pointeeOf(p: OpParser, type: Type | undefined): Type {
  const pointee = LLVMPointerType.is(type) ? type.params.pointee : undefined;
  return pointee ?? p.fail("expected LLVM pointer type with a pointee", undefined, "parse.type");
}
const typesOf = (op: Operation): Type[] => op.operands.map((v) => v.type);
function defaultsOf(op: Operation): string[] {
  return op.def.attrs.filter(({ name, default: value }) => value && op.attr(name) === value(op.ctx)).map(({ name }) => name);
}

/** `%0, %1  : i32` and `(%0, %1)  : (f32, f32) -> f32`: flags, or the space for them. */
const wideInfix: OlderForm = {
  kind: "print",
  print(op, p) {
    p.write(` ${p.values(op.operands)} `);
    p.optAttrDict(op, defaultsOf(op));
    p.write(` : ${p.type(op.result().type)}`);
  },
};
const wideCall: OlderForm = {
  kind: "print",
  print(op, p) {
    p.write(`(${p.values(op.operands)}) `);
    p.optAttrDict(op, defaultsOf(op));
    p.write(` : ${p.functionType(typesOf(op), op.resultTypes)}`);
  },
};
const FLAGGED = ["and", "or", "xor", "lshr", "ashr", "udiv", "sdiv", "urem", "srem", "fadd", "fsub", "fmul", "fdiv", "frem", "fneg"];
/** Intrinsics that are functions of their operands. */
const functions = (): string[] =>
  Object.values(intrinsics)
    .filter(({ format }) => format === intrinsics.MaxNumOp.format)
    .map(({ name }) => name);

const all = (names: readonly string[], form: OlderForm): Record<string, OlderForm> => Object.fromEntries(names.map((name) => [name, form]));

export const llvmOlderForms = (): OlderForms => ({
  "3.1": {
    ...all(
      FLAGGED.map((name) => `llvm.${name}`),
      wideInfix,
    ),
    ...all(functions(), wideCall),
  },
  "2.0": {
    "llvm.getelementptr": getElementPtr,
    "llvm.extractvalue": extractValue,
    "llvm.insertvalue": insertValue,
    "llvm.load": load,
    "llvm.store": store,
    ...all(
      [...FLAGGED, "add", "sub", "mul", "shl"].map((name) => `llvm.${name}`),
      wideInfix,
    ),
    ...all(functions(), { kind: "generic" }),
  },
});
