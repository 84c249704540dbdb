/** ttng: wgmma, tensor memory and tcgen05, which work on while the program goes on. */

import { NvmmaSharedEncoding } from "../../../dialects/ttg/encodings/index.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import * as ttng from "../../../dialects/ttng/ops/index.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { product as productOf, unsignedBytes } from "../dot-product.js";
import { ELEMENTARY } from "../elementary.js";
import { operandsOf, type Rule } from "../instructions.js";
import type { Machine } from "../machine.js";
import { type ScaledKind, scaled, unpacked } from "../microscaling.js";
import type { AsyncOp, MemDescValue } from "../shared-memory.js";
import { positions, rowMajorStrides, type Tensor, TOKEN, tensor, tensorSpec, type Val } from "../value.js";
import { readable } from "./elementwise.js";
import { allocate, loadShared, view } from "./shared.js";
import { descAt, on, slotFinder } from "./slots.js";

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
    const result = productOf(machine, left, right, from, precision);
    const reads = [env[a!]!, env[b!]!].filter((x): x is MemDescValue => x.form === "memdesc");
    const running = shared.begin({ op, reads, effect: () => {} });
    if (v.isAsync) machine.current.dots.push(running);
    else shared.end(running);
    env[outs[0]!] = v.isAsync ? { ...result, pending: running } : result;
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

/** A load; where it reduces too, the minimum or maximum of each row. */
const loadTensorMemory: Rule = (instruction, program) => {
  const { op, outs } = instruction;
  const load = loadShared(instruction, program);
  const { redOp, abs, NaN: keepsNaN, token, red } = ttng.TMEMLoadOp.match(op)!;
  if (!redOp) return load;
  const extremum = { min: keepsNaN ? Math.min : ELEMENTARY.minnum, max: keepsNaN ? Math.max : ELEMENTARY.maxnum }[redOp];
  const { shape } = tensorSpec(red!.type);
  return (frame, machine) => {
    load(frame, machine);
    const { element, data } = frame.env[outs[0]!] as Tensor;
    const columns = data.length / shape[0]!;
    const rows = element.alloc(shape[0]!);
    for (let row = 0; row < rows.length; row++) {
      const at = (column: number): number => (abs ? Math.abs(Number(data[row * columns + column])) : Number(data[row * columns + column]));
      let value = at(0);
      for (let column = 1; column < columns; column++) value = extremum(value, at(column));
      rows[row] = value as never;
    }
    if (token) frame.env[outs[1]!] = TOKEN;
    frame.env[outs.at(-1)!] = tensor(element, shape, rows);
  };
};

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
  product: (machine: Machine, op: Operation, a: Tensor, b: Tensor, d: Tensor, scales: readonly Tensor[]) => Tensor,
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
        // Tensor cores work in order, so their own earlier writes need no wait.
        for (const desc of [left, right]) shared.checkRead(op, desc, desc.buffer.op.name === "ttng.tmem_alloc");
        machine.charge(op, (left.at.length * right.shape.at(-1)!) >> 4);
        const running = enqueue(machine, op, [left, right, ...factors], [acc], () => {
          const zero = tensor(acc.element, acc.shape, acc.element.alloc(acc.at.length));
          const from = accumulate ? shared.peek(acc) : zero;
          shared.poke(
            acc,
            product(
              machine,
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
  (machine, op, ...operands) => {
    const [a, b, d] = operands;
    const { is_unsigned } = ttng.TCGen5MMAOp.match(op)!;
    if (is_unsigned && a.element.name === "i8") return productOf(machine, unsignedBytes(a), unsignedBytes(b), d, "ieee");
    return productOf(machine, a, b, d, a.element.name === "f32" ? "tf32" : "ieee");
  },
);
const mmaV5Scaled = mma(
  (op) => ttng.TCGen5MMAScaledOp.match(op)!,
  (op) => {
    const v = ttng.TCGen5MMAScaledOp.match(op)!;
    return [v.a_scale, v.b_scale];
  },
  (machine, op, a, b, d, [aScale, bScale]) => {
    const v = ttng.TCGen5MMAScaledOp.match(op)!;
    const packed = (value: Value, kDim: number) => {
      const { encoding } = (value.type as MemDesc).params;
      const transposed = NvmmaSharedEncoding.is(encoding) && encoding.params.transposed;
      // Along K, unless the layout says that K is not the fastest dimension.
      return transposed === (kDim === 0) ? kDim : 1 - kDim;
    };
    const left = scaled(unpacked(a, v.a_type as ScaledKind, packed(v.a, 1)), aScale, 1);
    const right = scaled(unpacked(b, v.b_type as ScaledKind, packed(v.b, 0)), bScale, 0);
    return productOf(machine, left, right, d, "ieee");
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

export const TENSOR_CORES: readonly (readonly [OpDef, Rule])[] = [
  [ttng.WarpGroupDotOp, warpGroupDot],
  [ttng.WarpGroupDotWaitOp, warpGroupDotWait],
  [ttng.TMEMAllocOp, allocate],
  [ttng.TMEMLoadOp, loadTensorMemory],
  [ttng.TMEMStoreOp, tmemStore],
  [ttng.TMEMSubSliceOp, tmemSubSlice],
  [ttng.TMEMCopyOp, tmemCopy],
  [ttng.TCGen5MMAOp, mmaV5],
  [ttng.TCGen5MMAScaledOp, mmaV5Scaled],
  [ttng.TCGen5CommitOp, commit],
];
