/** ttng: mbarriers, TMA, wgmma, tensor memory and tcgen05. */

import { signlessBlockType } from "../../../dialects/tt/types.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { NvmmaSharedEncoding } from "../../../dialects/ttg/encodings/index.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import * as ttng from "../../../dialects/ttng/ops/index.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { dot } from "../dot-product.js";
import { elementOfType } from "../elements.js";
import { writeElements } from "../global-access.js";
import type { TensorDesc } from "../global-block.js";
import { type Instruction, operandsOf, type Rule } from "../instructions.js";
import type { Machine } from "../machine.js";
import { type ScaledKind, scaled, unpacked } from "../microscaling.js";
import type { AsyncOp, Barrier, MemDescValue } from "../shared-memory.js";
import { isTrue, numberAt, positions, rowMajorStrides, type Tensor, TOKEN, tensor, tensorSpec, type Val } from "../value.js";
import { blockAccess, type DescAccess, numbers, readBlock, reduceBlock, rowsAccess } from "./descriptors.js";
import { readable } from "./elementwise.js";
import { allocate, loadShared, nothing, view } from "./shared.js";

type Slot = number | undefined;
function slotFinder({ op, ins }: Instruction): (value: Value | undefined) => Slot {
  return (value) => (value ? ins[op.operands.indexOf(value)] : undefined);
}
/** An absent predicate is true. */
const on = (env: readonly Val[], slot: Slot): boolean => slot === undefined || isTrue(env[slot] as Tensor);
const descAt = (env: readonly Val[], slot: Slot): MemDescValue => env[slot!] as MemDescValue;

// --- mbarriers ----------------------------------------------------------------------------------

const initBarrier: Rule = ({ op, ins }) => {
  const { count } = ttng.InitBarrierOp.match(op)!;
  return ({ env }, machine) => void machine.shared.initBarrier(descAt(env, ins[0]), count);
};
const invalBarrier: Rule =
  ({ ins }) =>
  ({ env }) => {
    const { buffer, at } = descAt(env, ins[0]);
    buffer.barriers.delete(at[0]!);
  };
const barrierExpect: Rule = (instruction) => {
  const v = ttng.BarrierExpectOp.match(instruction.op)!;
  const [alloc, pred] = [v.alloc, v.pred].map(slotFinder(instruction));
  return ({ env }, machine) => {
    if (!on(env, pred)) return;
    const barrier = machine.shared.barrier(instruction.op, descAt(env, alloc));
    machine.shared.transfer(barrier, v.size);
    machine.shared.arrive(instruction.op, barrier, 1);
  };
};
const waitBarrier: Rule = (instruction) => {
  const { op } = instruction;
  const v = ttng.WaitBarrierOp.match(op)!;
  const [alloc, phase, pred] = [v.alloc, v.phase, v.pred].map(slotFinder(instruction));
  return ({ env }, machine) => {
    if (!on(env, pred)) return;
    const barrier = machine.shared.barrier(op, descAt(env, alloc));
    const parity = numberAt(env[phase!] as Tensor);
    machine.wait(op, `phase ${parity} of a barrier (${barrier.pending} arrivals and ${barrier.bytes} bytes to come)`, () =>
      machine.shared.phaseEnded(barrier, parity),
    );
  };
};
const arriveBarrier: Rule = (instruction) => {
  const { op } = instruction;
  const v = ttng.ArriveBarrierOp.match(op)!;
  const [alloc, pred] = [v.alloc, v.pred].map(slotFinder(instruction));
  return ({ env }, machine) => {
    if (on(env, pred)) machine.shared.arrive(op, machine.shared.barrier(op, descAt(env, alloc)), v.count);
  };
};
/** Every thread of the program arrives when its copies are done; unless `noIncrement`, it had announced itself first. */
const copyArrive: Rule = ({ op, ins }) => {
  const { noIncrement } = ttng.AsyncCopyMbarrierArriveOp.match(op)!;
  return ({ env }, machine) => {
    const barrier = machine.shared.barrier(op, descAt(env, ins[0]));
    const { async } = machine.current;
    const copies = [...async.groups.flat(), ...async.open];
    const all: AsyncOp = machine.shared.begin({
      op,
      effect: () => {
        for (const end of copies) end();
        if (noIncrement) machine.shared.arrive(op, barrier, barrier.pending);
      },
    });
    barrier.waitsFor.push(all);
  };
};

