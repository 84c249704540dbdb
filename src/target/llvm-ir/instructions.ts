/** The text of one instruction, without its result's name and its metadata. Source: llvm/lib/IR/AsmWriter.cpp. */

import { FastmathFlagsAttr, IntegerOverflowFlagsAttr } from "../../dialects/llvm/attrs/enums.js";
import { DYNAMIC_INDEX } from "../../dialects/llvm/ops/memory.js";
import { LLVMFunctionType, LLVMPointerType, LLVMVoidType } from "../../dialects/llvm/types/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import { DenseElementsAttr, intOf, intsOf, SymbolRefAttr, stringOf, TypeAttr } from "../../ir/builtin-attrs.js";
import { i32 } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { Bug } from "../../support/assert.js";
import { type IntrinsicCall, isImmediate } from "../intrinsics/call.js";
import { intrinsicCallOf } from "../intrinsics/calls.js";
import { constantText } from "./constants.js";
import { defaultAlign } from "./data-layout.js";
import { BINARY_OPCODES, CAST_OPCODES, FCMP, ICMP, ORDERINGS, RMW } from "./opcodes.js";
import { escapedText, llvmType, symbolText } from "./types.js";

/** The names of the values and blocks that an instruction refers to. */
export interface Names {
  /** `%5`, `-1`, `@x`: without the type. */
  value(value: Value): string;
  /** `%12` */
  block(block: Block): string;
}

type Writer = (op: Operation, names: Names) => string;
const typed = (value: Value, n: Names): string => `${llvmType(value.type)} ${n.value(value)}`;
const list = (values: readonly Value[], n: Names): string => values.map((v) => typed(v, n)).join(", ");
const constants = (attr: Attribute | undefined): string => (intsOf(attr) ?? []).join(", ");

/** The instruction for an op that is neither a constant, a phi nor a call of an intrinsic. */
export function instructionText(op: Operation, names: Names): string {
  const writer = WRITERS.get(op.name);
  if (!writer) throw new Bug(`${op.name} has no LLVM IR`);
  return writer(op, names);
}

/** The ops in functions that LLVM IR has nothing for. */
export function untranslatable(module: Operation): readonly Operation[] {
  const found: Operation[] = [];
  for (const func of module.regions[0]?.firstBlock?.ops() ?? [])
    if (func.name === "llvm.func")
      func.walk((op) => {
        if (op !== func && !op.def.isConstantLike && !WRITERS.has(op.name) && !intrinsicCallOf(op)) found.push(op);
      });
  return found;
}

/** The call of an intrinsic. */
export function callText(call: IntrinsicCall, op: Operation, names: Names): string {
  const args = call.args.map((arg) =>
    isImmediate(arg) ? `${llvmType(arg.type)} ${constantText({ kind: "int", type: arg.type, value: arg.value })}` : typed(arg, names),
  );
  return `call ${fastmath(op)}${call.range === undefined ? "" : `${call.range} `}${call.type ? llvmType(call.type) : "void"} @${symbolText(call.name)}(${args.join(", ")})`;
}

const FLAGS = ["nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"] as const;
/** In LLVM's order of printing. */
const FLAG_ORDER = ["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"] as const;
/** `fast `, `nnan contract `; with a space after it. */
function fastmath(op: Operation): string {
  const bits = FastmathFlagsAttr.match(op.attr("fastmathFlags"))?.params.bits ?? 0;
  if (bits === 0) return "";
  if (bits === 127) return "fast ";
  return FLAG_ORDER.filter((f) => bits & (1 << FLAGS.indexOf(f)))
    .map((f) => `${f} `)
    .join("");
}
function overflow(op: Operation): string {
  const bits = IntegerOverflowFlagsAttr.match(op.attr("overflowFlags"))?.params.bits ?? 0;
  return `${bits & 2 ? "nuw " : ""}${bits & 1 ? "nsw " : ""}`;
}

const binary =
  (opcode: string): Writer =>
  (op, n) => {
    const flags = `${fastmath(op)}${overflow(op)}${op.hasAttr("isExact") ? "exact " : ""}${op.hasAttr("isDisjoint") ? "disjoint " : ""}`;
    return `${opcode} ${flags}${typed(op.operand(0), n)}, ${n.value(op.operand(1))}`;
  };
