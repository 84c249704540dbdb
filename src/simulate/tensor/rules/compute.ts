/** Products, reductions, scans, and ops with a region or a library function for each element. */
import * as arith from "../../../dialects/arith/ops/index.js";
import * as tt from "../../../dialects/tt/ops/index.js";
import { NvidiaMmaEncoding } from "../../../dialects/ttg/encodings/index.js";
import * as ttg from "../../../dialects/ttg/ops/index.js";
import * as tti from "../../../dialects/tti/ops/index.js";
import type { Block } from "../../../ir/block.js";
import { elementTypeOrSelf, encodingOf, isFloat, numElements } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { Elementwise as ElementwiseTrait } from "../../../ir/traits.js";
import { libdeviceExpression } from "../../libdevice.js";
import { product, unsignedBytes } from "../dot-product.js";
import type { Data, Element } from "../elements.js";
import { type BlockCode, operandsOf, type Program, type Rule, setResults } from "../instructions.js";
import { type Machine, Stop } from "../machine.js";
import { type ScaledKind, scaled, unpacked } from "../microscaling.js";
import { gathered, positions, rowMajorStrides, scalar, type Tensor, tensor, tensorSpec, type Val } from "../value.js";
import { castFloat } from "./arith.js";
import { leave } from "./control-flow.js";
import { elementwise, pure, readable } from "./elementwise.js";

const dotOp: Rule = pure((op) => {
  const { inputPrecision, a, d } = tt.DotOp.match(op)!;
  const isExact = (inputPrecision === "ieee" || inputPrecision === "bf16x6") && isFloat(elementTypeOrSelf(a.type), "f32");
  // Products become multiply-adds of f32 in Gluon's blocked layouts, and before sm_80, where no tensor core takes tf32.
  const onTensorCores = op.ctx.language === "triton" || NvidiaMmaEncoding.is(encodingOf(d.type));
  return ([a, b, c], machine) => {
    machine.charge(op, (a!.data.length * b!.shape.at(-1)!) >> 4);
    const isTf32 = inputPrecision === "tf32" && (machine.gpu.cuda?.tf32 ?? machine.gpu.hip?.xf32) && onTensorCores;
    return product(machine, a!, b!, c!, isTf32 ? "tf32" : isExact ? "f32" : "ieee");
  };
});

const dotI8: Rule = pure((op) => {
  const { aSigned, bSigned } = tti.DotI8Op.match(op)!;
  const numbers = (bytes: Tensor, signed: boolean): Tensor => (signed ? bytes : unsignedBytes(bytes));
  return ([a, b, c], machine) => {
    machine.charge(op, (a!.data.length * b!.shape.at(-1)!) >> 4);
    return product(machine, numbers(a!, aSigned), numbers(b!, bSigned), c!, "ieee");
  };
});

const dotScaled: Rule = (instruction) => {
  const view = tt.DotScaledOp.match(instruction.op)!;
  const { op, ins } = instruction;
  const slot = (v: Operation["results"][number] | undefined) => (v ? ins[op.operands.indexOf(v)] : undefined);
  const slots = [view.a, view.b, view.c, view.a_scale, view.b_scale].map(slot);
  const rank = tensorSpec(view.a.type).shape.length;
  return ({ env }, machine) => {
    const [a, b, c, aScale, bScale] = slots.map((s) => (s === undefined ? undefined : readable(machine, op, env[s]!)));
    const left = scaled(unpacked(a!, view.a_elem_type as ScaledKind, view.lhs_k_pack ? rank - 1 : rank - 2), aScale, 1);
    const right = scaled(unpacked(b!, view.b_elem_type as ScaledKind, view.rhs_k_pack ? rank - 2 : rank - 1), bScale, 0);
    env[instruction.outs[0]!] = product(machine, left, right, c!, "ieee");
  };
};

