/** The functions of a module in the LLVM dialect as graphs. */

import { constantValueOf } from "../../dialects/llvm/ops/constants.js";
import type { GpuTarget } from "../../gpu/nvidia.js";
import type { Type } from "../../ir/attribute.js";
import type { Block as IrBlock } from "../../ir/block.js";
import { DenseElementsAttr, intOf } from "../../ir/builtin-attrs.js";
import { BranchOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { ptxIdentifier } from "../../ptx/identifier.js";
import { type Constant, constantOf, elementsOf } from "../llvm-ir/constants.js";
import { byValueOf, signatureOf } from "../llvm-ir/function-signature.js";
import { reversePostOrder } from "./cfg.js";
import { Floats } from "./floats.js";
import { Block, Graph, type Node } from "./graph.js";
import { type Leaf, leavesOf } from "./leaves.js";
import { Simplifier } from "./simplify.js";

export interface LoweringOptions {
  /** The name of the stack. */
  readonly depot: string;
  readonly gpu: GpuTarget;
  readonly fusion: boolean;
  /** Subnormals of float are flushed in libdevice. */
  readonly ftz: boolean;
  /** Threads of a CTA in x, where known. */
  readonly numThreads: number | undefined;
}

/** An operation that cannot be lowered, and the reason. */
export interface Problem {
  readonly op: Operation;
  readonly message: string;
}

/** A function in the making: one graph, into which calls of other functions are expanded. */
export class PtxLowering {
  readonly graph = new Graph();
  readonly s: Simplifier;
  readonly floats: Floats;
  readonly entry: Block;
  block: Block;
  /** Bytes of the stack. */
  stack = 0;
  /** Functions that are called and not expanded, and symbols whose addresses are taken. */
  readonly callees = new Set<string>();
  readonly symbols = new Set<string>();
  readonly values = new Map<Value, readonly Node[]>();
  /** Floats of 32 bits that an op computes by twos. */
  readonly wordPairs: (readonly [Node, Node])[] = [];
  /** Locations of ops that made no node, because what they compute was there already; and which node that is. */
  readonly shared = new Map<number, Node>();
  #blocks = 0;
  readonly #active: Operation[] = [];

  constructor(
    readonly func: Operation,
    readonly functions: ReadonlyMap<string, Operation>,
    readonly options: LoweringOptions,
    readonly problems: Problem[],
    /** The registers of an op's result. It is handed in because its rules expand calls with this class. */
    private readonly lowerOp: (l: PtxLowering, op: Operation) => readonly Node[],
    /** The index of a source location. */
    readonly locate: (op: Operation) => number,
  ) {
    this.s = new Simplifier(this.graph, options.gpu.bf16 !== "none");
    this.floats = new Floats(this.s, options);
    this.entry = this.newBlock();
    this.block = this.entry;
  }

  newBlock(): Block {
    return new Block(this.#blocks++);
  }
  problem(op: Operation, message: string): readonly Node[] {
    this.problems.push({ op, message });
    const leaves = op.results.flatMap((r) => leavesOf(r.type) ?? []);
    return leaves.map((leaf) => this.s.constant(leaf.width, 0));
  }
  leaves(op: Operation, type: Type): readonly Leaf[] {
    const leaves = leavesOf(type);
    if (!leaves) this.problem(op, `a value of this type has no registers in PTX`);
    return leaves ?? [];
  }
  /** The registers of an operand. */
  nodes(value: Value): readonly Node[] {
    return this.values.get(value)!;
  }
  node(value: Value): Node {
    return this.values.get(value)![0]!;
  }

  /** The body of the function itself. */
  run(): void {
    const { params } = signatureOf(this.func);
    let index = 0;
    const args = params.map((type, i) => {
      const isByValue = byValueOf(this.func, i) !== undefined;
      return this.leaves(this.func, type).map((leaf) =>
        this.s.graph.pure("param", leaf.width, [], { index: index++, bits: isByValue ? "by value" : leaf.bits }),
      );
    });
    this.region(this.func, args, (values, bits) => {
      this.block.terminator = { kind: "return", values, bits };
    });
  }

  /** Expands a function's body here; `leave` is called in every block that returns. */
  region(func: Operation, args: readonly (readonly Node[])[], leave: (values: readonly Node[], bits: readonly number[]) => void): void {
    const region = func.regions[0]!;
    const entry = region.firstBlock!;
    entry.args.forEach((arg, i) => this.values.set(arg, args[i]!));
    const blocks = new Map<IrBlock, Block>([[entry, this.block]]);
    const order = reversePostOrder(entry, (block) => block.successors());
    for (const block of order) if (block !== entry) blocks.set(block, this.newBlock());
    for (const block of order) {
      if (block === entry) continue;
      const made = blocks.get(block)!;
      for (const arg of block.args)
        this.values.set(
          arg,
          this.leaves(func, arg.type).map((leaf) => this.graph.phi(made, leaf.width)),
        );
    }
    /** The edges between blocks: the values they pass complete the phis at the end. */
    const edges: { readonly from: Block; readonly to: IrBlock; readonly terminator: Operation; readonly successor: number }[] = [];
    for (const block of order) {
      this.block = blocks.get(block)!;
      for (const op of block.ops()) {
        this.graph.loc = this.locate(op);
        if (op.successors.length === 0 && op.name !== "llvm.return" && op.name !== "llvm.unreachable") {
          this.op(op);
          continue;
        }
        this.block.loc = this.graph.loc;
        this.terminator(op, blocks, edges, leave);
      }
    }
    for (const { from, to, terminator, successor } of edges) {
      const target = blocks.get(to)!;
      const { start } = terminator.def.interface(BranchOp)!.successorOperandRange(terminator, successor);
      let at = target.phis.length - to.args.reduce((n, arg) => n + this.values.get(arg)!.length, 0);
      for (let i = 0; i < to.args.length; i++)
        for (const node of this.nodes(terminator.operand(start + i))) {
          const phi = target.phis[at++]!;
          phi.inputs = [...phi.inputs, node];
        }
      target.predecessors.push(from);
    }
  }

  private terminator(
    op: Operation,
    blocks: ReadonlyMap<IrBlock, Block>,
    edges: { from: Block; to: IrBlock; terminator: Operation; successor: number }[],
    leave: (values: readonly Node[], bits: readonly number[]) => void,
  ): void {
    const block = this.block;
    const edge = (successor: number, from = block): Block => {
      const to = op.successors[successor]!.block;
      edges.push({ from, to, terminator: op, successor });
      return blocks.get(to)!;
    };
    switch (op.name) {
      case "llvm.br":
        block.terminator = { kind: "jump", target: edge(0) };
        return;
      case "llvm.cond_br": {
        const given = this.node(op.operand(0));
        const [condition, then, other] = given.kind === "not" ? [given.inputs[0]!, 1, 0] : [given, 0, 1];
        block.terminator =
          condition.kind === "const"
            ? { kind: "jump", target: edge(condition.data === 0n ? 1 : 0) }
            : { kind: "branch", condition, ifTrue: this.split(edge, then), ifFalse: this.split(edge, other) };
        return;
      }
      case "llvm.switch": {
        // One comparison after the other.
        const value = this.node(op.operand(0));
        const attr = op.attr("case_values");
        const elements = DenseElementsAttr.is(attr) ? attr.params.elements : [];
        for (let i = 1; i < op.successors.length; i++) {
          const element = elements[elements.length === 1 ? 0 : i - 1]!;
          const next = this.newBlock();
          const bits = leavesOf(op.operand(0).type)![0]!.bits;
          const masked = bits === 8 ? this.s.and(value, this.s.constant(32, 0xff)) : value;
          const condition = this.s.icmp("eq", masked, this.s.constant(value.width, bits === 8 ? BigInt.asUintN(8, element) : element));
          const from = this.block;
          from.loc = this.graph.loc;
          from.terminator = { kind: "branch", condition, ifTrue: this.split((n) => edge(n, this.block), i), ifFalse: next };
          next.predecessors.push(from);
          this.block = next;
        }
        this.block.terminator = { kind: "jump", target: edge(0, this.block) };
        return;
      }
      case "llvm.return":
        leave(
          op.operands.flatMap((v) => this.nodes(v)),
          op.operands.flatMap((v) => this.leaves(op, v.type).map((l) => l.bits)),
        );
        return;
      case "llvm.unreachable":
        block.terminator = { kind: "unreachable" };
        return;
      default:
        this.problem(op, `'${op.name}' has no PTX`);
    }
  }
  /** A block of its own on the way to a successor: branches with two ways out must not meet phis. */
  private split(edge: (successor: number, from?: Block) => Block, successor: number): Block {
    const between = this.newBlock();
    between.predecessors.push(this.block);
    between.loc = this.block.loc;
    const from = this.block;
    this.block = between;
    const target = edge(successor, between);
    this.block = from;
    between.terminator = { kind: "jump", target };
    return between;
  }

  private op(op: Operation): void {
    const result = op.results[0];
    if (op.def.isConstantLike && result) {
      const attr = constantValueOf(result);
      const constant = attr && constantOf(attr, result.type);
      this.values.set(result, constant ? this.constant(op, constant) : this.problem(op, `'${op.name}' has no PTX`));
      return;
    }
    this.graph.origin = op;
    this.graph.home = this.block.id;
    const made = this.lowerOp(this, op);
    if (!result) return;
    this.values.set(result, made);
    const { loc } = this.graph;
    if (made[0] && made[0].loc !== loc && made[0].kind !== "const" && !this.shared.has(loc)) this.shared.set(loc, made[0]);
  }

  private constant(op: Operation, c: Constant): readonly Node[] {
    const leaves = this.leaves(op, c.type);
    const [leaf] = leaves;
    if (!leaf) return [];
    if (c.kind === "int") return [this.s.constant(leaf.width, leaf.bits === 8 ? BigInt.asUintN(8, c.value) : c.value)];
    if (c.kind === "float") return [this.s.constant(leaf.width, c.bits)];
    if (c.kind === "address") return [this.address(c.symbol, leaf)];
    const elements = elementsOf(c);
    if (elements) return elements.flatMap((e) => this.constant(op, e));
    return leaves.map((leaf) => this.s.constant(leaf.width, 0));
  }
  /** The address of a symbol in the address space of its pointer. */
  address(symbol: string, leaf: Leaf): Node {
    this.symbols.add(symbol);
    const global = this.functions.get(symbol);
    const isFunction = global?.name === "llvm.func";
    const space = global ? (intOf(global.attr("addr_space")) ?? 0) : 0;
    return this.graph.pure("address", leaf.width, [], {
      symbol: ptxIdentifier(symbol),
      isGeneric: !isFunction && space === 0,
    });
  }

  /** Nothing comes after what was lowered last; ops that follow are not reached. */
  leaveUnreachable(): void {
    this.block.terminator = { kind: "unreachable" };
    this.block = this.newBlock();
  }

  /** Expands a call; returns its results. */
  inline(op: Operation, callee: Operation, args: readonly (readonly Node[])[]): readonly Node[] {
    if (this.#active.includes(callee)) return this.problem(op, "recursive functions cannot be expanded");
    this.#active.push(callee);
    const returns: { readonly block: Block; readonly values: readonly Node[] }[] = [];
    this.region(callee, args, (values) => returns.push({ block: this.block, values }));
    this.#active.pop();
    if (returns.length === 1) {
      this.block = returns[0]!.block;
      return returns[0]!.values;
    }
    const after = this.newBlock();
    const phis = this.leaves(op, signatureOf(callee).returnType).map((leaf) => this.graph.phi(after, leaf.width));
    for (const { block, values } of returns) {
      block.terminator = { kind: "jump", target: after };
      after.predecessors.push(block);
      values.forEach((value, i) => {
        phis[i]!.inputs = [...phis[i]!.inputs, value];
      });
    }
    this.block = after;
    return phis;
  }
}
