/**
 * One function: which values are constants, which get numbers, where its instructions come from, and its text.
 * Unnamed arguments, blocks and values are numbered in the order of printing, as LLVM's SlotTracker does.
 */

import { DIExpressionAttr, DILocalVariableAttr } from "../../dialects/llvm/attrs/debug-info.js";
import { constantValueOf } from "../../dialects/llvm/ops/constants.js";
import { DbgValueOp } from "../../dialects/llvm/ops/intrinsics-memory.js";
import type { Attribute } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import { stringOf } from "../../ir/builtin-attrs.js";
import { BranchOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import type { Value } from "../../ir/value.js";
import { within } from "../../support/limits.js";
import type { IntrinsicCall } from "../intrinsics/call.js";
import { intrinsicCallOf } from "../intrinsics/calls.js";
import { type Constant, constantOf, constantText } from "./constants.js";
import type { DebugInfo, MetadataNode } from "./debug-info.js";
import { foldConstants } from "./fold.js";
import { linkageText, parameterText, returnText } from "./function-signature.js";
import type { InstructionMetadata } from "./instruction-metadata.js";
import { callText, hasResult, instructionText, type Names } from "./instructions.js";
import type { LlvmIrTarget } from "./target.js";
import { llvmType, symbolText } from "./types.js";

export class FunctionBody implements Names {
  readonly subprogram: MetadataNode | undefined;
  readonly #constants = new Map<Value, Constant>();
  readonly #texts = new Map<Value, string>();
  readonly #blocks = new Map<Block, string>();
  readonly #instructions: { readonly block: Block; readonly made: readonly Instruction[] }[] = [];
  /** The locations of ops and of block arguments (phis). */
  readonly #locations = new Map<Operation | Value, MetadataNode>();
  readonly #variables = new Map<Operation, MetadataNode>();
  /** Numbers of the intrinsics' results of which the op's result is an element. */
  readonly #answers = new Map<Operation, string>();

  constructor(
    readonly func: Operation,
    debug: DebugInfo,
    readonly attached: InstructionMetadata,
    declare: (call: IntrinsicCall) => void,
    readonly target: LlvmIrTarget,
  ) {
    this.subprogram = debug.subprogramOf(func.loc);
    const region = func.regions[0]!;
    const instructions = new Map<Block, Instruction[]>();
    for (const block of blocksInReversePostOrder(region)) {
      const made: Instruction[] = [];
      for (const op of block.ops()) {
        const constant = op.numResults === 1 ? constantIn(op, this.#constants) : undefined;
        if (constant) {
          this.#constants.set(op.result(), constant);
          continue;
        }
        if (DbgValueOp.is(op)) {
          const varInfo = op.attr("varInfo")!;
          const at = debug.location(op.loc, debug.node(DILocalVariableAttr.params(varInfo).scope));
          // LLVM keeps no value of a variable without a place.
          if (!at) continue;
          this.#variables.set(op, debug.node(varInfo));
          this.#locations.set(op, at);
          made.push({ op, call: undefined, isPart: false });
          continue;
        }
        const call = intrinsicCallOf(op);
        if (call) declare(call);
        // LLVM has no instruction for it: the operand is used instead.
        if (isSameTrunc(op)) continue;
        // An intrinsic may return a struct or a wider integer; the op's result is then one element or the lower part of it.
        made.push({ op, call, isPart: false });
        if (call?.extract !== undefined || call?.truncated) made.push({ op, call, isPart: true });
        const location = this.subprogram && debug.location(op.loc, this.subprogram);
        if (location) this.#locations.set(op, location);
      }
      if (this.subprogram && !block.isEntry)
        for (const arg of block.args) {
          // A place in the text that was read says nothing of the kernel.
          const location = typeof arg.argLoc === "number" ? undefined : debug.location(arg.loc, this.subprogram);
          if (location) this.#locations.set(arg, location);
        }
      instructions.set(block, made);
    }
    for (const block of region.blocks()) this.#instructions.push({ block, made: instructions.get(block)! });
    this.number();
  }

  /** The initializer that a global's region returns. */
  static initializer(block: Block): string | undefined {
    const constants = new Map<Value, Constant>();
    for (const op of block.ops()) {
      if (op.name === "llvm.return") {
        const value = constants.get(op.operand(0));
        return value && constantText(value);
      }
      const made = constantIn(op, constants);
      if (made) constants.set(op.result(), made);
    }
    return undefined;
  }

  private number(): void {
    let next = 0;
    for (const { block, made } of this.#instructions) {
      const { isEntry } = block;
      if (!isEntry) this.#blocks.set(block, `%${next++}`);
      for (const arg of block.args) this.#texts.set(arg, `%${next++}`);
      if (isEntry) this.#blocks.set(block, `%${next++}`);
      for (const { op, call, isPart } of made) {
        if (!hasResult(op)) continue;
        if ((call?.extract !== undefined || call?.truncated) && !isPart) this.#answers.set(op, `%${next++}`);
        else this.#texts.set(op.result(), `%${next++}`);
      }
    }
  }

  value(value: Value): string {
    let text = this.#texts.get(value);
    if (text === undefined) {
      const constant = this.#constants.get(value);
      const { definingOp } = value;
      text = constant ? constantText(constant) : definingOp && isSameTrunc(definingOp) ? this.value(definingOp.operand(0)) : "poison";
      this.#texts.set(value, text);
    }
    return text;
  }
  block(block: Block): string {
    return this.#blocks.get(block)!;
  }

  /** The metadata nodes that the function refers to, in order. */
  *metadata(): Iterable<MetadataNode> {
    if (this.subprogram) yield this.subprogram;
    for (const { block, made } of this.#instructions) {
      for (const arg of block.args) if (this.#locations.has(arg)) yield this.#locations.get(arg)!;
      for (const { op } of made) {
        const variable = this.#variables.get(op);
        if (variable) yield variable;
        const location = this.#locations.get(op);
        if (location) yield location;
        for (const [, node] of this.attached.of(op)) yield node;
      }
    }
  }

  /** The blocks, with the entry's first. */
  text(): string {
    let out = "";
    for (const { block, made } of this.#instructions) {
      if (!block.isEntry) {
        const preds = block.predecessors();
        const comment = preds.length === 0 ? "; No predecessors!" : `; preds = ${preds.map((p) => this.block(p)).join(", ")}`;
        out += `\n${`${this.block(block).slice(1)}:`.padEnd(50)}${comment}\n`;
        for (const arg of block.args) out += `  ${this.phi(block, arg, preds)}${this.dbg(arg)}\n`;
      }
      for (const { op, call, isPart } of made) {
        const variable = this.#variables.get(op);
        if (variable) {
          const value = op.operand(0);
          const expression = expressionText(op.attr("locationExpr"));
          out += `    #dbg_value(${llvmType(value.type)} ${this.value(value)}, !${variable.slot}, ${expression}, !${this.#locations.get(op)!.slot})\n`;
          continue;
        }
        const answer = this.#answers.get(op);
        const name = answer !== undefined && !isPart ? answer : hasResult(op) ? this.value(op.result()) : undefined;
        const text = isPart ? partText(call!, answer!) : call ? callText(call, op, this) : instructionText(op, this);
        const attached = this.attached.of(op).map(([kind, node]) => `, !${kind} !${node.slot}`);
        const line = `  ${name === undefined ? "" : `${name} = `}${text}${this.dbg(op)}${attached.join("")}\n`;
        const fence = (order: string): string => (call?.fenced ? `  fence syncscope("${call.fenced}") ${order}${this.dbg(op)}\n` : "");
        out += fence("release") + line + fence("acquire");
        within("module-text", out.length);
      }
    }
    return out;
  }
  private phi(block: Block, arg: Value, preds: readonly Block[]): string {
    const incoming = preds.map((pred) => {
      const index = pred.lastOp!.successors.findIndex((s) => s.block === block);
      return `[ ${this.value(incomingValue(pred.lastOp!, index, arg.index))}, ${this.block(pred)} ]`;
    });
    return `${this.value(arg)} = phi ${llvmType(arg.type)} ${incoming.join(", ")}`;
  }
  private dbg(at: Operation | Value): string {
    const location = this.#locations.get(at);
    return location ? `, !dbg !${location.slot}` : "";
  }
}

/** An op, or the part of its intrinsic's result that is the op's result. */
interface Instruction {
  readonly op: Operation;
  readonly call: IntrinsicCall | undefined;
  readonly isPart: boolean;
}

const expressionText = (attr: Attribute | undefined): string => {
  const operations = DIExpressionAttr.is(attr) ? attr.params.operations : [];
  const parts = operations.flatMap(({ opcode, arguments: args }) => [opcode, ...args]);
  return `!DIExpression(${parts.join(", ")})`;
};

const partText = ({ type, extract, truncated }: IntrinsicCall, answer: string): string =>
  truncated ? `trunc ${llvmType(type!)} ${answer} to ${llvmType(truncated)}` : `extractvalue ${llvmType(type!)} ${answer}, ${extract}`;

const isSameTrunc = (op: Operation): boolean => op.name === "llvm.trunc" && op.operand(0).type === op.result().type;

/** The order in which ops are translated: definitions come before uses. Unreachable blocks follow. */
function blocksInReversePostOrder(region: Region): Block[] {
  const seen = new Set<Block>();
  const order: Block[] = [];
  for (const root of region.blocks()) {
    if (seen.has(root)) continue;
    const post: Block[] = [];
    const stack: { readonly block: Block; readonly successors: readonly Block[]; next: number }[] = [];
    const enter = (block: Block): void => {
      seen.add(block);
      stack.push({ block, successors: block.successors(), next: 0 });
    };
    enter(root);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const successor = top.successors[top.next++];
      if (successor === undefined) {
        post.push(top.block);
        stack.pop();
      } else if (!seen.has(successor)) enter(successor);
    }
    order.push(...post.reverse());
  }
  return order;
}

function constantIn(op: Operation, known: ReadonlyMap<Value, Constant>): Constant | undefined {
  if (op.def.isConstantLike) {
    const attr = constantValueOf(op.result());
    return attr && constantOf(attr, op.result().type);
  }
  const operands: Constant[] = [];
  for (const use of op.operandUses) {
    const constant = known.get(use.value);
    if (!constant) return undefined;
    operands.push(constant);
  }
  return foldConstants(op, operands);
}

/** The value that a branch passes to an argument of its successor block. */
export function incomingValue(terminator: Operation, successor: number, index: number): Value {
  const { start } = terminator.def.interface(BranchOp)!.successorOperandRange(terminator, successor);
  return terminator.operand(start + index);
}

/** `define ptx_kernel void @f(ptr addrspace(1) %0) #0 !dbg !4 { ... }` */
export function definitionText(body: FunctionBody, dbg: string, group: string): string {
  const { func, target } = body;
  const params = func.regions[0]!.firstBlock!.args.map((arg, i) => `${parameterText(func, i, target)} ${body.value(arg)}`);
  const name = symbolText(stringOf(func.attr("sym_name"))!);
  return `define ${linkageText(func, false, target)}${returnText(func)} @${name}(${params.join(", ")})${group}${dbg && ` ${dbg}`} {\n${body.text()}}`;
}