const fp4ToFp: Rule = pure((op) => {
  const { axis } = ttg.Fp4ToFpOp.match(op)!;
  return ([src]) => castFloat(op, "rn", unpacked(src!, "e2m1", axis));
});

/** Whether a block only computes, so that it can run on vectors in place of scalars; the front end leaves a call in it. */
function onlyComputes(block: Block, program: Program, depth = 0): boolean {
  if (depth > 4 || block.lastOp!.successors.length > 0) return false;
  for (const op of block.ops()) {
    const callee = tt.CallOp.match(op)?.callee;
    const body = callee === undefined ? undefined : program.function(callee)?.regions[0]?.firstBlock;
    if (body ? onlyComputes(body, program, depth + 1) : op === block.lastOp || computes(op)) continue;
    return false;
  }
  return true;
}
const computes = ({ def }: Operation): boolean => def.traits.has(ElementwiseTrait) || def.isConstantLike || def === arith.SelectOp;

/** The elements with `axis` in front: rows are places along it. */
function axisFirst({ bounds }: Machine, t: Tensor, axis: number): Data {
  const { shape } = t;
  if (axis === 0) return t.data;
  const order = [axis, ...shape.keys()].filter((d, i) => i === 0 || d !== axis);
  const strides = rowMajorStrides(shape);
  const at = positions(
    order.map((d) => shape[d]!),
    order.map((d) => strides[d]!),
  );
  const data = gathered(t.element, t.data, at);
  bounds?.taken(t.data, at, data);
  return data;
}
/** The other way round: `data` has `axis` in front. */
function axisBack({ bounds }: Machine, element: Element, data: Data, shape: readonly number[], axis: number): Data {
  if (axis === 0) return data;
  const strides = rowMajorStrides([shape[axis]!, ...shape.filter((_, d) => d !== axis)]);
  const order = shape.map((_, d) => (d === axis ? 0 : d < axis ? d + 1 : d));
  const at = positions(
    shape,
    order.map((d) => strides[d]!),
  );
  const back = gathered(element, data, at);
  bounds?.taken(data, at, back);
  return back;
}
/** Sets `to` from `at` on to what `from` holds from `begin` to `end`. */
function copy({ bounds }: Machine, from: Data, begin: number, end: number, to: Data, at: number): void {
  to.set(from.subarray(begin, end) as never, at);
  bounds?.copied(from, begin, end, to, at);
}
/** A part of `data` as a scalar. */
function scalarOf(machine: Machine, { element, data }: Tensor, i: number): Tensor {
  const one = scalar(element, data[i]!);
  machine.bounds?.copied(data, i, i + 1, one.data, 0);
  return one;
}

/** Combines vectors `a` and `b` by the region: at once where it only computes, else place by place. */
function combine(
  machine: Machine,
  code: BlockCode,
  env: Val[],
  vector: boolean,
  elements: readonly Element[],
  a: readonly Data[],
  b: readonly Data[],
): Data[] {
  const length = a[0]!.length;
  const args = [...a, ...b].map((data, i) => tensor(elements[i % elements.length]!, [length], data));
  if (vector || length === 1) return machine.runBlock(code, env, args).map((v) => repeated(v as Tensor, length));
  const out = elements.map((e) => e.alloc(length));
  for (let i = 0; i < length; i++) {
    const results = machine.runBlock(
      code,
      env,
      args.map((t) => scalarOf(machine, t, i)),
    );
    results.forEach((v, k) => copy(machine, (v as Tensor).data, 0, 1, out[k]!, i));
  }
  return out;
}
/** A region may return a constant. */
const repeated = (t: Tensor, length: number): Data =>
  t.data.length === length ? t.data : (t.element.alloc(length).fill(t.data[0]! as never) as Data);

