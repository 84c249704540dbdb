/** Ops of the LLVM dialect as nodes; one function a family, found by the op's record. */

import * as llvm from "../../dialects/llvm/ops/index.js";
import { LLVMPointerType, LLVMStructType, structElements } from "../../dialects/llvm/types/types.js";
import type { Type } from "../../ir/attribute.js";
import { ArrayAttr, intOf, intsOf, SymbolRefAttr, stringOf, TypeAttr } from "../../ir/builtin-attrs.js";
import { IntegerType, VectorType } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { ptxIdentifier } from "../../ptx/identifier.js";
import { ATOMIC_OPERATIONS, atomicSemantics, fenceName, STATE_SPACES } from "../../ptx/llvm-names.js";
import { intrinsicCallOf } from "../intrinsics/calls.js";
import { byteAlign, byteSize, elementOffset } from "../llvm-ir/data-layout.js";
import { FCMP, ICMP, RMW } from "../llvm-ir/opcodes.js";
import type { IntPredicate } from "./choices.js";
import { type BinaryKind, type Block, type Effect, type Node, valueOf, type Width } from "./graph.js";
import { asmOperands } from "./inline-asm.js";
import { anyExtended, regroup, signExtended, zeroExtended } from "./integers.js";
import { lowerIntrinsic } from "./intrinsics.js";
import { type Leaf, leafRange, leavesOf } from "./leaves.js";
import { expandLibdevice } from "./libdevice.js";
import type { PtxLowering } from "./lower.js";

type Rule = (l: PtxLowering, op: Operation) => readonly Node[];

/** The registers of an op's result. */
export function lowerOp(l: PtxLowering, op: Operation): readonly Node[] {
  const rule = PTX_RULES.get(op.def);
  if (rule) return rule(l, op);
  const call = intrinsicCallOf(op);
  if (call) return lowerIntrinsic(l, op, call) ?? l.problem(op, `'${call.name}' has no PTX`);
  return l.problem(op, `'${op.name}' has no PTX`);
}

/** Applied to each register of the operands. */
function elementwise(compute: (l: PtxLowering, leaf: Leaf, inputs: readonly Node[], op: Operation) => Node): Rule {
  return (l, op) => {
    const leaves = l.leaves(op, op.operand(0).type);
    return leaves.map((leaf, i) =>
      compute(
        l,
        leaf,
        op.operands.map((v) => l.nodes(v)[i]!),
        op,
      ),
    );
  };
}
/** Integer arithmetic in which upper bits of the inputs do not matter to the lower bits of the result. */
const modular = (name: BinaryKind) => elementwise((l, _, [a, b]) => l.s.binary(name, a!, b!));
/** Integer arithmetic in which they do. */
const extended = (name: BinaryKind, signed: boolean) =>
  elementwise((l, leaf, inputs) => {
    const [a, b] = inputs.map((n) => (signed ? signExtended(l.s, n, leaf.bits) : zeroExtended(l.s, n, leaf.bits)));
    return l.s.binary(name, a!, b!);
  });
const shift = (name: BinaryKind) =>
  elementwise((l, leaf, [a, b]) => {
    const value = name === "sar" ? signExtended(l.s, a!, leaf.bits) : name === "shr" ? zeroExtended(l.s, a!, leaf.bits) : a!;
    const count = zeroExtended(l.s, b!, leaf.bits);
    // Counts are words.
    return l.s.binary(name, value, valueOf(count) === undefined ? anyExtended(l.s, count, 32) : count);
  });
const float = (compute: (l: PtxLowering, kind: string, a: Node, b: Node) => Node): Rule => {
  const each = elementwise((l, leaf, [a, b]) => compute(l, leaf.kind, a!, b!));
  return (l, op) => {
    const made = each(l, op);
    if (VectorType.is(op.result().type) && made.length === 2 && made[0]!.width === 32) l.wordPairs.push([made[0]!, made[1]!]);
    return made;
  };
};
/** From one kind of register to another. */
const conversion =
  (compute: (l: PtxLowering, a: Node, from: Leaf, to: Leaf) => Node): Rule =>
  (l, op) => {
    const from = l.leaves(op, op.operand(0).type);
    const to = l.leaves(op, op.result().type);
    return l.nodes(op.operand(0)).map((node, i) => compute(l, node, from[i]!, to[i]!));
  };