const cast =
  (opcode: string): Writer =>
  (op, n) =>
    `${opcode} ${overflow(op)}${op.hasAttr("nonNeg") ? "nneg " : ""}${typed(op.operand(0), n)} to ${llvmType(op.result().type)}`;

const WRITERS: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ...Object.entries(BINARY_OPCODES).map(([name, opcode]): [string, Writer] => [name, binary(opcode)]),
  ...Object.entries(CAST_OPCODES).map(([name, opcode]): [string, Writer] => [name, cast(opcode)]),
  ["llvm.fneg", (op, n) => `fneg ${fastmath(op)}${typed(op.operand(0), n)}`],
  ["llvm.freeze", (op, n) => `freeze ${typed(op.operand(0), n)}`],
  ["llvm.icmp", (op, n) => `icmp ${ICMP[intOf(op.attr("predicate"))!]} ${typed(op.operand(0), n)}, ${n.value(op.operand(1))}`],
  [
    "llvm.fcmp",
    (op, n) => `fcmp ${fastmath(op)}${FCMP[intOf(op.attr("predicate"))!]} ${typed(op.operand(0), n)}, ${n.value(op.operand(1))}`,
  ],
  ["llvm.select", (op, n) => `select ${fastmath(op)}${list(op.operands, n)}`],
  ["llvm.extractvalue", (op, n) => `extractvalue ${typed(op.operand(0), n)}, ${constants(op.attr("position"))}`],
  ["llvm.insertvalue", (op, n) => `insertvalue ${list(op.operands, n)}, ${constants(op.attr("position"))}`],
  ["llvm.extractelement", (op, n) => `extractelement ${list(op.operands, n)}`],
  ["llvm.insertelement", (op, n) => `insertelement ${list(op.operands, n)}`],
  ["llvm.shufflevector", shuffle],
  ["llvm.getelementptr", gep],
  ["llvm.load", load],
  ["llvm.store", store],
  ["llvm.alloca", alloca],
  ["llvm.atomicrmw", atomicRmw],
  ["llvm.cmpxchg", cmpXchg],
  ["llvm.fence", (op) => `fence ${scope(op)}${ORDERINGS[intOf(op.attr("ordering"))!]}`],
  ["llvm.call", call],
  ["llvm.inline_asm", inlineAsm],
  ["llvm.br", (op, n) => `br label ${n.block(op.successors[0]!.block)}`],
  ["llvm.cond_br", (op, n) => `br ${typed(op.operand(0), n)}, ${op.successors.map((s) => `label ${n.block(s.block)}`).join(", ")}`],
  ["llvm.switch", switchText],
  ["llvm.return", (op, n) => (op.numOperands === 0 ? "ret void" : `ret ${typed(op.operand(0), n)}`)],
  ["llvm.unreachable", () => "unreachable"],
]);

function shuffle(op: Operation, n: Names): string {
  const mask = (intsOf(op.attr("mask")) ?? []).map((m) => (m < 0 ? "i32 poison" : `i32 ${m}`));
  return `shufflevector ${list(op.operands, n)}, <${mask.length} x ${llvmType(i32(op.ctx))}> <${mask.join(", ")}>`;
}
function gep(op: Operation, n: Names): string {
  const [base, ...dynamic] = op.operands;
  const element = op.attr("elem_type");
  let next = 0;
  const indices = (intsOf(op.attr("rawConstantIndices")) ?? []).map((i) => (i === DYNAMIC_INDEX ? typed(dynamic[next++]!, n) : `i32 ${i}`));
  const bits = intOf(op.attr("noWrapFlags")) ?? 0;
  const flags = `${(bits & 3) === 3 ? "inbounds " : bits & 2 ? "nusw " : ""}${bits & 4 ? "nuw " : ""}`;
  const type: Type = TypeAttr.is(element) ? element.params.type : op.result().type;
  return `getelementptr ${flags}${llvmType(type)}, ${typed(base!, n)}${indices.map((i) => `, ${i}`).join("")}`;
}
const align = (op: Operation, type: Type, preferred = false): string =>
  `, align ${intOf(op.attr("alignment")) ?? defaultAlign(type, preferred)}`;
