/** ttng: copies between global and shared memory by tensor maps (TMA). */

import { signlessBlockType } from "../../../dialects/tt/types.js";
import { NvmmaSharedEncoding } from "../../../dialects/ttg/encodings/index.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import * as ttng from "../../../dialects/ttng/ops/index.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { elementOfType } from "../elements.js";
import { writeElements } from "../global-access.js";
import type { TensorDesc } from "../global-block.js";
import { type Instruction, operandsOf, type Rule } from "../instructions.js";
import type { Machine } from "../machine.js";
import { type Barrier, bytesPerCTA, type MemDescValue } from "../shared-memory.js";
import { numberAt, type Tensor, type Val } from "../value.js";
import { blockAccess, type DescAccess, numbers, readBlock, reduceBlock, rowsAccess } from "./descriptors.js";
import { readable } from "./elementwise.js";
import { nothing } from "./shared.js";
import { descAt, on, slotFinder } from "./slots.js";

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
    tmaLoad(
      machine,
      op,
      source,
      blockAccess(machine, op, source, at),
      descAt(env, result),
      machine.shared.barrier(op, descAt(env, barrier)),
      bytes,
    );
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
    const access = rowsAccess(machine, op, source, readable(machine, op, env[rows!]!), numberAt(env[column!] as Tensor), dst.shape[1]!);
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
    const { addresses, mask } = blockAccess(
      machine,
      op,
      desc,
      coordinates(v.desc, numbers(ins.slice(1, 1 + v.coord.length).map((s) => env[s]!))),
    );
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
      blockAccess(machine, op, desc, numbers(ins.slice(1, 1 + v.coord.length).map((s) => env[s]!))),
      value.data,
    );
  },
  (op) => ttng.AsyncTMAReduceOp.match(op)!.src,
);
const tmaScatter = tmaStore(
  (machine, { op, ins }, env, value) => {
    const desc = env[ins[0]!] as TensorDesc;
    const { addresses, mask } = rowsAccess(
      machine,
      op,
      desc,
      readable(machine, op, env[ins[1]!]!),
      numberAt(env[ins[2]!] as Tensor),
      value.shape[1]!,
    );
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

export const TMA: readonly (readonly [OpDef, Rule])[] = [
  [ttng.TensormapCreateOp, tensormapCreate],
  [ttng.TensormapFenceproxyAcquireOp, nothing],
  [ttng.ReinterpretTensorDescOp, reinterpretDesc],
  [ttng.AsyncTMACopyGlobalToLocalOp, tmaCopyIn],
  [ttng.AsyncTMAGatherOp, tmaGather],
  [ttng.AsyncTMACopyLocalToGlobalOp, tmaCopyOut],
  [ttng.AsyncTMAReduceOp, tmaReduce],
  [ttng.AsyncTMAScatterOp, tmaScatter],
  [ttng.TMAStoreWaitOp, tmaStoreWait],
];