/** Terminators and constants are none of these: see lower.ts. */
export const PTX_RULES: ReadonlyMap<OpDef, Rule> = new Map<OpDef, Rule>([
  [llvm.AddOp, modular("add")],
  [llvm.SubOp, modular("sub")],
  [llvm.MulOp, modular("mul")],
  [llvm.AndOp, modular("and")],
  [llvm.OrOp, modular("or")],
  [llvm.XOrOp, modular("xor")],
  [llvm.ShlOp, shift("shl")],
  [llvm.LShrOp, shift("shr")],
  [llvm.AShrOp, shift("sar")],
  [llvm.UDivOp, extended("udiv", false)],
  [llvm.URemOp, extended("urem", false)],
  [llvm.SDivOp, extended("sdiv", true)],
  [llvm.SRemOp, extended("srem", true)],
  [llvm.FAddOp, float((l, kind, a, b) => l.floats.add(kind, a, b))],
  [llvm.FSubOp, float((l, kind, a, b) => l.floats.sub(kind, a, b))],
  [llvm.FMulOp, float((l, kind, a, b) => l.floats.mul(kind, a, b))],
  [llvm.FDivOp, float((l, kind, a, b) => l.floats.div(kind, a, b))],
  [llvm.FRemOp, float((l, kind, a, b) => l.floats.rem(kind, a, b))],
  [llvm.FNegOp, float((l, kind, a) => l.floats.negate(kind, a))],
  [
    llvm.ICmpOp,
    elementwise((l, leaf, [a, b], op) => {
      const predicate = ICMP[intOf(op.attr("predicate"))!] as IntPredicate;
      const extend = predicate.startsWith("s") ? signExtended : zeroExtended;
      return l.s.icmp(predicate, extend(l.s, a!, leaf.bits), extend(l.s, b!, leaf.bits));
    }),
  ],
  [llvm.FCmpOp, elementwise((l, leaf, [a, b], op) => l.floats.compare(FCMP[intOf(op.attr("predicate"))!]!, leaf.kind, a!, b!))],
  [llvm.SelectOp, select],
  [llvm.FreezeOp, (l, op) => l.nodes(op.operand(0))],

  [llvm.ZExtOp, conversion((l, a, from, to) => l.s.zext(zeroExtended(l.s, a, from.bits), to.width))],
  [llvm.SExtOp, conversion((l, a, from, to) => widen(l, signExtended(l.s, a, from.bits), to.width))],
  [llvm.TruncOp, conversion((l, a, _, to) => anyExtended(l.s, a, to.width))],
  [llvm.PtrToIntOp, conversion((l, a, _, to) => anyExtended(l.s, a, to.width))],
  [llvm.IntToPtrOp, conversion((l, a, _, to) => anyExtended(l.s, a, to.width))],
  [llvm.FPExtOp, conversion((l, a, from, to) => l.floats.convert(from.kind, to.kind, a))],
  [llvm.FPTruncOp, conversion((l, a, from, to) => l.floats.convert(from.kind, to.kind, a))],
  [llvm.SIToFPOp, conversion((l, a, from, to) => l.floats.fromInteger(true, to.kind, atLeastWord(l, a, from, true)))],
  [llvm.UIToFPOp, conversion((l, a, from, to) => l.floats.fromInteger(false, to.kind, atLeastWord(l, a, from, false)))],
  [llvm.FPToSIOp, conversion((l, a, from, to) => toInteger(l, a, from, to, true))],
  [llvm.FPToUIOp, conversion((l, a, from, to) => toInteger(l, a, from, to, false))],
  [llvm.BitcastOp, bitcast],
  [llvm.AddrSpaceCastOp, addrSpaceCast],

  [llvm.ExtractValueOp, extractValue],
  [llvm.InsertValueOp, insertValue],
  [llvm.ExtractElementOp, extractElement],
  [llvm.InsertElementOp, insertElement],
  [llvm.ShuffleVectorOp, shuffle],

  [llvm.GEPOp, gep],
  [llvm.LoadOp, load],
  [llvm.StoreOp, store],
  [llvm.AllocaOp, alloca],
  [llvm.AtomicRMWOp, atomicRmw],
  [llvm.AtomicCmpXchgOp, cmpXchg],
  [llvm.FenceOp, fence],

  [llvm.InlineAsmOp, inlineAsm],
  [llvm.CallOp, call],
]);