function scope(op: Operation): string {
  const name = stringOf(op.attr("syncscope"));
  return name ? `syncscope("${escapedText(name)}") ` : "";
}
/** `atomic` and ` monotonic` of a load or a store that is ordered. */
function ordering(op: Operation): readonly [string, string] {
  const number = intOf(op.attr("ordering")) ?? 0;
  return number === 0 ? ["", ""] : ["atomic ", ` ${scope(op)}${ORDERINGS[number]}`];
}
function load(op: Operation, n: Names): string {
  const [atomic, order] = ordering(op);
  const { type } = op.result();
  return `load ${atomic}${op.hasAttr("volatile_") ? "volatile " : ""}${llvmType(type)}, ${typed(op.operand(0), n)}${order}${align(op, type)}`;
}
function store(op: Operation, n: Names): string {
  const [atomic, order] = ordering(op);
  return `store ${atomic}${op.hasAttr("volatile_") ? "volatile " : ""}${list(op.operands, n)}${order}${align(op, op.operand(0).type)}`;
}
function alloca(op: Operation, n: Names): string {
  const element = op.attr("elem_type");
  const type: Type = TypeAttr.is(element) ? element.params.type : op.result().type;
  const size = typed(op.operand(0), n);
  const space = LLVMPointerType.params(op.result().type).addressSpace;
  const count = /^i\d+ 1$/.test(size) ? "" : `, ${size}`;
  return `alloca ${llvmType(type)}${count}${align(op, type, true)}${space === 0 ? "" : `, addrspace(${space})`}`;
}
// Atomic operations are aligned to the size of their value, unlike loads and stores.
function atomicRmw(op: Operation, n: Names): string {
  const opcode = RMW[intOf(op.attr("bin_op"))!];
  return `atomicrmw ${op.hasAttr("volatile_") ? "volatile " : ""}${opcode} ${list(op.operands, n)} ${scope(op)}${ORDERINGS[intOf(op.attr("ordering"))!]}${align(op, op.operand(1).type, true)}`;
}
function cmpXchg(op: Operation, n: Names): string {
  const orders = `${scope(op)}${ORDERINGS[intOf(op.attr("success_ordering"))!]} ${ORDERINGS[intOf(op.attr("failure_ordering"))!]}`;
  const words = `${op.hasAttr("weak") ? "weak " : ""}${op.hasAttr("volatile_") ? "volatile " : ""}`;
  return `cmpxchg ${words}${list(op.operands, n)} ${orders}${align(op, op.operand(1).type, true)}`;
}
function switchText(op: Operation, n: Names): string {
  const value = op.operand(0);
  const attr = op.attr("case_values");
  const elements = DenseElementsAttr.is(attr) ? attr.params.elements : [];
  const cases = op.successors.slice(1).map((s, i) => {
    const element = elements.length === 1 ? elements[0]! : elements[i]!;
    return `    ${llvmType(value.type)} ${element}, label ${n.block(s.block)}\n`;
  });
  return `switch ${typed(value, n)}, label ${n.block(op.successors[0]!.block)} [\n${cases.join("")}  ]`;
}

/** The result type in a call or a function. */
const resultType = (op: Operation): string => (op.numResults === 0 ? "void" : llvmType(op.result().type));
function call(op: Operation, n: Names): string {
  const callee = op.attr("callee");
  const variadic = op.attr("var_callee_type");
  const args = callee ? op.operands : op.operands.slice(1);
  const name = callee ? `@${symbolText(SymbolRefAttr.params(callee).root)}` : n.value(op.operand(0));
  const type = TypeAttr.is(variadic) && LLVMFunctionType.is(variadic.params.type) ? llvmType(variadic.params.type) : resultType(op);
  return `call ${fastmath(op)}${type} ${name}(${list(args, n)})`;
}
function inlineAsm(op: Operation, n: Names): string {
  const words = [
    op.hasAttr("has_side_effects") ? "sideeffect " : "",
    op.hasAttr("is_align_stack") ? "alignstack " : "",
    intOf(op.attr("asm_dialect")) === 1 ? "inteldialect " : "",
  ].join("");
  const [text, constraints] = [stringOf(op.attr("asm_string"))!, stringOf(op.attr("constraints"))!].map(escapedText);
  return `call ${resultType(op)} asm ${words}"${text}", "${constraints}"(${list(op.operands, n)})`;
}

/** Whether the instruction has a result that gets a name. */
export function hasResult(op: Operation): boolean {
  return op.numResults === 1 && !LLVMVoidType.is(op.result().type);
}
