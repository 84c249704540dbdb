/** Pointers, loads, stores and atomics on global memory. */
import { isClip } from "../../../analysis/clip.js";
import * as amdg from "../../../dialects/amdg/ops/buffer.js";
import * as tt from "../../../dialects/tt/ops/index.js";
import { getPointeeType, isTensorPointerType } from "../../../dialects/tt/types.js";
import type { Type } from "../../../ir/attribute.js";
import { elementTypeOrSelf, numElements } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { type Data, type Element, elementOfType, intElement } from "../elements.js";
import { accessChecked, readElements, writeElements } from "../global-access.js";
import { addressesOf, type BlockPointer, inBounds, padding } from "../global-block.js";
import type { Instruction, Rule } from "../instructions.js";
import { loop } from "../loops.js";
import type { Machine } from "../machine.js";
import { reinterpreted, tensor, tensorSpec, type Val } from "../value.js";
import { bitcast, mulHigh } from "./arith.js";
import { elementwise, elementwiseResult, pure, readable } from "./elementwise.js";
import { fpToFp } from "./fp8-conversion.js";

const sizeOf = (type: Type): number => elementOfType(elementTypeOrSelf(getPointeeType(type)!))?.bytes ?? 1;

const addPtr: Rule = (instruction) => {
  const size = sizeOf(instruction.op.result(0).type);
  return elementwiseResult(instruction, 0, ({ ins: [, offset] }) => (offset!.big ? `a + Number(b) * ${size}` : `a + b * ${size}`));
};

/** Operands of a load or store by name: their slots follow from the op's segments. */
interface Access {
  readonly ptr: number;
  /** Elements from `ptr`, of AMD's accesses by buffers. */
  readonly offsets: number | undefined;
  readonly mask: number | undefined;
  readonly other: number | undefined;
  readonly value: number | undefined;
}
/** The names that ops have for these operands. */
type Named = { readonly [K in keyof Access | "val"]?: Operation["results"][number] | undefined };
export function slotsOf({ op, ins }: Instruction, named: Named): Access {
  const slot = (v: Operation["results"][number] | undefined) => (v ? ins[op.operands.indexOf(v)] : undefined);
  return {
    ptr: slot(named.ptr)!,
    offsets: slot(named.offsets),
    mask: slot(named.mask),
    other: slot(named.other),
    value: slot(named.value ?? named.val),
  };
}

/** Where an access goes: addresses and the lanes that are on. */
export interface Target {
  readonly addresses: Data;
  readonly mask: Data | undefined;
}

/** Bytes of a buffer as Triton describes it to AMD's hardware: beyond them loads give 0 and stores do nothing. */
const BUFFER_BYTES = 2 ** 31 - 2;

/** Pointers, or the places at offsets from one pointer, which the hardware counts without a sign. */
export function targetOf(
  machine: Machine,
  op: Operation,
  env: readonly Val[],
  slots: Pick<Access, "ptr" | "offsets" | "mask">,
  bytes: number,
): Target {
  const pointers = readable(machine, op, env[slots.ptr]!).data;
  const mask = slots.mask === undefined ? undefined : maskData(machine, op, env[slots.mask]);
  if (slots.offsets === undefined) return { addresses: pointers, mask };
  const offsets = readable(machine, op, env[slots.offsets]!).data as Int32Array;
  const addresses = new Float64Array(offsets.length);
  const on = mask ? (mask.slice() as Int8Array) : new Int8Array(offsets.length).fill(-1);
  const base = pointers[0] as number;
  for (let i = 0; i < offsets.length; i++) {
    const at = Math.imul(offsets[i]!, bytes) >>> 0;
    addresses[i] = base + at;
    if (at + bytes > BUFFER_BYTES) on[i] = 0;
  }
  return { addresses, mask: on };
}

/** A mask of a scalar access, or of as many elements. */
export function maskData(machine: Machine, op: Operation, value: Val | undefined): Data | undefined {
  return value ? readable(machine, op, value).data : undefined;
}

