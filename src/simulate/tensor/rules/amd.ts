/** amdg: waits, tiles, upcasts and hints of AMD's GPUs. Accesses by buffers are in `memory.ts` and `shared.ts`. */
import { asyncInstructions } from "../../../analysis/amd-async-instructions.js";
import { moduleAxisInfo } from "../../../analysis/module-axis-info.js";
import * as amdg from "../../../dialects/amdg/ops/index.js";
import * as rocdl from "../../../dialects/rocdl/ops/synchronization.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { encodingOf, numElements } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { F32 } from "../elements.js";
import type { Rule } from "../instructions.js";
import { type ScaledKind, scaled, unpacked } from "../microscaling.js";
import type { MemDescValue } from "../shared-memory.js";
import { gathered, positions, rowMajorStrides, strided, type Tensor, TOKEN, tensor, tensorSpec } from "../value.js";
import { castFloat } from "./arith.js";
import { pure } from "./elementwise.js";
import { barrier, nothing } from "./shared.js";

/** Copies are counted by the instructions of a thread, the latest first, and complete in their order. */
const asyncWait: Rule = ({ op, outs }, program) => {
  const { num_inst } = amdg.AsyncWaitOp.match(op)!;
  const axes = moduleAxisInfo.compute(program.module);
  return ({ env }, machine) => {
    const { async } = machine.current;
    const copies = [...async.groups.flat(), ...async.open];
    let underWay = 0;
    let first = copies.length;
    while (first > 0 && (underWay += asyncInstructions(copies[first - 1]!.op, axes)!) <= num_inst) first--;
    for (const { end } of copies.slice(0, first)) end();
    const rest = new Set(copies.slice(first));
    async.groups = async.groups.map((group) => group.filter((copy) => rest.has(copy)));
    async.open = async.open.filter((copy) => rest.has(copy));
    env[outs[0]!] = TOKEN;
  };
};

const extractSlice: Rule = pure((op) => {
  const { source, static_offsets } = amdg.ExtractSliceOp.match(op)!;
  const { element, shape } = tensorSpec(op.result(0).type);
  const strides = rowMajorStrides(tensorSpec(source.type).shape);
  const start = static_offsets.reduce((sum, offset, d) => sum + Number(offset) * strides[d]!, 0);
  const at = positions(shape, strides, start);
  return ([from], machine) => {
    const data = gathered(element, from!.data, at);
    machine.bounds?.taken(from!.data, at, data);
    return tensor(element, shape, data);
  };
});

/** Tiles come in row-major order. */
const concat: Rule = pure((op) => {
  const { element, shape } = tensorSpec(op.result(0).type);
  const tile = tensorSpec(op.operand(0).type).shape;
  const strides = rowMajorStrides(shape);
  const counts = shape.map((extent, d) => extent / tile[d]!);
  const tileStrides = strides.map((stride, d) => stride * tile[d]!);
  const starts = positions(counts, tileStrides);
  return (sources) => {
    const data = element.alloc(numElements(shape));
    sources.forEach((source, i) => {
      strided(tile, strides, starts[i]!, (from, to) => {
        data[to] = source.data[from]!;
      });
    });
    return tensor(element, shape, data);
  };
});

/** Floats of 4 bits that lie in pairs along rows or columns of the operand are packed in pairs along K. */
const loadPackedTransposed: Rule = ({ op, ins, outs }) => {
  const { element, shape } = tensorSpec(op.result(0).type);
  const dot = encodingParams(encodingOf(op.result(0).type));
  const isA = dot?.kind === "dot_op" && dot.opIdx === 0;
  const [rows, columns] = shape.slice(-2) as [number, number];
  const width = isA ? 2 * columns : columns / 2;
  return ({ env }, machine) => {
    const { data } = machine.shared.read(op, env[ins[0]!] as MemDescValue);
    const size = rows * columns;
    const out = element.alloc(data.length);
    const half = (z: number, r: number, c: number) =>
      isA ? (Number(data[z + (r >> 1) * width + c]) >> (4 * (r & 1))) & 15 : (Number(data[z + r * width + (c >> 1)]) >> (4 * (c & 1))) & 15;
    for (let i = 0; i < out.length; i++) {
      const [z, r, c] = [i - (i % size), Math.floor((i % size) / columns), i % columns];
      const pair = isA ? [half(z, r, 2 * c), half(z, r, 2 * c + 1)] : [half(z, 2 * r, c), half(z, 2 * r + 1, c)];
      out[i] = (((pair[0]! | (pair[1]! << 4)) << 24) >> 24) as never;
    }
    env[outs[0]!] = tensor(element, shape, out);
  };
};

const KINDS: Readonly<Record<string, ScaledKind>> = { f8E4M3FN: "e4m3", f8E5M2: "e5m2", bf16: "bf16", f16: "fp16" };
/** Bytes without a type of their own hold `ofBytes`. */
const kindOf = (value: Value, ofBytes: ScaledKind): ScaledKind => KINDS[tensorSpec(value.type).element.name] ?? ofBytes;

const upcastMXFP: Rule = pure((op) => {
  const { src, fp_type } = amdg.UpcastMXFPOp.match(op)!;
  const dot = encodingParams(encodingOf(src.type));
  const kDim = dot?.kind === "dot_op" && dot.opIdx === 1 ? 0 : 1;
  const rank = tensorSpec(src.type).shape.length;
  const kind = kindOf(src, fp_type as ScaledKind);
  return ([values, scale]) => castFloat(op, "rn", scaled(unpacked(values!, kind, rank - 2 + kDim), scale, kDim));
});
const scaledUpcast: Rule = pure((op) => {
  const axis = amdg.ScaledUpcastFp4Op.match(op)?.axis ?? 0;
  const kind = kindOf(op.operand(0), "e2m1");
  return ([input, scale]) => castFloat(op, "rn", times(unpacked(input!, kind, axis), scale!));
});
function times(values: Tensor, scale: Tensor): Tensor {
  const { decode } = scale.element;
  const product = Float32Array.from(values.data as Float32Array, (x, i) => x * decode![scale.data[i] as number]!);
  return tensor(F32, values.shape, product);
}

export const AMD: readonly (readonly [OpDef, Rule])[] = [
  [amdg.AsyncWaitOp, asyncWait],
  [amdg.ExtractSliceOp, extractSlice],
  [amdg.ConcatOp, concat],
  [
    amdg.InThreadTransposeOp,
    pure(
      () =>
        ([src]) =>
          src!,
    ),
  ],
  [amdg.LocalLoadPackedTransposedOp, loadPackedTransposed],
  [amdg.UpcastMXFPOp, upcastMXFP],
  [amdg.ScaledUpcastFp4Op, scaledUpcast],
  [amdg.ScaledUpcastFp8Op, scaledUpcast],
  [amdg.CondBarrierOp, barrier],
  [rocdl.BarrierOp, barrier],
  [rocdl.SBarrierOp, barrier],
  ...[
    amdg.InstructionSchedHintOp,
    amdg.MemoryCounterWaitOp,
    rocdl.SWaitcntOp,
    rocdl.SSleepOp,
    rocdl.SetPrioOp,
    rocdl.SchedBarrierOp,
    rocdl.SchedGroupBarrierOp,
    rocdl.IglpOptOp,
  ].map((op) => [op as OpDef, nothing] as const),
];