function select(l: PtxLowering, op: Operation): readonly Node[] {
  const conditions = l.nodes(op.operand(0));
  const [then, other] = [l.nodes(op.operand(1)), l.nodes(op.operand(2))];
  // A select between a value and undef or poison is the value.
  if (isUndefined(op.operand(2))) return then;
  if (isUndefined(op.operand(1))) return other;
  return then.map((node, i) => l.s.select(conditions[conditions.length === 1 ? 0 : i]!, node, other[i]!));
}
const isUndefined = (value: Value): boolean => /^llvm\.mlir\.(undef|poison)$/.test(value.definingOp?.name ?? "");
const widen = (l: PtxLowering, a: Node, width: Width): Node => (a.width <= width ? l.s.sext(a, width) : l.s.trunc(a, width));
/** Conversions to float take words. */
function atLeastWord(l: PtxLowering, a: Node, from: Leaf, signed: boolean): Node {
  const full = signed ? signExtended(l.s, a, from.bits) : zeroExtended(l.s, a, from.bits);
  if (full.width >= 32) return full;
  return signed ? l.s.sext(full, 32) : l.s.zext(full, 32);
}
function toInteger(l: PtxLowering, a: Node, from: Leaf, to: Leaf, signed: boolean): Node {
  // A value out of range is clamped by the instruction, so that its width shows. No instruction makes 8 bits.
  return l.s.trunc(l.floats.toInteger(signed, from.kind, to.bits <= 16 ? 16 : to.width === 64 ? 64 : 32, a), to.width);
}
function bitcast(l: PtxLowering, op: Operation): readonly Node[] {
  const from = l.leaves(op, op.operand(0).type);
  const to = l.leaves(op, op.result().type);
  return regroup(l.s, l.nodes(op.operand(0)), from, to) ?? l.problem(op, "this bitcast has no PTX");
}
const spaceOf = (type: Type): number => (LLVMPointerType.is(type) ? type.params.addressSpace : 0);
function addrSpaceCast(l: PtxLowering, op: Operation): readonly Node[] {
  const [from, to] = [spaceOf(op.operand(0).type), spaceOf(op.result().type)];
  const node = l.node(op.operand(0));
  const graph = l.s.graph;
  if (from === to) return [node];
  if (to === 0) return [graph.ptx(`cvta.${STATE_SPACES[from]}.u64`, 64, [node.width === 32 ? l.s.zext(node, 64) : node])];
  const generic = from === 0 ? node : graph.ptx(`cvta.${STATE_SPACES[from]}.u64`, 64, [node.width === 32 ? l.s.zext(node, 64) : node]);
  const made = graph.ptx(`cvta.to.${STATE_SPACES[to]}.u64`, 64, [generic]);
  return [to >= 3 ? l.s.trunc(made, 32) : made];
}

// --- aggregates ------------------------------------------------------------------------------

function extractValue(l: PtxLowering, op: Operation): readonly Node[] {
  const { start, count } = leafRange(op.operand(0).type, intsOf(op.attr("position")) ?? []);
  return l.nodes(op.operand(0)).slice(start, start + count);
}
function insertValue(l: PtxLowering, op: Operation): readonly Node[] {
  const { start } = leafRange(op.operand(0).type, intsOf(op.attr("position")) ?? []);
  const nodes = l.nodes(op.operand(0)).slice();
  l.nodes(op.operand(1)).forEach((node, i) => {
    nodes[start + i] = node;
  });
  return nodes;
}
function extractElement(l: PtxLowering, op: Operation): readonly Node[] {
  const nodes = l.nodes(op.operand(0));
  const index = l.node(op.operand(1));
  const known = valueOf(index);
  if (known !== undefined) return [nodes[Number(known)] ?? nodes[0]!];
  return [nodes.reduce((found, node, i) => l.s.select(l.s.icmp("eq", index, l.s.constant(index.width, i)), node, found))];
}
function insertElement(l: PtxLowering, op: Operation): readonly Node[] {
  const nodes = l.nodes(op.operand(0));
  const value = l.node(op.operand(1));
  const index = l.node(op.operand(2));
  const known = valueOf(index);
  if (known !== undefined) return nodes.map((node, i) => (BigInt(i) === known ? value : node));
  return nodes.map((node, i) => l.s.select(l.s.icmp("eq", index, l.s.constant(index.width, i)), value, node));
}
function shuffle(l: PtxLowering, op: Operation): readonly Node[] {
  const all = [...l.nodes(op.operand(0)), ...l.nodes(op.operand(1))];
  return (intsOf(op.attr("mask")) ?? []).map((m) => all[Math.max(0, m)]!);
}

