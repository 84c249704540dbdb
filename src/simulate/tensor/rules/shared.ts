/** ttg: shared memory, asynchronous copies, fences and barriers of a CTA. */
import { BufferLoadToLocalOp } from "../../../dialects/amdg/ops/buffer.js";
import * as gpu from "../../../dialects/gpu/ops/index.js";
import { toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import * as ttg from "../../../dialects/ttg/ops/index.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { numElements } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { readElements } from "../global-access.js";
import { enter, type Instruction, operandsOf, type Rule, setResults } from "../instructions.js";
import type { Machine } from "../machine.js";
import { beginPartition, learn } from "../partition-order.js";
import { type MemDescValue, selected } from "../shared-memory.js";
import { isTrue, numberAt, positions, rowMajorStrides, type Tensor, TOKEN, tensor, tensorSpec, type Val } from "../value.js";
import { leave } from "./control-flow.js";
import { readable } from "./elementwise.js";
import { countOn, slotsOf, targetOf } from "./memory.js";

/** An op whose only effect, at this level, is its order. */
const nothing: Rule =
  ({ outs }) =>
  ({ env }) => {
    for (const out of outs) env[out] = TOKEN;
  };

/** Memory of the type of the result, filled with the operand if there is one. */
export const allocate: Rule = ({ op, ins, outs }) => {
  const { element, shape } = tensorSpec(op.result(0).type);
  const allocShape = (op.result(0).type as MemDesc).params.allocShape;
  return ({ env }, machine) => {
    const desc = machine.shared.allocate(op, element, allocShape.length > 0 ? allocShape : shape);
    if (ins.length > 0) machine.shared.write(op, desc, readable(machine, op, env[ins[0]!]!).data);
    env[outs[0]!] = desc;
    if (outs.length > 1) env[outs[1]!] = TOKEN;
  };
};
export const loadShared: Rule = ({ op, ins, outs }) => {
  const { shape } = tensorSpec(op.result(0).type);
  return ({ env }, machine) => {
    const value = machine.shared.read(op, env[ins[0]!] as MemDescValue);
    machine.charge(op, value.data.length);
    env[outs[0]!] = tensor(value.element, shape, value.data);
    if (outs.length > 1) env[outs[1]!] = TOKEN;
  };
};
const storeShared: Rule =
  ({ op, ins }) =>
  ({ env }, machine) => {
    machine.shared.write(op, env[ins[1]!] as MemDescValue, readable(machine, op, env[ins[0]!]!).data);
  };

/** The elements of a buffer that indices name along a dimension, as a view. */
function indexedView(op: Operation, machine: Machine, src: MemDescValue, indices: Tensor, axis: number): MemDescValue {
  const strides = rowMajorStrides(src.shape);
  const count = src.shape[axis]!;
  const places = positions(
    indices.shape,
    strides.map((stride, d) => (d === axis ? 0 : stride)),
  );
  for (let i = 0; i < places.length; i++) {
    const index = Number(indices.data[i]);
    if (0 <= index && index < count) places[i]! += index * strides[axis]!;
    else machine.findings.add("bad-index", op, `index ${index} is not below the ${count} elements of the buffer`);
  }
  return selected(src, src.element, indices.shape, places);
}
const gatherShared: Rule = ({ op, ins, outs }) => {
  const { axis } = ttg.LocalGatherOp.match(op)!;
  return ({ env }, machine) => {
    const indices = readable(machine, op, env[ins[1]!]!);
    const value = machine.shared.read(op, indexedView(op, machine, env[ins[0]!] as MemDescValue, indices, axis));
    env[outs[0]!] = tensor(value.element, indices.shape, value.data);
  };
};
const scatterShared: Rule = ({ op, ins }) => {
  const { axis } = ttg.LocalScatterOp.match(op)!;
  return ({ env }, machine) => {
    const to = indexedView(op, machine, env[ins[0]!] as MemDescValue, readable(machine, op, env[ins[2]!]!), axis);
    machine.shared.write(op, to, readable(machine, op, env[ins[1]!]!).data);
  };
};

/** A view by positions within the source, worked out once. */
function view(placesOf: (op: Operation, src: MemDescValue) => Int32Array): Rule {
  return ({ op, ins, outs }) => {
    const { element, shape } = tensorSpec(op.result(0).type);
    let last: { readonly src: Int32Array; readonly view: MemDescValue } | undefined;
    let places: Int32Array | undefined;
    return ({ env }) => {
      const src = env[ins[0]!] as MemDescValue;
      places ??= placesOf(op, src);
      if (last?.src !== src.at || last.view.buffer !== src.buffer) last = { src: src.at, view: selected(src, element, shape, places) };
      env[outs[0]!] = last.view;
    };
  };
}

const index: Rule = ({ op, ins, outs }) => {
  const { element, shape } = tensorSpec(op.result(0).type);
  const size = numElements(shape);
  return ({ env }, machine) => {
    const src = env[ins[0]!] as MemDescValue;
    const count = src.shape[0]!;
    let at = numberAt(env[ins[1]!] as Tensor);
    if (at < 0 || at >= count) {
      machine.findings.add("bad-index", op, `buffer ${at} of ${count} is taken`);
      at = ((at % count) + count) % count;
    }
    const [from, to] = [at * size, (at + 1) * size];
    const bytesAt = src.bytesAt?.subarray(from * element.bytes, to * element.bytes);
    env[outs[0]!] = { form: "memdesc", buffer: src.buffer, element, shape, at: src.at.subarray(from, to), bytesAt };
  };
};
const subslice = view((op, src) => {
  const { offsets } = ttg.MemDescSubsliceOp.match(op)!;
  const strides = rowMajorStrides(src.shape);
  const start = offsets.reduce((sum, offset, d) => sum + offset * strides[d]!, 0);
  return positions(tensorSpec(op.result(0).type).shape, strides, start);
});
const transpose = view((op, src) => {
  const { order } = ttg.MemDescTransOp.match(op)!;
  const strides = rowMajorStrides(src.shape);
  return positions(
    tensorSpec(op.result(0).type).shape,
    order.map((d) => strides[d]!),
  );
});
const reshape: Rule = ({ op, ins, outs }) => {
  const { element, shape } = tensorSpec(op.result(0).type);
  return ({ env }) => {
    const src = env[ins[0]!] as MemDescValue;
    env[outs[0]!] = { ...src, element, shape };
  };
};

/** Other elements at the same addresses: which ones follows from both layouts. */
const reinterpret: Rule = ({ op, ins, outs }) => {
  const from = op.operand(0).type as MemDesc;
  const to = op.result(0).type as MemDesc;
  const { element, shape } = tensorSpec(to);
  const target = offsetsOf(to);
  // The element at each offset of the source.
  const placeAt = new Map<number, number>();
  offsetsOf(from).forEach((offset, i) => placeAt.set(offset, i));
  return ({ env }) => {
    const src = env[ins[0]!] as MemDescValue;
    const { buffer } = src;
    if (element.bytes === src.element.bytes && !src.bytesAt) {
      const at = target.map((offset) => src.at[placeAt.get(offset) ?? 0]!);
      env[outs[0]!] = { form: "memdesc", buffer, element, shape, at };
      return;
    }
    const size = src.element.bytes;
    const bytesAt = Int32Array.from({ length: target.length * element.bytes }, (_, i) => {
      const byte = target[Math.floor(i / element.bytes)]! * element.bytes + (i % element.bytes);
      const place = placeAt.get(Math.floor(byte / size)) ?? 0;
      return src.bytesAt ? src.bytesAt[place * size + (byte % size)]! : src.at[place]! * size + (byte % size);
    });
    const at = target.map((_, i) => Math.floor(bytesAt[i * element.bytes]! / buffer.element.bytes));
    env[outs[0]!] = { form: "memdesc", buffer, element, shape, at, bytesAt };
  };
};
/** Where each element of a buffer lies in memory, in elements. */
function offsetsOf({ params: { shape, encoding } }: MemDesc): Int32Array {
  const layout = toLinearLayout(shape, encoding);
  const strides = rowMajorStrides(shape);
  const result = new Int32Array(numElements(shape));
  const [dim] = layout.inDimNames;
  for (let offset = 0; offset < result.length; offset++) {
    const place = layout.apply(Object.fromEntries(layout.inDimNames.map((name) => [name, name === dim ? offset : 0])));
    const at = layout.outDimNames.reduce((sum, name, d) => sum + place[name]! * strides[d]!, 0);
    result[at] = offset;
  }
  return result;
}

/** Values are read at once, and are in shared memory when their group was waited for. */
const asyncCopy: Rule = (instruction) => {
  const { op, ins, outs } = instruction;
  const plain = ttg.AsyncCopyGlobalToLocalOp.match(op);
  const v = plain ?? BufferLoadToLocalOp.match(op)!;
  const to = ins[op.operands.indexOf(plain?.result ?? op.operand(0))]!;
  const slots = slotsOf(instruction, plain ? { ptr: plain.src, mask: v.mask, other: v.other } : v);
  if (slots.mask !== undefined) instruction.lanes = 0;
  return ({ env }, machine) => {
    const desc = env[to] as MemDescValue;
    const { addresses, mask: on } = targetOf(machine, op, env, slots, desc.element.bytes);
    if (instruction.lanes >= 0) instruction.lanes += countOn(on, addresses.length);
    machine.charge(op, addresses.length);
    const data = desc.element.alloc(addresses.length);
    if (slots.other !== undefined) data.set(readable(machine, op, env[slots.other]!).data as never);
    readElements(machine, op, desc.element, addresses, on, data);
    machine.shared.checkWrite(op, desc);
    const { shared } = machine;
    const copy = shared.begin({ op, writes: [desc], effect: () => shared.poke(desc, data) });
    machine.current.async.open.push({ op, end: () => shared.end(copy) });
    env[outs[0]!] = TOKEN;
  };
};
const commitGroup: Rule =
  ({ outs }) =>
  ({ env }, machine) => {
    const { async } = machine.current;
    async.groups.push(async.open);
    async.open = [];
    env[outs[0]!] = TOKEN;
  };
const waitGroup: Rule = ({ op, outs }) => {
  const { num } = ttg.AsyncWaitOp.match(op)!;
  return ({ env }, machine) => {
    const { groups } = machine.current.async;
    while (groups.length > num) for (const { end } of groups.shift()!) end();
    env[outs[0]!] = TOKEN;
  };
};

/** A masked region, which the pipeliner leaves while it works: it runs when the predicate holds; otherwise the results are zeros. */
const mask: Rule = (instruction, program) => {
  const { op, ins } = instruction;
  const code = program.block(op.regions[0]!.firstBlock!);
  return (frame, machine) => {
    if (!isTrue(frame.env[ins[0]!] as Tensor))
      return setResults(
        frame,
        instruction,
        op.results.map((r) => zeroOf(r.type)),
      );
    enter(machine, code, frame.env, [], (values) => {
      machine.pop();
      setResults(frame, instruction, values);
    });
  };
};
function zeroOf(type: Operation["results"][number]["type"]): Val {
  if (type.def.name === "ttg.async.token") return TOKEN;
  const { element, shape } = tensorSpec(type);
  return tensor(element, shape, element.alloc(numElements(shape)));
}
/** iv < ub - maxStage' * step, as the pipeliner resolves it. */
const predicateStage: Rule = (instruction) => {
  const v = ttg.PredicateStageOp.match(instruction.op)!;
  return (frame) => {
    const [iv, ub, step] = (operandsOf(frame, instruction) as Tensor[]).map((t) => Number(t.data[0])) as [number, number, number];
    const { element } = tensorSpec(instruction.op.result(0).type);
    const data = element.alloc(1);
    data[0] = (iv < ub - (v.maxStage - v.stage) * step ? -1 : 0) as never;
    frame.env[instruction.outs[0]!] = tensor(element, [], data);
  };
};

/** Partitions run as threads of their own; their captures are the operands. The op ends when all have. */
const warpSpecialize: Rule = (instruction, program) => {
  const { op } = instruction;
  const partitions = ttg.partitionRegionsOf(op).map((region) => program.block(region.firstBlock!));
  const main = program.block(op.regions[0]!.firstBlock!);
  return (frame, machine) => {
    const captures = operandsOf(frame, instruction);
    const { clock } = machine.current;
    const running = startPartitions(machine, instruction, partitions, frame.env, captures);
    enter(machine, main, frame.env, [], (values) => {
      machine.pop();
      setResults(frame, instruction, values);
      machine.wait(op, "its partitions to end", () => {
        if (running.some((thread) => thread.frames.length > 0)) return false;
        for (const thread of running) learn(clock.times, thread.clock.times);
        return true;
      });
    });
  };
};
export function startPartitions(
  machine: Machine,
  { op }: Instruction,
  partitions: readonly Parameters<typeof enter>[1][],
  env: Val[],
  captures: readonly Val[],
): Machine["threads"] {
  const before = machine.current;
  const running = partitions.map((code, i) => {
    const thread = machine.spawn(`partition${i} of ${op.name}`, beginPartition(before.clock, i + 1));
    machine.current = thread;
    enter(machine, code, env, captures, () => machine.pop());
    return thread;
  });
  machine.current = before;
  return running;
}

/** Scratch memory in global memory: the program's own, zeros at first. */
const globalScratch: Rule = ({ op, outs }) => {
  const { element } = tensorSpec(op.result(0).type);
  let address: number | undefined;
  return ({ env }, machine) => {
    address ??= machine.scratchAddress(op);
    const data = element.alloc(1);
    data[0] = address as never;
    env[outs[0]!] = tensor(element, [], data);
  };
};

/** A barrier of threads, which are not modelled here: it affects only the order of global memory. */
const barrier: Rule = () => (_, machine) => machine.order.barrier();

export const SHARED: readonly (readonly [OpDef, Rule])[] = [
  [ttg.LocalAllocOp, allocate],
  [ttg.LocalDeallocOp, nothing],
  [ttg.LocalLoadOp, loadShared],
  [ttg.LocalStoreOp, storeShared],
  [ttg.LocalGatherOp, gatherShared],
  [ttg.LocalScatterOp, scatterShared],
  [ttg.MemDescIndexOp, index],
  [ttg.MemDescSubsliceOp, subslice],
  [ttg.MemDescTransOp, transpose],
  [ttg.MemDescReshapeOp, reshape],
  [ttg.MemDescReinterpretOp, reinterpret],
  [ttg.AsyncCopyGlobalToLocalOp, asyncCopy],
  [BufferLoadToLocalOp, asyncCopy],
  [ttg.AsyncCommitGroupOp, commitGroup],
  [ttg.AsyncWaitOp, waitGroup],
  [ttg.MaskOp, mask],
  [ttg.MaskReturnOp, leave],
  [ttg.PredicateStageOp, predicateStage],
  [ttg.GlobalScratchAllocOp, globalScratch],
  [ttg.LocalBarrierOp, barrier],
  [ttg.BarrierOp, barrier],
  [ttg.WarpSpecializeOp, warpSpecialize],
  [ttg.WarpYieldOp, leave],
  [ttg.WarpReturnOp, leave],
  [gpu.BarrierOp, barrier],
];
export { barrier, nothing, view };