/** Neighbours are combined, then neighbouring pairs, and so on: the order of elements is kept, and they are a power of two. */
const reduce: Rule = (instruction, program) => {
  const { op } = instruction;
  const { axis } = tt.ReduceOp.match(op)!;
  const block = op.regions[0]!.firstBlock!;
  const code = program.block(block);
  const vector = onlyComputes(block, program);
  const specs = op.results.map((r) => tensorSpec(r.type));
  return (frame, machine) => {
    const srcs = operandsOf(frame, instruction).map((v) => readable(machine, op, v));
    const elements = srcs.map((t) => t.element);
    let rows = srcs.map((t) => axisFirst(machine, t, axis));
    let count = srcs[0]!.shape[axis]!;
    const width = rows[0]!.length / count;
    machine.charge(op, rows[0]!.length);
    while (count > 1) {
      const half = count >> 1;
      const pick = (odd: number) =>
        rows.map((data, k) => {
          const part = elements[k]!.alloc(half * width);
          for (let i = 0; i < half; i++) {
            const from = 2 * i + odd;
            copy(machine, data, from * width, (from + 1) * width, part, i * width);
          }
          return part;
        });
      rows = combine(machine, code, frame.env, vector, elements, pick(0), pick(1));
      count = half;
    }
    setResults(
      frame,
      instruction,
      rows.map((data, k) => tensor(elements[k]!, specs[k]!.shape, data)),
    );
  };
};

const scan: Rule = (instruction, program) => {
  const { op } = instruction;
  const { axis, reverse } = tt.ScanOp.match(op)!;
  const block = op.regions[0]!.firstBlock!;
  const code = program.block(block);
  const vector = onlyComputes(block, program);
  return (frame, machine) => {
    const srcs = operandsOf(frame, instruction).map((v) => readable(machine, op, v));
    const elements = srcs.map((t) => t.element);
    const { shape } = srcs[0]!;
    const rows = srcs.map((t) => axisFirst(machine, t, axis));
    const count = shape[axis]!;
    const width = rows[0]!.length / count;
    const out = rows.map((data, k) => elements[k]!.alloc(data.length));
    machine.charge(op, rows[0]!.length);
    const rowAt = (i: number) =>
      rows.map((data, k) => {
        const row = elements[k]!.alloc(width);
        copy(machine, data, i * width, (i + 1) * width, row, 0);
        return row;
      });
    let total: Data[] | undefined;
    for (let step = 0; step < count; step++) {
      const i = reverse ? count - 1 - step : step;
      const row = rowAt(i);
      // The region sees what came before on the left.
      total = total ? combine(machine, code, frame.env, vector, elements, total, row) : row;
      total.forEach((data, k) => copy(machine, data, 0, width, out[k]!, i * width));
    }
    setResults(
      frame,
      instruction,
      out.map((data, k) => tensor(elements[k]!, shape, axisBack(machine, elements[k]!, data, shape, axis))),
    );
  };
};

/** `pack` neighbouring elements of each operand at a time. */
const mapElementwise: Rule = (instruction, program) => {
  const { op } = instruction;
  const { pack } = tt.MapElementwiseOp.match(op)!;
  const code = program.block(op.regions[0]!.firstBlock!);
  const specs = op.results.map((r) => tensorSpec(r.type));
  return (frame, machine) => {
    const srcs = operandsOf(frame, instruction).map((v) => readable(machine, op, v));
    const out = specs.map(({ element, shape }) => element.alloc(numElements(shape)));
    for (let i = 0; i < srcs[0]!.data.length; i += pack) {
      const args = srcs.flatMap((t) => Array.from({ length: pack }, (_, k) => scalarOf(machine, t, i + k)));
      machine.runBlock(code, frame.env, args).forEach((v, k) => {
        copy(machine, (v as Tensor).data, 0, 1, out[Math.floor(k / pack)]!, i + (k % pack));
      });
    }
    setResults(
      frame,
      instruction,
      out.map((data, k) => tensor(specs[k]!.element, specs[k]!.shape, data)),
    );
  };
};