// --- memory ----------------------------------------------------------------------------------

function gep(l: PtxLowering, op: Operation): readonly Node[] {
  const [base, ...dynamic] = op.operands;
  const element = op.attr("elem_type");
  let type: Type = TypeAttr.is(element) ? element.params.type : op.result().type;
  let address = l.node(base!);
  let next = 0;
  const indices = (intsOf(op.attr("rawConstantIndices")) ?? []).map((i) => (i === llvm.DYNAMIC_INDEX ? l.node(dynamic[next++]!) : i));
  indices.forEach((index, level) => {
    let size = level === 0 ? byteSize(type) : 0;
    if (level > 0) {
      const inner = elementOffset(type, typeof index === "number" ? index : 0);
      type = inner.type;
      if (typeof index === "number") {
        address = l.s.add(address, l.s.constant(address.width, inner.offset));
        return;
      }
      size = byteSize(type);
    }
    const offset =
      typeof index === "number"
        ? l.s.constant(address.width, index * size)
        : l.s.mul(widen(l, index, address.width), l.s.constant(address.width, size));
    address = l.s.add(address, offset);
  });
  return [address];
}

/** How many registers of how many bits one access moves at most. */
function accessShape(leaves: readonly Leaf[], align: number): { readonly bits: number; readonly count: number } {
  const { bits } = leaves[0]!;
  const total = (bits * leaves.length) / 8;
  const bytes = Math.min(total, align, 16);
  // Small elements are moved as words.
  if (bits === 8 && bytes >= 4) return { bits: 32, count: bytes / 4 };
  if (bits === 8 && bytes === 2) return { bits: 8, count: 2 };
  if (bits === 16 && bytes >= 4) return { bits: 32, count: bytes / 4 };
  const unit = Math.max(1, Math.min(4, Math.floor((bytes * 8) / bits)));
  return { bits, count: 2 ** Math.floor(Math.log2(unit)) };
}
/** The same in registers of fewer bits, where the address is not known to be a multiple of what one register has. */
function alignedShape(leaves: readonly Leaf[], align: number, known: number): ReturnType<typeof accessShape> {
  const shape = accessShape(leaves, align);
  return 8 * known < shape.bits ? { bits: 8 * known, count: 1 } : shape;
}
/** Fields of several widths: where each is in memory, and the registers that it is accessed in, as many bits as its place is known to be a multiple of. */
function fieldsAt(
  leaves: readonly Leaf[],
  known: number,
): { readonly leaf: Leaf; readonly offset: number; readonly registers: readonly Leaf[] }[] {
  let end = 0;
  return leaves.map((leaf) => {
    const size = Math.max(1, leaf.bits / 8);
    const offset = Math.ceil(end / size) * size;
    end = offset + size;
    const bytes = Math.min(size, (offset | known) & -(offset | known));
    return { leaf, offset, registers: Array.from({ length: size / bytes }, () => registerLeaf(8 * bytes)) };
  });
}
/** The power of two that an address in shared memory is a multiple of, 16 at most, to which shared memory as a whole is aligned. */
function sharedAlignment(l: PtxLowering, address: Node): number {
  const [base, offset] = l.s.splitOffset(address);
  if (base.kind !== "address" || base.data.symbol !== "global_smem") return 1;
  const bits = offset | 16n;
  return Number(bits & -bits);
}
const registerLeaf = (bits: number): Leaf => ({ bits, kind: "i", width: (bits === 8 ? 32 : bits === 1 ? 32 : bits) as Width });
const uniform = (leaves: readonly Leaf[]): boolean => leaves.every((leaf) => leaf.bits === leaves[0]!.bits);