const load: Rule = (instruction) => {
  const { op, outs } = instruction;
  const plain = tt.LoadOp.match(op);
  const view = plain ?? amdg.BufferLoadOp.match(op)!;
  const { element, shape } = tensorSpec(op.result(0).type);
  const slots = slotsOf(instruction, view);
  const isBlock = isTensorPointerType(view.ptr.type);
  const fill = isBlock ? padding(element, plain?.padding === "nan" ? "nan" : "zero") : undefined;
  const total = numElements(shape);
  if (slots.mask !== undefined || isBlock) instruction.lanes = 0;
  return ({ env }, machine) => {
    machine.charge(op, total);
    let target: Target;
    if (isBlock) {
      const block = env[slots.ptr] as BlockPointer;
      target = { addresses: addressesOf(block, element.bytes), mask: inBounds(block, plain!.boundaryCheck) };
    } else target = targetOf(machine, op, env, slots, element.bytes);
    const other = slots.other === undefined ? undefined : readable(machine, op, env[slots.other]!).data;
    if (instruction.lanes >= 0) instruction.lanes += countOn(target.mask, total);
    const data = element.alloc(total);
    if (other) data.set(other as never);
    else if (fill && target.mask) data.fill(fill as never);
    readElements(machine, op, element, target.addresses, target.mask, data);
    if (total === 1 && plain?.isVolatile) machine.polled(op, target.addresses[0] as number, data[0]!);
    machine.order.loaded({ op, ...target });
    env[outs[0]!] = tensor(element, shape, data);
  };
};
export function countOn(mask: Data | undefined, total: number): number {
  if (!mask) return total;
  let count = 0;
  for (let i = 0; i < mask.length; i++) if (mask[i]) count++;
  return count;
}

const store: Rule = (instruction) => {
  const { op } = instruction;
  const plain = tt.StoreOp.match(op);
  const view = plain ?? amdg.BufferStoreOp.match(op)!;
  const { element, shape } = tensorSpec(view.value.type);
  const slots = slotsOf(instruction, view);
  const isBlock = isTensorPointerType(view.ptr.type);
  const total = numElements(shape);
  if (slots.mask !== undefined || isBlock) instruction.lanes = 0;
  return ({ env }, machine) => {
    machine.charge(op, total);
    const value = readable(machine, op, env[slots.value!]!);
    let target: Target;
    if (isBlock) {
      const block = env[slots.ptr] as BlockPointer;
      target = { addresses: addressesOf(block, element.bytes), mask: inBounds(block, plain!.boundaryCheck) };
    } else target = targetOf(machine, op, env, slots, element.bytes);
    if (instruction.lanes >= 0) instruction.lanes += countOn(target.mask, total);
    const stored = machine.order.storing({ op, ...target });
    writeElements(machine, op, element, target.addresses, target.mask, value.data);
    stored();
  };
};

/** The value that an atomic writes, from the old value (`a`) and its operand (`b`). */
const ATOMIC: Readonly<Record<string, (e: Element) => string>> = {
  and: () => "a & b",
  or: () => "a | b",
  xor: () => "a ^ b",
  add: () => "a + b",
  fadd: () => "a + b",
  max: () => "a > b ? a : b",
  min: () => "a < b ? a : b",
  umax: (e) => (e.big ? "BigInt.asUintN(64, a) > BigInt.asUintN(64, b) ? a : b" : "(a >>> 0) > (b >>> 0) ? a : b"),
  umin: (e) => (e.big ? "BigInt.asUintN(64, a) < BigInt.asUintN(64, b) ? a : b" : "(a >>> 0) < (b >>> 0) ? a : b"),
  exch: () => "b",
};

/** Lanes take their turns in order. */
const atomicRMW: Rule = (instruction) => {
  const { op, outs } = instruction;
  const plain = tt.AtomicRMWOp.match(op);
  const view = plain ?? amdg.BufferAtomicRMWOp.match(op)!;
  const { element, shape } = tensorSpec(op.result(0).type);
  const slots = slotsOf(instruction, view);
  const kind = String(view.atomic_rmw_op);
  const order = { sem: String(view.sem), scope: String(view.scope) };
  const combine = loop(element, [element, element], ATOMIC[kind]!(element));
  const total = numElements(shape);
  if (slots.mask !== undefined) instruction.lanes = 0;
  return ({ env }, machine) => {
    const { addresses: pointers, mask } = targetOf(machine, op, env, slots, element.bytes);
    const value = readable(machine, op, env[slots.value!]!);
    if (instruction.lanes >= 0) instruction.lanes += countOn(mask, total);
    const result = element.alloc(total);
    const [found, operand, next] = [element.alloc(1), element.alloc(1), element.alloc(1)];
    for (let i = 0; i < total; i++) {
      if (mask && !mask[i]) continue;
      const at = pointers.subarray(i, i + 1) as Data;
      if (accessChecked(machine, op, pointers[i] as number, element.bytes))
        machine.memory.prepareAtomic(pointers[i] as number, element.bytes);
      readElements(machine, op, element, at, undefined, found);
      operand[0] = value.data[i]!;
      combine(1, next, found, operand);
      result[i] = found[0]!;
      writeElements(machine, op, element, at, undefined, next, "quiet");
      machine.order.atomic(op, pointers[i] as number, order, true, !Object.is(found[0], next[0]));
    }
    if (total === 1) machine.polled(op, pointers[0] as number, result[0]!);
    machine.bounds?.combined(kind, element, result, value.data, pointers, mask);
    machine.store(op, element, pointers, mask, element.family === "float" && kind === "fadd");
    env[outs[0]!] = tensor(element, shape, result);
  };
};

