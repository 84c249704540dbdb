/** Tensor pointers and descriptors, and what is loaded and stored through them. */
import * as tt from "../../../dialects/tt/ops/index.js";
import { type PointerType, signlessBlockType } from "../../../dialects/tt/types.js";
import type { TypeOf } from "../../../ir/attribute.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { type Data, type Element, elementOfType } from "../elements.js";
import { readElements, writeElements } from "../global-access.js";
import { addressesOf, type BlockPointer, blockAt, inBounds, padding, problemOfMap, type TensorDesc } from "../global-block.js";
import { operandsOf, type Rule } from "../instructions.js";
import { loop } from "../loops.js";
import type { Machine } from "../machine.js";
import { numberAt, type Tensor, tensor, tensorSpec } from "../value.js";
import { readable } from "./elementwise.js";
import { countOn } from "./memory.js";

const numbers = (values: readonly unknown[]): number[] => (values as readonly Tensor[]).map((v) => numberAt(v));

const makeTensorPtr: Rule = (instruction) => {
  const { op, outs } = instruction;
  const rank = tt.MakeTensorPtrOp.match(op)!.shape.length;
  const block = ((op.result(0).type as TypeOf<typeof PointerType>).params.pointeeType as TensorType).params.shape;
  return (frame) => {
    const [base, ...rest] = numbers(operandsOf(frame, instruction)) as [number, ...number[]];
    const part = (i: number) => rest.slice(i * rank, (i + 1) * rank);
    frame.env[outs[0]!] = { form: "block-pointer", base, shape: part(0), strides: part(1), offsets: part(2), block };
  };
};
const advance: Rule = (instruction) => (frame) => {
  const [ptr, ...steps] = operandsOf(frame, instruction);
  const from = ptr as BlockPointer;
  const by = numbers(steps);
  frame.env[instruction.outs[0]!] = { ...from, offsets: from.offsets.map((offset, d) => (offset + by[d]!) | 0) };
};
const makeTensorDesc: Rule = (instruction) => {
  const { op, outs } = instruction;
  const view = tt.MakeTensorDescOp.match(op)!;
  const rank = view.shape.length;
  const block = signlessBlockType(op.result(0).type).params;
  const element = elementOfType(block.elementType)!;
  return (frame) => {
    const [base, ...rest] = numbers(operandsOf(frame, instruction)) as [number, ...number[]];
    const [shape, strides] = [rest.slice(0, rank), rest.slice(rank)];
    frame.env[outs[0]!] = {
      form: "tensor-desc",
      base,
      shape,
      strides,
      block: block.shape,
      element,
      padding: view.padding === "nan" ? "nan" : "zero",
    };
  };
};

/** All dimensions of a descriptor's tensor are checked. */
export interface DescAccess {
  readonly addresses: Data;
  readonly mask: Data;
}
/** The elements that `op` accesses. Where the GPU has TMA, the descriptor must be one that it takes. */
export function blockAccess(machine: Machine, op: Operation, desc: TensorDesc, offsets: readonly number[]): DescAccess {
  const problem = machine.gpu.cuda?.tma ? problemOfMap(desc) : undefined;
  if (problem !== undefined) machine.findings.add("bad-descriptor", op, `the descriptor: ${problem}`);
  const block = blockAt(desc, offsets);
  return { addresses: addressesOf(block, desc.element.bytes), mask: inBounds(block, [...desc.shape.keys()])! };
}
/** Rows `rows` of a descriptor whose block is one row, from column `column`. */
export function rowsAccess(machine: Machine, op: Operation, desc: TensorDesc, rows: Tensor, column: number, columns: number): DescAccess {
  const count = rows.data.length;
  const addresses = new Float64Array(count * columns);
  const mask = new Int8Array(count * columns);
  const row: TensorDesc = { ...desc, block: [1, columns] };
  for (let r = 0; r < count; r++) {
    const access = blockAccess(machine, op, row, [numberAt(rows, r), column]);
    addresses.set(access.addresses as Float64Array, r * columns);
    mask.set(access.mask as Int8Array, r * columns);
  }
  return { addresses, mask };
}
/** Reads through a descriptor; out of bounds is padding. */
export function readBlock(machine: Machine, op: Operation, desc: TensorDesc, { addresses, mask }: DescAccess): Data {
  const data = desc.element.alloc(addresses.length);
  data.fill(padding(desc.element, desc.padding) as never);
  if (desc.element.big) data.fill(0n as never);
  machine.charge(op, data.length);
  readElements(machine, op, desc.element, addresses, mask, data);
  return data;
}