/** Which bin a value beyond the bins counts in, Triton does not say: here as in the code that it is lowered to. */
const histogram: Rule = pure((op) => {
  const { element, shape } = tensorSpec(op.result(0).type);
  return ([src, mask], { gpu }) => {
    const bins = element.alloc(shape[0]!);
    const lowBits = BigInt(Math.max(bins.length, gpu.warpSize) - 1);
    for (let i = 0; i < src!.data.length; i++) {
      if (mask && !mask.data[i]) continue;
      const value = BigInt(src!.data[i]!);
      const bin = Number(op.ctx.triton.countsOneByOne ? value : value & lowBits);
      if (bin < 0 || bin >= bins.length) continue;
      bins[bin] = (element.big ? BigInt(bins[bin]!) + 1n : Number(bins[bin]!) + 1) as never;
    }
    return tensor(element, shape, bins);
  };
});

const gather: Rule = pure((op) => {
  const { axis } = tt.GatherOp.match(op)!;
  const from = tensorSpec(op.operand(0).type).shape;
  const { shape } = tensorSpec(op.result(0).type);
  const strides = rowMajorStrides(from);
  const start = positions(
    shape,
    strides.map((s, d) => (d === axis ? 0 : s)),
  );
  return ([src, indices], machine) => {
    const { element } = src!;
    const data = element.alloc(start.length);
    const { width } = indices!.element;
    for (let i = 0; i < data.length; i++) {
      // Indices have no sign: a byte reaches 255.
      const given = Number(indices!.data[i]);
      const index = given < 0 ? given + 2 ** width : given;
      if (index < from[axis]!) data[i] = src!.data[start[i]! + index * strides[axis]!]!;
      else machine.findings.add("bad-index", op, `index ${index} is not below the ${from[axis]} elements that are gathered from`);
    }
    return tensor(element, shape, data);
  };
});

const externElementwise: Rule = (instruction, program) => {
  const { op } = instruction;
  const { symbol } = tt.ExternElementwiseOp.match(op)!;
  const expression = libdeviceExpression(symbol);
  if (expression === undefined) throw new Stop("not-modelled", `the library function ${symbol} is not modelled`, op);
  return elementwise(() => expression)(instruction, program);
};

const print: Rule = (instruction) => {
  const { op } = instruction;
  const { prefix, hex } = tt.PrintOp.match(op)!;
  return (frame, machine) => {
    const program = machine.program.join(", ");
    operandsOf(frame, instruction).forEach((value, k) => {
      const { data, element } = readable(machine, op, value);
      const text = (raw: number | bigint) => {
        if (hex)
          return `0x${BigInt.asUintN(element.width, BigInt(Math.trunc(Number(raw))))
            .toString(16)
            .padStart(element.bytes * 2, "0")}`;
        return String(element.decode ? element.decode[raw as number] : raw);
      };
      // A print of many elements is cut: this is for reading.
      const shown = Array.from(data.subarray(0, 8) as Float32Array, text).join(" ");
      machine.printed.push(`pid (${program}) ${prefix}(operand ${k}) ${shown}${data.length > 8 ? ` ... (${data.length})` : ""}`);
    });
  };
};

export const COMPUTE: readonly (readonly [OpDef, Rule])[] = [
  [tt.DotOp, dotOp],
  [tti.DotI8Op, dotI8],
  [tt.DotScaledOp, dotScaled],
  [ttg.Fp4ToFpOp, fp4ToFp],
  [tt.ReduceOp, reduce],
  [tt.ReduceReturnOp, leave],
  [tt.ScanOp, scan],
  [tt.ScanReturnOp, leave],
  [tt.MapElementwiseOp, mapElementwise],
  [tt.MapElementwiseReturnOp, leave],
  [tt.HistogramOp, histogram],
  [tt.GatherOp, gather],
  [tt.ExternElementwiseOp, externElementwise],
  [tt.PrintOp, print],
];