// --- TMA ----------------------------------------------------------------------------------------

const tensormapCreate: Rule = (instruction) => {
  const { op } = instruction;
  const v = ttng.TensormapCreateOp.match(op)!;
  const rank = v.box_dim.length;
  return (frame, machine) => {
    const [address, base, ...rest] = numbers(operandsOf(frame, instruction)) as [number, number, ...number[]];
    const dims = rest.slice(rank, 2 * rank);
    const strides = rest.slice(2 * rank, 3 * rank - 1);
    machine.tensormaps.set(address, { base, dims: dims.reverse(), byteStrides: strides.reverse(), nan: v.fill_mode === 1 });
  };
};
const reinterpretDesc: Rule = ({ op, ins, outs }) => {
  const { shape: block, elementType, encoding } = signlessBlockType(op.result(0).type).params;
  const element = elementOfType(elementType)!;
  const padded = NvmmaSharedEncoding.is(encoding) && encoding.params.fp4Padded;
  return ({ env }, machine) => {
    const map = machine.tensormaps.get(numberAt(env[ins[0]!] as Tensor));
    if (!map) {
      machine.findings.add("barrier", op, "no tensor map was created at this address");
      env[outs[0]!] = {
        form: "tensor-desc",
        base: 0,
        shape: block.map(() => 0),
        strides: block.map(() => 0),
        block,
        element,
        padding: "zero",
      };
      return;
    }
    const { base, dims, byteStrides, nan } = map;
    // Padded fp4 counts its elements one by one, two to a byte.
    const shape = padded ? dims.with(-1, dims.at(-1)! / 2) : dims;
    const strides = [...byteStrides.map((s) => s / element.bytes), 1];
    env[outs[0]!] = { form: "tensor-desc", base, shape, strides, block, element, padding: nan ? "nan" : "zero" };
  };
};

/** A copy to shared memory that a barrier counts the bytes of. */
function tmaLoad(
  machine: Machine,
  op: Operation,
  desc: TensorDesc,
  access: DescAccess,
  dst: MemDescValue,
  barrier: Barrier,
  bytes: number,
): void {
  const { shared } = machine;
  const data = readBlock(machine, op, desc, access);
  shared.checkWrite(op, dst);
  const copy = shared.begin({
    op,
    writes: [dst],
    effect: () => {
      shared.poke(dst, data);
      shared.transfer(barrier, -bytes);
    },
  });
  barrier.waitsFor.push(copy);
}
/** What one CTA gets of a buffer, in bytes. */
function bytesPerCTA(type: MemDesc): number {
  const { shape, encoding } = type.params;
  const { element } = tensorSpec(type);
  const params = encodingParams(encoding);
  const mine = params ? getShapePerCTAOf(params, shape) : shape;
  return mine.reduce((a, b) => a * b, 1) * element.bytes;
}
/** Coordinates of padded fp4 count elements. */
function coordinates(desc: Value, values: readonly number[]): readonly number[] {
  const { encoding } = signlessBlockType(desc.type).params;
  return NvmmaSharedEncoding.is(encoding) && encoding.params.fp4Padded ? values.with(-1, values.at(-1)! / 2) : values;
}

const tmaCopyIn: Rule = (instruction) => {
  const { op } = instruction;
  const v = ttng.AsyncTMACopyGlobalToLocalOp.match(op)!;
  const slot = slotFinder(instruction);
  const [desc, barrier, result, pred] = [v.desc, v.barrier, v.result, v.pred].map(slot);
  const coord = instruction.ins.slice(1, 1 + v.coord.length);
  const bytes = bytesPerCTA(v.result.type as MemDesc);
  return ({ env }, machine) => {
    if (!on(env, pred)) return;
    const source = env[desc!] as TensorDesc;
    const at = coordinates(v.desc, numbers(coord.map((s) => env[s]!)));
    tmaLoad(machine, op, source, blockAccess(source, at), descAt(env, result), machine.shared.barrier(op, descAt(env, barrier)), bytes);
  };
};
const tmaGather: Rule = (instruction) => {
  const { op } = instruction;
  const v = ttng.AsyncTMAGatherOp.match(op)!;
  const [desc, rows, column, barrier, result, pred] = [v.desc, v.x_offsets, v.y_offset, v.barrier, v.result, v.pred].map(
    slotFinder(instruction),
  );
  const bytes = bytesPerCTA(v.result.type as MemDesc);
  return ({ env }, machine) => {
    if (!on(env, pred)) return;
    const source = env[desc!] as TensorDesc;
    const dst = descAt(env, result);
    const access = rowsAccess(source, readable(machine, op, env[rows!]!), numberAt(env[column!] as Tensor), dst.shape[1]!);
    tmaLoad(machine, op, source, access, dst, machine.shared.barrier(op, descAt(env, barrier)), bytes);
  };
};