const REDUCE: Readonly<Record<string, (e: Element) => string>> = {
  add: () => "a + b",
  min: () => "a < b ? a : b",
  max: () => "a > b ? a : b",
  inc: () => "a >= b ? 0 : a + 1",
  dec: () => "a === 0 || a > b ? b : a - 1",
  and: () => "a & b",
  or: () => "a | b",
  xor: () => "a ^ b",
};
/** Combines what is in memory with `data`, element by element. */
export function reduceBlock(machine: Machine, op: Operation, kind: string, desc: TensorDesc, access: DescAccess, data: Data): void {
  const { element } = desc;
  const { addresses, mask } = access;
  for (let i = 0; i < addresses.length; i++)
    if (mask[i] && machine.memory.bufferAt(addresses[i] as number)) machine.memory.prepareAtomic(addresses[i] as number, element.bytes);
  const found = element.alloc(data.length);
  readElements(machine, op, element, addresses, mask, found);
  const next = element.alloc(data.length);
  loop(element, [element, element], REDUCE[kind]!(element))(next.length, next, found, data);
  writeElements(machine, op, element, addresses, mask, next, "quiet");
  for (let i = 0; i < addresses.length; i++)
    if (mask[i]) machine.order.atomic(op, addresses[i] as number, RELAXED, true, !Object.is(found[i], next[i]));
  machine.bounds?.combined(kind, element, found, data, addresses, mask);
  machine.store(op, element, addresses, mask, element.family === "float" && kind === "add");
}

const RELAXED = { sem: "relaxed", scope: "gpu" };

/** Writes through a descriptor. */
function writeBlock(machine: Machine, op: Operation, desc: TensorDesc, { addresses, mask }: DescAccess, data: Data): void {
  const stored = machine.order.storing({ op, addresses, mask });
  writeElements(machine, op, desc.element, addresses, mask, data);
  stored();
}

const load: Rule = (instruction) => {
  const { op, outs } = instruction;
  const { shape } = tensorSpec(op.result(0).type);
  instruction.lanes = 0;
  return (frame, machine) => {
    const [desc, ...indices] = operandsOf(frame, instruction);
    const access = blockAccess(machine, op, desc as TensorDesc, numbers(indices));
    machine.order.loaded({ op, ...access });
    instruction.lanes += countOn(access.mask, access.mask.length);
    frame.env[outs[0]!] = tensor((desc as TensorDesc).element, shape, readBlock(machine, op, desc as TensorDesc, access));
  };
};
const gather: Rule = (instruction) => {
  const { op, outs } = instruction;
  const { shape } = tensorSpec(op.result(0).type);
  return (frame, machine) => {
    const [desc, rows, column] = operandsOf(frame, instruction);
    const access = rowsAccess(machine, op, desc as TensorDesc, readable(machine, op, rows!), numberAt(column as Tensor), shape[1]!);
    machine.order.loaded({ op, ...access });
    frame.env[outs[0]!] = tensor((desc as TensorDesc).element, shape, readBlock(machine, op, desc as TensorDesc, access));
  };
};
const store: Rule = (instruction) => (frame, machine) => {
  const [desc, src, ...indices] = operandsOf(frame, instruction);
  const { data } = readable(machine, instruction.op, src!);
  writeBlock(machine, instruction.op, desc as TensorDesc, blockAccess(machine, instruction.op, desc as TensorDesc, numbers(indices)), data);
};
const reduce: Rule = (instruction) => {
  const kind = String(tt.DescriptorReduceOp.match(instruction.op)!.kind);
  return (frame, machine) => {
    const [desc, src, ...indices] = operandsOf(frame, instruction);
    const { data } = readable(machine, instruction.op, src!);
    reduceBlock(
      machine,
      instruction.op,
      kind,
      desc as TensorDesc,
      blockAccess(machine, instruction.op, desc as TensorDesc, numbers(indices)),
      data,
    );
  };
};
const scatter: Rule = (instruction) => {
  const { op } = instruction;
  return (frame, machine) => {
    const [desc, rows, column, src] = operandsOf(frame, instruction);
    const value = readable(machine, op, src!);
    const access = rowsAccess(machine, op, desc as TensorDesc, readable(machine, op, rows!), numberAt(column as Tensor), value.shape[1]!);
    writeBlock(machine, op, desc as TensorDesc, access, value.data);
  };
};

export const DESCRIPTORS: readonly (readonly [OpDef, Rule])[] = [
  [tt.MakeTensorPtrOp, makeTensorPtr],
  [tt.AdvanceOp, advance],
  [tt.MakeTensorDescOp, makeTensorDesc],
  [tt.DescriptorLoadOp, load],
  [tt.DescriptorStoreOp, store],
  [tt.DescriptorReduceOp, reduce],
  [tt.DescriptorGatherOp, gather],
  [tt.DescriptorScatterOp, scatter],
];
export { numbers };