/** Where an access goes. Memory on the stack is local, whatever its pointer says. */
function place(l: PtxLowering, pointer: Value): { readonly address: Node; readonly space: string } {
  const address = l.node(pointer);
  const space = STATE_SPACES[spaceOf(pointer.type)] ?? "";
  const [base, offset] = l.s.splitOffset(address);
  if (base.kind !== "stack" || space !== "") return { address, space };
  return {
    address: l.s.add(l.graph.pure("address", 64, [], { symbol: l.options.depot, isGeneric: false }), l.s.constant(64, offset)),
    space: "local",
  };
}
function load(l: PtxLowering, op: Operation): readonly Node[] {
  const leaves = l.leaves(op, op.result().type);
  const align = intOf(op.attr("alignment")) ?? byteAlign(op.result().type);
  const { address, space } = place(l, op.operand(0));
  const read = (bits: number, count: number, offset: number): Node[] => {
    const at = l.s.add(address, l.s.constant(address.width, offset));
    const effect = l.graph.effect(l.block, { kind: "load", space, bits, count, volatile: op.hasAttr("volatile_"), align }, [at]);
    return Array.from({ length: count }, (_, i) => l.graph.result(effect, i, registerLeaf(bits).width));
  };
  const known = Math.max(align, sharedAlignment(l, address));
  if (!uniform(leaves) || leaves[0]!.bits === 1)
    return fieldsAt(leaves, known).flatMap(({ leaf, offset, registers }) => {
      const nodes = registers.flatMap(({ bits }, i) => read(bits, 1, offset + (i * bits) / 8));
      return leaf.bits === 1 ? [l.s.trunc(nodes[0]!, 1)] : regroup(l.s, nodes, registers, [leaf])!;
    });
  const { bits, count } = alignedShape(leaves, align, known);
  const registers = (leaves.length * leaves[0]!.bits) / bits;
  const nodes: Node[] = [];
  for (let i = 0; i < registers; i += count) nodes.push(...read(bits, count, (i * bits) / 8));
  const from = Array.from({ length: registers }, () => registerLeaf(bits));
  return regroup(l.s, nodes, from, leaves) ?? l.problem(op, "this load has no PTX");
}
function store(l: PtxLowering, op: Operation): readonly Node[] {
  const { type } = op.operand(0);
  const leaves = l.leaves(op, type);
  const align = intOf(op.attr("alignment")) ?? byteAlign(type);
  const { address, space } = place(l, op.operand(1));
  const values = l.nodes(op.operand(0));
  const write = (bits: number, nodes: readonly Node[], offset: number): void => {
    const at = l.s.add(address, l.s.constant(address.width, offset));
    l.graph.effect(l.block, { kind: "store", space, bits, count: nodes.length, volatile: op.hasAttr("volatile_"), align }, [at, ...nodes]);
  };
  const known = Math.max(align, sharedAlignment(l, address));
  if (!uniform(leaves) || leaves[0]!.bits === 1) {
    for (const [i, { leaf, offset, registers }] of fieldsAt(leaves, known).entries()) {
      const nodes = leaf.bits === 1 ? [l.s.zext(values[i]!, 32)] : regroup(l.s, [values[i]!], [leaf], registers)!;
      for (const [part, node] of nodes.entries()) write(registers[part]!.bits, [node], offset + (part * registers[part]!.bits) / 8);
    }
    return [];
  }
  const { bits, count } = alignedShape(leaves, align, known);
  const to = Array.from({ length: (leaves.length * leaves[0]!.bits) / bits }, () => registerLeaf(bits));
  const nodes = regroup(l.s, values, leaves, to);
  if (!nodes) return l.problem(op, "this store has no PTX");
  for (let i = 0; i < nodes.length; i += count) write(bits, nodes.slice(i, i + count), (i * bits) / 8);
  return [];
}
function alloca(l: PtxLowering, op: Operation): readonly Node[] {
  const element = op.attr("elem_type");
  const count = valueOf(l.node(op.operand(0)));
  if (!TypeAttr.is(element) || count === undefined) return l.problem(op, "the stack holds what has a size that is known");
  const align = Math.max(8, intOf(op.attr("alignment")) ?? byteAlign(element.params.type));
  l.stack = Math.ceil(l.stack / align) * align;
  const made = l.s.add(l.graph.pure("stack", 64, [], l.options.depot), l.s.constant(64, l.stack));
  l.stack += byteSize(element.params.type) * Number(count);
  return [made];
}

/** `.acquire.gpu` of the ordering in an attribute; nothing for what is relaxed and in the whole system. */
const semantics = (op: Operation, name: string): string => atomicSemantics(intOf(op.attr(name)), stringOf(op.attr("syncscope")));
/**
 * Before sm_90 bf16 is added by comparing and swapping the word that it is a half of, until nothing came between.
 * Source: llvm/lib/CodeGen/AtomicExpandPass.cpp, expandPartwordAtomicRMW.
 */