/** Memory is written at once; the buffer counts as being read until the store is waited for. */
function tmaStore(
  write: (machine: Machine, instruction: Instruction, env: readonly Val[], data: Tensor) => void,
  srcOf: (op: Operation) => Value,
): Rule {
  return (instruction) => {
    const { op } = instruction;
    const src = slotFinder(instruction)(srcOf(op));
    return ({ env }, machine) => {
      const desc = descAt(env, src);
      write(machine, instruction, env, machine.shared.read(op, desc));
      machine.current.stores.push(machine.shared.begin({ op, reads: [desc], effect: () => {} }));
    };
  };
}
const tmaCopyOut = tmaStore(
  (machine, { op, ins }, env, value) => {
    const v = ttng.AsyncTMACopyLocalToGlobalOp.match(op)!;
    const desc = env[ins[0]!] as TensorDesc;
    const { addresses, mask } = blockAccess(desc, coordinates(v.desc, numbers(ins.slice(1, 1 + v.coord.length).map((s) => env[s]!))));
    writeElements(machine, op, desc.element, addresses, mask, value.data);
  },
  (op) => ttng.AsyncTMACopyLocalToGlobalOp.match(op)!.src,
);
const tmaReduce = tmaStore(
  (machine, { op, ins }, env, value) => {
    const v = ttng.AsyncTMAReduceOp.match(op)!;
    const desc = env[ins[0]!] as TensorDesc;
    reduceBlock(
      machine,
      op,
      String(v.kind),
      desc,
      blockAccess(desc, numbers(ins.slice(1, 1 + v.coord.length).map((s) => env[s]!))),
      value.data,
    );
  },
  (op) => ttng.AsyncTMAReduceOp.match(op)!.src,
);
const tmaScatter = tmaStore(
  (machine, { op, ins }, env, value) => {
    const desc = env[ins[0]!] as TensorDesc;
    const { addresses, mask } = rowsAccess(desc, readable(machine, op, env[ins[1]!]!), numberAt(env[ins[2]!] as Tensor), value.shape[1]!);
    writeElements(machine, op, desc.element, addresses, mask, value.data);
  },
  (op) => ttng.AsyncTMAScatterOp.match(op)!.src,
);
const tmaStoreWait: Rule = ({ op }) => {
  const { pendings } = ttng.TMAStoreWaitOp.match(op)!;
  return (_frame, machine) => {
    const { stores } = machine.current;
    while (stores.length > pendings) machine.shared.end(stores.shift()!);
  };
};

// --- wgmma --------------------------------------------------------------------------------------

const warpGroupDot: Rule = (instruction) => {
  const { op, outs } = instruction;
  const v = ttng.WarpGroupDotOp.match(op)!;
  const [a, b, c, useC] = [v.a, v.b, v.c, v.useC].map(slotFinder(instruction));
  const precision = v.inputPrecision === "tf32" ? "tf32" : "ieee";
  return ({ env }, machine) => {
    const { shared } = machine;
    const operand = (value: Val) => (value.form === "memdesc" ? shared.read(op, value) : readable(machine, op, value));
    const [left, right] = [operand(env[a!]!), operand(env[b!]!)];
    // The accumulator may still be under way: it is the same tensor core's.
    const acc = env[c!] as Tensor;
    const from = useC !== undefined && !on(env, useC) ? { ...acc, data: acc.element.alloc(acc.data.length) } : acc;
    machine.charge(op, (left.data.length * right.shape.at(-1)!) >> 4);
    const result = dot(left, right, from, precision);
    if (!v.isAsync) {
      env[outs[0]!] = result;
      return;
    }
    const reads = [env[a!]!, env[b!]!].filter((x): x is MemDescValue => x.form === "memdesc");
    const running = shared.begin({ op, reads, effect: () => {} });
    machine.current.dots.push(running);
    env[outs[0]!] = { ...result, pending: running };
  };
};
const warpGroupDotWait: Rule = (instruction) => {
  const { pendings } = ttng.WarpGroupDotWaitOp.match(instruction.op)!;
  return (frame, machine) => {
    const { dots } = machine.current;
    while (dots.length > pendings) machine.shared.end(dots.shift()!);
    operandsOf(frame, instruction).forEach((value, i) => {
      frame.env[instruction.outs[i]!] = value;
    });
  };
};

