/** How rules for elementwise ops are made from expressions, and the checks that all of them share. */
import { numElements } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Data, Element } from "../elements.js";
import type { Instruction, Rule, Run } from "../instructions.js";
import { loop } from "../loops.js";
import type { Machine } from "../machine.js";
import { filled, type Tensor, tensor, tensorSpec, type Val } from "../value.js";

/** The inputs to the choice of an expression: the elements of the result and of the operands, and the op. */
export interface Elementwise {
  readonly out: Element;
  readonly ins: readonly Element[];
  readonly op: Operation;
}

/** A tensor that an op may read: one that an asynchronous op is still computing is a finding. */
export function readable(machine: Machine, op: Operation, value: Val): Tensor {
  const t = value as Tensor;
  if (t.pending !== undefined && !t.pending.done)
    machine.findings.add("early-read", op, `${op.name} reads the result of ${t.pending.op.name} before it was waited for`);
  return t;
}

/** The rule of an op with one result, computed element by element from operands of the same shape. */
export function elementwise(expression: (types: Elementwise) => string): Rule {
  return (instruction) => elementwiseResult(instruction, 0, expression);
}

/** Computes one of the results of an op. */
export function elementwiseResult(instruction: Instruction, index: number, expression: (types: Elementwise) => string): Run {
  const { op, ins } = instruction;
  const { element, shape } = tensorSpec(op.result(index).type);
  const elements = op.operands.map((v) => tensorSpec(v.type).element);
  const run = loop(element, elements, expression({ out: element, ins: elements, op }));
  const total = numElements(shape);
  const out = instruction.outs[index]!;
  return ({ env }, machine) => {
    const args = ins.map((slot) => readable(machine, op, env[slot]!));
    const [a, b, c, d] = alike(args);
    // The scalars of a region may be many, side by side: see `runBlock`.
    const length = a ? a.data.length : total;
    machine.charge(op, length);
    const result = element.alloc(length);
    if (d) run(length, result, a!.data, b!.data, c!.data, d.data);
    else if (c) run(length, result, a!.data, b!.data, c.data);
    else if (b) run(length, result, a!.data, b.data);
    else if (a) run(length, result, a.data);
    else run(length, result);
    if (machine.checks.arithmetic && element.family === "float") findNewNaN(machine, op, element, result, [a, b, c, d]);
    env[out] = tensor(element, a ? a.shape : shape, result);
  };
}

/** Operands of the same length: a constant among vectors is repeated. */
export function alike(args: readonly Tensor[]): readonly Tensor[] {
  if (args.every((t) => t.data.length === args[0]!.data.length)) return args;
  const longest = args.reduce((x, y) => (y.data.length > x.data.length ? y : x));
  return args.map((t) => (t.data.length === longest.data.length ? t : filled(t.element, longest.shape, t.data[0]!)));
}

/** Says where a NaN is the result of numbers. */
function findNewNaN(machine: Machine, op: Operation, element: Element, result: Data, operands: readonly (Tensor | undefined)[]): void {
  if (machine.findings.has("nan-born", op)) return;
  const valueOf = (e: Element, raw: number | bigint | undefined) => (e.decode ? e.decode[raw as number]! : Number(raw));
  for (let i = 0; i < result.length; i++) {
    if (!Number.isNaN(valueOf(element, result[i]))) continue;
    if (operands.some((t) => t && t.element.family === "float" && Number.isNaN(valueOf(t.element, t.data[i])))) continue;
    const inputs = operands.flatMap((t) => (t ? [String(valueOf(t.element, t.data[i]))] : []));
    return machine.findings.add("nan-born", op, `element ${i} of ${op.name}(${inputs.join(", ")}) is NaN`);
  }
}

/** The rule of an op whose results are functions of its operands' values. */
export function pure(make: (op: Operation) => (args: readonly Tensor[], machine: Machine) => Val | readonly Val[]): Rule {
  return ({ op, ins, outs }) => {
    const compute = make(op);
    return ({ env }, machine) => {
      const results = compute(
        ins.map((slot) => readable(machine, op, env[slot]!)),
        machine,
      );
      if (Array.isArray(results)) for (let i = 0; i < outs.length; i++) env[outs[i]!] = (results as readonly Val[])[i]!;
      else env[outs[0]!] = results as Val;
    };
  };
}

/** An operand as an unsigned number, in an expression. */
export function unsigned(element: Element, name: string): string {
  if (element.big) return `BigInt.asUintN(${element.width}, ${name})`;
  return element.width === 32 ? `(${name} >>> 0)` : `(${name} & ${2 ** element.width - 1})`;
}