function addBf16(l: PtxLowering, place: string, space: string, address: Node, value: Node): Node {
  const { s, graph } = l;
  const word = (x: bigint | number): Node => s.constant(32, x);
  const start = s.and(address, s.constant(address.width, -4));
  const shift = s.shl(s.and(s.trunc(address, 32), word(3)), word(3));
  const others = s.not(s.shl(word(0xffff), shift));
  const read = graph.effect(l.block, { kind: "load", space, bits: 32, count: 1, volatile: false, align: 4 }, [start]);
  const [before, loop, back, out, after] = [l.block, l.newBlock(), l.newBlock(), l.newBlock(), l.newBlock()];
  const jump = (from: Block, to: Block): void => {
    from.terminator = { kind: "jump", target: to };
    from.loc = graph.loc;
    to.predecessors.push(from);
  };
  const seen = graph.phi(loop, 32);
  graph.home = loop.id;
  const sum = l.floats.add("bf16", s.trunc(s.shr(seen, shift), 16), value);
  const swapped = s.or(s.and(seen, others), s.shl(s.zext(sum, 32), shift));
  const form = `atom${place}.cas.b32 $0, [$1], $2, $3;`;
  const old = graph.result(graph.effect(loop, { kind: "instruction", form, results: [32] }, [start, seen, swapped]), 0, 32);
  seen.inputs = [graph.result(read, 0, 32), old];
  jump(before, loop);
  loop.terminator = { kind: "branch", condition: s.icmp("eq", old, seen), ifTrue: out, ifFalse: back };
  for (const between of [out, back]) between.predecessors.push(loop);
  jump(back, loop);
  jump(out, after);
  l.block = after;
  graph.home = after.id;
  return s.trunc(s.shr(old, shift), 16);
}
function atomicRmw(l: PtxLowering, op: Operation): readonly Node[] {
  const [leaf] = l.leaves(op, op.result().type);
  const opcode = RMW[intOf(op.attr("bin_op"))!]!;
  const address = l.node(op.operand(0));
  let value = l.node(op.operand(1));
  let name = ATOMIC_OPERATIONS[opcode];
  if (opcode === "sub") {
    value = l.s.sub(l.s.constant(value.width, 0), value);
    name = ATOMIC_OPERATIONS["add"];
  }
  if (!leaf || !name || leaf.bits < 16 || (leaf.bits === 16 && opcode !== "fadd"))
    return l.problem(op, `atomicrmw ${opcode} of this type has no PTX`);
  const type =
    name[1] === "f" ? (leaf.kind === "f16" || leaf.kind === "bf16" ? `noftz.${leaf.kind}` : leaf.kind) : `${name[1]}${leaf.bits}`;
  const space = STATE_SPACES[spaceOf(op.operand(0).type)];
  const place = `${semantics(op, "ordering")}${space ? `.${space}` : ""}`;
  if (leaf.kind === "bf16" && !l.options.gpu.vectorAtomics) return [addBf16(l, place, space ?? "", address, value)];
  const form = `atom${place}.${name[0]}.${type} $0, [$1], $2;`;
  const effect = l.graph.effect(l.block, { kind: "instruction", form, results: [leaf.width] }, [address, value]);
  return [l.graph.result(effect, 0, leaf.width)];
}
function cmpXchg(l: PtxLowering, op: Operation): readonly Node[] {
  const [leaf] = l.leaves(op, op.operand(1).type);
  const [address, expected, value] = op.operands.map((v) => l.node(v)) as [Node, Node, Node];
  if (!leaf || leaf.bits < 16) return l.problem(op, "cmpxchg of this type has no PTX");
  const space = STATE_SPACES[spaceOf(op.operand(0).type)];
  const form = `atom${semantics(op, "success_ordering")}${space ? `.${space}` : ""}.cas.b${leaf.bits} $0, [$1], $2, $3;`;
  const effect = l.graph.effect(l.block, { kind: "instruction", form, results: [leaf.width] }, [address, expected, value]);
  const old = l.graph.result(effect, 0, leaf.width);
  return [old, l.s.icmp("eq", old, expected)];
}
function fence(l: PtxLowering, op: Operation): readonly Node[] {
  const form = `${fenceName(intOf(op.attr("ordering")), stringOf(op.attr("syncscope")))};`;
  l.graph.effect(l.block, { kind: "instruction", form, results: [] }, []);
  return [];
}