// --- tensor memory and tcgen05 ------------------------------------------------------------------

const tmemStore: Rule = (instruction) => {
  const { op, outs } = instruction;
  const v = ttng.TMEMStoreOp.match(op)!;
  const [dst, src, pred] = [v.dst, v.src, v.pred].map(slotFinder(instruction));
  return ({ env }, machine) => {
    if (on(env, pred)) machine.shared.write(op, descAt(env, dst), readable(machine, op, env[src!]!).data);
    if (outs.length > 0) env[outs[0]!] = TOKEN;
  };
};
const tmemSubSlice = view((op, src) => {
  const { shape } = tensorSpec(op.result(0).type);
  const { N } = ttng.TMEMSubSliceOp.match(op)!;
  return positions(shape, rowMajorStrides(src.shape), N);
});

/** Gives an op to the tensor cores: those of one program work in order. */
function enqueue(
  machine: Machine,
  op: Operation,
  reads: readonly MemDescValue[],
  writes: readonly MemDescValue[],
  effect: () => void,
): AsyncOp {
  const { shared } = machine;
  const running = shared.begin({ op, reads, writes, after: shared.lastMma, effect });
  shared.lastMma = running;
  return running;
}
/** A copy into tensor memory, in order with the products; where a barrier is named it arrives there. */
const tmemCopy: Rule = (instruction) => {
  const { op } = instruction;
  const v = ttng.TMEMCopyOp.match(op)!;
  const [src, dst, barrier] = [v.src, v.dst, v.barrier].map(slotFinder(instruction));
  return ({ env }, machine) => {
    const { shared } = machine;
    const [from, to] = [descAt(env, src), descAt(env, dst)];
    shared.checkRead(op, from);
    const running = enqueue(machine, op, [from], [to], () => shared.poke(to, shared.peek(from).data));
    if (barrier !== undefined) arriveWhenDone(machine, op, descAt(env, barrier), running);
  };
};
function arriveWhenDone(machine: Machine, op: Operation, desc: MemDescValue, after: AsyncOp | undefined): void {
  const { shared } = machine;
  const barrier = shared.barrier(op, desc);
  barrier.waitsFor.push(shared.begin({ op, after, effect: () => shared.arrive(op, barrier, 1) }));
}