const atomicCAS: Rule = (instruction) => {
  const { op, ins, outs } = instruction;
  const { element, shape } = tensorSpec(op.result(0).type);
  const plain = tt.AtomicCASOp.match(op);
  const view = plain ?? amdg.BufferAtomicCASOp.match(op)!;
  const [ptr, offsets, compared, swapped] = plain ? [ins[0]!, undefined, ins[1]!, ins[2]!] : [ins[0]!, ins[1]!, ins[2]!, ins[3]!];
  const order = { sem: String(view.sem), scope: String(view.scope) };
  // Compared bit by bit.
  const raw = intElement(element.width);
  const total = numElements(shape);
  return ({ env }, machine) => {
    const { addresses: pointers, mask } = targetOf(machine, op, env, { ptr, offsets, mask: undefined }, element.bytes);
    const [compare, value] = [compared, swapped].map((slot) => readable(machine, op, env[slot]!).data) as [Data, Data];
    const result = element.alloc(total);
    const found = element.alloc(1);
    const bitsOf = (data: Data, i: number) => reinterpreted(data.slice(i, i + 1) as Data, element, raw)[0]!;
    for (let i = 0; i < total; i++) {
      if (mask && !mask[i]) continue;
      const at = pointers.subarray(i, i + 1) as Data;
      if (accessChecked(machine, op, pointers[i] as number, element.bytes))
        machine.memory.prepareAtomic(pointers[i] as number, element.bytes);
      readElements(machine, op, element, at, undefined, found);
      result[i] = found[0]!;
      const swaps = bitsOf(found, 0) === bitsOf(compare, i);
      if (swaps) writeElements(machine, op, element, at, undefined, value.subarray(i, i + 1) as Data, "quiet");
      machine.order.atomic(op, pointers[i] as number, order, swaps, swaps && !Object.is(found[0], value[i]));
    }
    if (total === 1) machine.polled(op, pointers[0] as number, result[0]!, compare[0]);
    machine.bounds?.combined("cas", element, result, value, pointers, mask);
    machine.store(op, element, pointers, mask);
    env[outs[0]!] = tensor(element, shape, result);
  };
};

/** One instruction where hardware has it: of a NaN it makes the upper limit, the two others the lower one. */
const clamp: Rule = (instruction) => {
  const { op } = instruction;
  const nan = String(tt.ClampFOp.match(op)!.propagateNan) === "all";
  const [min, max] = nan ? ["Math.min", "Math.max"] : ["H.minnum", "H.maxnum"];
  const two = elementwiseResult(instruction, 0, () => `${min}(${max}(a, b), c)`);
  const one = `H.copySign(${min}(Math.abs(a), Math.abs(c)), H.copySign(1, a) * H.copySign(1, c))`;
  const clip = elementwiseResult(instruction, 0, () => `b === -c ? ${one} : ${min}(${max}(a, b), c)`);
  return (frame, machine) => (machine.gpu.cuda?.clips && isClip(op) ? clip : two)(frame, machine);
};

export const MEMORY: readonly (readonly [OpDef, Rule])[] = [
  [tt.AddPtrOp, addPtr],
  [tt.LoadOp, load],
  [tt.StoreOp, store],
  [tt.AtomicRMWOp, atomicRMW],
  [tt.AtomicCASOp, atomicCAS],
  [amdg.BufferLoadOp, load],
  [amdg.BufferStoreOp, store],
  [amdg.BufferAtomicRMWOp, atomicRMW],
  [amdg.BufferAtomicCASOp, atomicCAS],
  [tt.IntToPtrOp, elementwise(() => "Number(BigInt.asUintN(64, a))")],
  [tt.PtrToIntOp, elementwise(() => "BigInt(a)")],
  [tt.BitcastOp, pure((op) => bitcast(op))],
  [tt.FpToFpOp, fpToFp],
  [tt.ClampFOp, clamp],
  [tt.PreciseSqrtOp, elementwise(() => "Math.sqrt(a)")],
  [tt.PreciseDivFOp, elementwise(() => "a / b")],
  [tt.MulhiUIOp, elementwise(mulHigh(false))],
];