// --- calls -----------------------------------------------------------------------------------

function inlineAsm(l: PtxLowering, op: Operation): readonly Node[] {
  const text = stringOf(op.attr("asm_string"))!;
  const operands = asmOperands(text, stringOf(op.attr("constraints"))!);
  if (typeof operands === "string") return l.problem(op, operands);
  const { effect, results } = operands;
  // Vectors of halves and bytes come in one register.
  const inputs = op.operands.map((v, i) => {
    const nodes = l.nodes(v);
    const width = operands.inputs[i];
    if (width === undefined) return nodes[0]!;
    // For a struct, LLVM passes the first part.
    if (nodes.length === 1 || LLVMStructType.is(v.type)) return anyExtended(l.s, nodes[0]!, width);
    return (
      regroup(l.s, nodes, l.leaves(op, v.type), [{ bits: width, kind: "i", width }])?.[0] ??
      l.problem(op, "an operand of this asm does not fit its constraint")[0]!
    );
  });
  const node = op.hasAttr("has_side_effects") ? l.graph.effect(l.block, effect, inputs) : l.graph.assembly(l.block, effect, inputs);
  const leaves = op.numResults === 0 ? [] : l.leaves(op, op.result().type);
  // A pair of halves may come in one register.
  const registers = results.map((width): Leaf => ({ bits: width, kind: "i", width }));
  const made = results.map((width, i) => l.graph.result(node, i, width));
  if (leaves.length === registers.length) return made.map((n, i) => anyExtended(l.s, n, leaves[i]!.width));
  const type = op.result().type;
  const flat = VectorType.is(type) || IntegerType.is(type) ? regroup(l.s, made, registers, leaves) : regroupEach(l, made, registers, type);
  return flat ?? l.problem(op, "the results of this asm do not fit its constraints");
}
/** Each register holds the parts of one element of a struct. */
function regroupEach(l: PtxLowering, nodes: readonly Node[], registers: readonly Leaf[], type: Type): readonly Node[] | undefined {
  const elements = LLVMStructType.is(type) ? structElements(type) : undefined;
  if (elements?.length !== nodes.length) return undefined;
  const parts = elements.map((t, i) => regroup(l.s, [nodes[i]!], [registers[i]!], leavesOf(t)!));
  return parts.includes(undefined) ? undefined : parts.flatMap((p) => p!);
}

function call(l: PtxLowering, op: Operation): readonly Node[] {
  const name = SymbolRefAttr.match(op.attr("callee"))?.params.root;
  if (name === undefined) return l.problem(op, "indirect calls have no PTX here");
  const args = op.operands.map((v) => l.nodes(v));
  const callee = l.functions.get(name);
  const isDefined = callee !== undefined && !callee.regions[0]!.empty;
  if (isDefined && !isNoInline(callee)) return l.inline(op, callee, args);
  if (!isDefined) {
    const expanded = expandLibdevice(
      l,
      op,
      name,
      args.map((a) => a[0]!),
    );
    if (expanded) return expanded;
  }
  l.callees.add(name);
  const paramBits = op.operands.flatMap((v) => l.leaves(op, v.type).map((leaf) => leaf.bits));
  const results = op.numResults === 0 ? [] : l.leaves(op, op.result().type);
  const effect: Effect = {
    kind: "call",
    callee: ptxIdentifier(name),
    results: results.map((r) => r.width),
    paramBits,
    resultBits: results.map((r) => r.bits),
  };
  const node = l.graph.effect(l.block, effect, args.flat());
  if (callee && isNoReturn(callee)) l.leaveUnreachable();
  return results.map((leaf, i) => l.graph.result(node, i, leaf.width));
}
const wordsOf = (func: Operation): readonly (string | undefined)[] =>
  (ArrayAttr.match(func.attr("passthrough"))?.params.elements ?? []).map(stringOf);
export const isNoReturn = (func: Operation): boolean => wordsOf(func).includes("noreturn");
/** Functions that Triton marked so stay functions. */
export function isNoInline(func: Operation): boolean {
  return func.hasAttr("no_inline") || wordsOf(func).includes("noinline");
}