interface Mma {
  readonly a: Value;
  readonly b: Value;
  readonly d: Value;
  readonly useD: Value;
  readonly pred: Value;
  readonly barriers: readonly Value[];
  readonly barrier_preds: readonly Value[];
  readonly is_async: boolean;
}
function mma(
  viewOf: (op: Operation) => Mma,
  scalesOf: (op: Operation) => readonly Value[],
  product: (op: Operation, a: Tensor, b: Tensor, d: Tensor, scales: readonly Tensor[]) => Tensor,
): Rule {
  return (instruction) => {
    const { op, ins, outs } = instruction;
    const v = viewOf(op);
    const slot = slotFinder(instruction);
    const [a, b, d, useD, pred] = [v.a, v.b, v.d, v.useD, v.pred].map(slot);
    const scales = scalesOf(op).map(slot);
    const numBarriers = v.barriers.length;
    // The same value may be an operand twice: barriers are found by their place.
    const barriers = ins.slice(ins.length - 2 * numBarriers, ins.length - numBarriers);
    const preds = ins.slice(ins.length - numBarriers);
    return ({ env }, machine) => {
      const { shared } = machine;
      if (outs.length > 0) env[outs[0]!] = TOKEN;
      const issued = on(env, pred);
      if (issued) {
        const [left, right, acc] = [descAt(env, a), descAt(env, b), descAt(env, d)];
        const factors = scales.map((s) => descAt(env, s));
        const accumulate = on(env, useD);
        // What earlier ops of the tensor cores write is in order.
        for (const desc of [left, right]) shared.checkRead(op, desc, desc.buffer.op.name === "ttng.tmem_alloc");
        machine.charge(op, (left.at.length * right.shape.at(-1)!) >> 4);
        const running = enqueue(machine, op, [left, right, ...factors], [acc], () => {
          const zero = tensor(acc.element, acc.shape, acc.element.alloc(acc.at.length));
          const from = accumulate ? shared.peek(acc) : zero;
          shared.poke(
            acc,
            product(
              op,
              shared.peek(left),
              shared.peek(right),
              from,
              factors.map((f) => shared.peek(f)),
            ).data,
          );
        });
        if (!v.is_async) shared.end(running);
      }
      barriers.forEach((barrier, i) => {
        if (on(env, preds[i])) arriveWhenDone(machine, op, descAt(env, barrier), shared.lastMma);
      });
    };
  };
}
const mmaV5 = mma(
  (op) => ttng.TCGen5MMAOp.match(op)!,
  () => [],
  (_op, a, b, d) => dot(a, b, d, a.element.name === "f32" ? "tf32" : "ieee"),
);
const mmaV5Scaled = mma(
  (op) => ttng.TCGen5MMAScaledOp.match(op)!,
  (op) => {
    const v = ttng.TCGen5MMAScaledOp.match(op)!;
    return [v.a_scale, v.b_scale];
  },
  (op, a, b, d, [aScale, bScale]) => {
    const v = ttng.TCGen5MMAScaledOp.match(op)!;
    const packed = (value: Value, kDim: number) => {
      const { encoding } = (value.type as MemDesc).params;
      const transposed = NvmmaSharedEncoding.is(encoding) && encoding.params.transposed;
      // Along K, unless the layout says that K is not the fastest dimension.
      return transposed === (kDim === 0) ? kDim : 1 - kDim;
    };
    const left = scaled(unpacked(a, v.a_type as ScaledKind, packed(v.a, 1)), aScale, 1);
    const right = scaled(unpacked(b, v.b_type as ScaledKind, packed(v.b, 0)), bScale, 0);
    return dot(left, right, d, "ieee");
  },
);
const commit: Rule = (instruction) => {
  const { op } = instruction;
  const v = ttng.TCGen5CommitOp.match(op)!;
  const [barrier, pred] = [v.barrier, v.pred].map(slotFinder(instruction));
  return ({ env }, machine) => {
    if (on(env, pred)) arriveWhenDone(machine, op, descAt(env, barrier), machine.shared.lastMma);
  };
};

export const NVIDIA: readonly (readonly [OpDef, Rule])[] = [
  [ttng.FenceAsyncSharedOp, nothing],
  [ttng.ClusterArriveOp, nothing],
  [ttng.ClusterWaitOp, nothing],
  [ttng.InitBarrierOp, initBarrier],
  [ttng.InvalBarrierOp, invalBarrier],
  [ttng.BarrierExpectOp, barrierExpect],
  [ttng.WaitBarrierOp, waitBarrier],
  [ttng.ArriveBarrierOp, arriveBarrier],
  [ttng.AsyncCopyMbarrierArriveOp, copyArrive],
  [ttng.TensormapCreateOp, tensormapCreate],
  [ttng.TensormapFenceproxyAcquireOp, nothing],
  [ttng.ReinterpretTensorDescOp, reinterpretDesc],
  [ttng.AsyncTMACopyGlobalToLocalOp, tmaCopyIn],
  [ttng.AsyncTMAGatherOp, tmaGather],
  [ttng.AsyncTMACopyLocalToGlobalOp, tmaCopyOut],
  [ttng.AsyncTMAReduceOp, tmaReduce],
  [ttng.AsyncTMAScatterOp, tmaScatter],
  [ttng.TMAStoreWaitOp, tmaStoreWait],
  [ttng.WarpGroupDotOp, warpGroupDot],
  [ttng.WarpGroupDotWaitOp, warpGroupDotWait],
  [ttng.TMEMAllocOp, allocate],
  [ttng.TMEMLoadOp, loadShared],
  [ttng.TMEMStoreOp, tmemStore],
  [ttng.TMEMSubSliceOp, tmemSubSlice],
  [ttng.TMEMCopyOp, tmemCopy],
  [ttng.TCGen5MMAOp, mmaV5],
  [ttng.TCGen5MMAScaledOp, mmaV5Scaled],
  [ttng.TCGen5CommitOp, commit],
];
