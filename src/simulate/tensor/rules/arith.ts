/** arith: integers wrap to their width, narrow floats are computed in double and rounded once. */

import { IntegerOverflowAttr, OVERFLOW } from "../../../dialects/arith/attrs.js";
import * as arith from "../../../dialects/arith/ops/index.js";
import { DenseElementsAttr, FloatAttr, IntegerAttr } from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf, FloatType } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { Bug } from "../../../support/assert.js";
import { encode, type Rounding } from "../../numbers/small-float.js";
import { type Element, elementOfType, F32, smallKind } from "../elements.js";
import type { Rule, Run } from "../instructions.js";
import { loop } from "../loops.js";
import { rawOfBits, reinterpreted, scalar, type Tensor, tensor, tensorOfDense, tensorSpec } from "../value.js";
import { alike, type Elementwise, elementwise, elementwiseResult, pure, readable, unsigned } from "./elementwise.js";

const zero = (e: Element): string => (e.big ? "0n" : "0");
const u = (e: Element) => ({ a: unsigned(e, "a"), b: unsigned(e, "b") });
/** An expression of both operands, that differs for bigints. */
const ints = (small: (e: Element) => string, big = small): Rule =>
  elementwise(({ out, ins }) => ((ins[0] ?? out).big ? big(ins[0]!) : small(ins[0]!)));
const same = (expression: string): Rule => elementwise(() => expression);

/** A division whose divisor is zero gives 0, or -1 where `checks.quotients` asks for another number, and a note. */
function division(small: (e: Element) => string, big: (e: Element) => string): Rule {
  return (instruction) => {
    const { op } = instruction;
    const make = (byZero: string) =>
      elementwiseResult(instruction, 0, ({ ins: [e] }) => `b == 0 ? ${byZero}${e!.big ? "n" : ""} : ${e!.big ? big(e!) : small(e!)}`);
    const usual = make("0");
    let other: Run | undefined;
    return (frame, machine) => {
      const divisor = readable(machine, op, frame.env[instruction.ins[1]!]!);
      if (divisor.data.includes(zeroOf(divisor) as never)) machine.findings.add("division-by-zero", op, `${op.name} divides by zero`);
      if (machine.checks.quotients) other ??= make("-1");
      ((machine.checks.quotients && other) || usual)(frame, machine);
    };
  };
}
const zeroOf = (t: Tensor): number | bigint => (t.element.big ? 0n : 0);

/** Addition, subtraction and multiplication: what overflows although the op says `nsw` is noted. */
function overflowing(small: (e: Element) => string, big: string, exact: string): Rule {
  return (instruction) => {
    const { op } = instruction;
    const run = elementwiseResult(instruction, 0, ({ out }) => (out.big ? big : small(out)));
    const flags = IntegerOverflowAttr.match(op.attr("overflowFlags"))?.params.flags ?? 0;
    const { element } = tensorSpec(op.result(0).type);
    if ((flags & OVERFLOW.nsw) === 0) return run;
    const text = element.big ? exact : exact.replaceAll("a", "BigInt(a)").replaceAll("b", "BigInt(b)");
    const limit = 2n ** BigInt(element.width - 1);
    const check = loop(
      overflowFlag,
      [element, element],
      `(() => { const x = ${text}; return x >= ${limit}n || x < -${limit}n ? -1 : 0; })()`,
    );
    return (frame, machine) => {
      run(frame, machine);
      if (!machine.checks.arithmetic) return;
      const [a, b] = instruction.ins.map((slot) => frame.env[slot] as Tensor);
      const overflows = new Int8Array(a!.data.length);
      check(overflows.length, overflows, a!.data, b!.data);
      const at = overflows.indexOf(-1);
      if (at >= 0) machine.findings.add("overflow", op, `${op.name} of ${a!.data[at]} and ${b!.data[at]} overflows, though it says nsw`);
    };
  };
}
const overflowFlag: Element = tensorSpecOfBool();
function tensorSpecOfBool(): Element {
  return {
    name: "flag",
    family: "float",
    width: 8,
    bytes: 1,
    alloc: (n) => new Int8Array(n),
    big: false,
    decode: undefined,
    encode: undefined,
  };
}

const shiftTooFar = (e: Element): string => (e.big ? `(b < 0n || b >= ${e.width}n)` : `(b < 0 || b >= ${e.width})`);

const COMPARE_INTS: readonly string[] = ["a === b", "a !== b", "a < b", "a <= b", "a > b", "a >= b"];
const CMP_I = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"] as const;
function compareInts({ ins: [e], op }: Elementwise): string {
  const predicate = String(arith.CmpIOp.match(op)!.predicate);
  const at = CMP_I.indexOf(predicate as (typeof CMP_I)[number]);
  const text = COMPARE_INTS[at < 6 ? at : at - 4]!;
  const operands = at < 6 ? text : text.replace("a", "x").replace("b", unsigned(e!, "b")).replace("x", unsigned(e!, "a"));
  return `${operands} ? -1 : 0`;
}
/** By predicate; a NaN makes unordered ones true. */
const COMPARE_FLOATS: Readonly<Record<string, string>> = {
  false: "false",
  oeq: "a === b",
  ogt: "a > b",
  oge: "a >= b",
  olt: "a < b",
  ole: "a <= b",
  one: "a < b || a > b",
  ord: "a === a && b === b",
  ueq: "!(a < b || a > b)",
  ugt: "!(a <= b)",
  uge: "!(a < b)",
  ult: "!(a >= b)",
  ule: "!(a > b)",
  une: "a !== b",
  uno: "a !== a || b !== b",
  true: "true",
};

const extendSigned = elementwise(({ out, ins: [e] }) => (out.big && !e!.big ? "BigInt(a)" : "a"));
const extendUnsigned = elementwise(({ out, ins: [e] }) => (out.big && !e!.big ? `BigInt(${unsigned(e!, "a")})` : unsigned(e!, "a")));
const truncate = elementwise(({ out, ins: [e] }) => (e!.big && !out.big ? "Number(BigInt.asIntN(32, a))" : "a"));
const castIndex =
  (extend: Rule): Rule =>
  (instruction, program) => {
    const from = tensorSpec(instruction.op.operand(0).type).element;
    const to = tensorSpec(instruction.op.result(0).type).element;
    return (to.width < from.width ? truncate : extend)(instruction, program);
  };

/** Out of range becomes the nearest in range, as by cvt.rzi; integers of 8 bits go by way of 16. */
function floatToInt(signed: boolean): Rule {
  return elementwise(({ out }) => {
    const width = Math.max(16, out.width);
    const [low, high] = signed ? [-(2n ** BigInt(width - 1)), 2n ** BigInt(width - 1) - 1n] : [0n, 2n ** BigInt(width) - 1n];
    return out.big ? `H.toBigInt(a, ${low}n, ${high}n)` : `H.toInt(a, ${low}, ${high})`;
  });
}

const ROUNDING: Readonly<Record<string, Rounding>> = {
  to_nearest_even: "rn",
  downward: "rm",
  upward: "rp",
  toward_zero: "rz",
  to_nearest_away: "rna",
};

/** A cast between floats. `rounding` applies where bits are lost to a narrow kind; what is too large for one of 8 bits is clamped. */
export function castFloat(op: Operation, rounding: Rounding, value: Tensor): Tensor {
  const { element } = tensorSpec(op.result(0).type);
  const { shape } = value;
  const data = element.alloc(value.data.length);
  const type = elementTypeOrSelf(op.result(0).type);
  const small = FloatType.is(type) ? smallKind(type.params.kind) : undefined;
  if (rounding !== "rn" && small) {
    const { decode } = value.element;
    for (let i = 0; i < data.length; i++) {
      const raw = value.data[i] as number;
      data[i] = encode(small, decode ? decode[raw]! : raw, rounding, element.bytes === 1);
    }
  } else loop(element, [value.element], "a")(data.length, data, value.data);
  return tensor(element, shape, data);
}

const select: Rule = ({ op, ins, outs: [out] }) => {
  const [condition, ifTrue, ifFalse] = ins as [number, number, number];
  const bool = tensorSpec(op.operand(0).type).element;
  const element = elementOfType(elementTypeOrSelf(op.result(0).type));
  // As bits: a NaN goes through unchanged.
  const raw = element && { ...element, name: `raw ${element.name}`, decode: undefined, encode: undefined };
  const run = raw && loop(raw, [bool, raw, raw], "a ? b : c");
  return ({ env }, machine) => {
    const flag = env[condition] as Tensor;
    if (flag.data.length === 1) {
      env[out!] = env[flag.data[0] ? ifTrue : ifFalse]!;
      return;
    }
    const [a, b, c] = alike([flag, readable(machine, op, env[ifTrue]!), readable(machine, op, env[ifFalse]!)]);
    const data = element!.alloc(b!.data.length);
    machine.charge(op, data.length);
    run!(data.length, data, a!.data, b!.data, c!.data);
    env[out!] = tensor(element!, b!.shape, data);
  };
};

const constant: Rule = ({ op, outs: [out] }) => {
  const value = op.attr("value");
  let made: Tensor;
  if (DenseElementsAttr.is(value)) made = tensorOfDense(value);
  else if (IntegerAttr.is(value))
    made = scalar(tensorSpec(op.result(0).type).element, rawOfBits(tensorSpec(op.result(0).type).element, value.params.value));
  else if (FloatAttr.is(value))
    made = scalar(tensorSpec(op.result(0).type).element, rawOfBits(tensorSpec(op.result(0).type).element, value.params.bits));
  else throw new Bug(`a constant of ${value?.def.name}`);
  return ({ env }) => {
    env[out!] = made;
  };
};

/** Both halves of an extended sum or product. */
function twoResults(first: (t: Elementwise) => string, second: (t: Elementwise) => string): Rule {
  return (instruction) => {
    const runs = [elementwiseResult(instruction, 0, first), elementwiseResult(instruction, 1, second)];
    return (frame, machine) => runs.forEach((run) => run(frame, machine));
  };
}
const mulLow = ({ out }: Elementwise): string => (out.width === 32 ? "Math.imul(a, b)" : "a * b");
export const mulHigh =
  (signed: boolean) =>
  ({ out }: Elementwise): string => {
    if (out.width === 32) return signed ? "H.mulhi32s(a, b)" : "H.mulhi32u(a, b)";
    const wide = (name: string) =>
      out.big ? (signed ? name : `BigInt.asUintN(${out.width}, ${name})`) : signed ? name : unsigned(out, name);
    return out.big ? `(${wide("a")} * ${wide("b")}) >> ${out.width}n` : `Math.floor((${wide("a")} * ${wide("b")}) / ${2 ** out.width})`;
  };

/** A scale of kind f8E8M0FNU multiplies by its power of two. */
const scaling = (rounding: Rounding): Rule =>
  pure((op) => ([value, scale]) => {
    const product = F32.alloc(value!.data.length);
    const factor = String(op.name).endsWith("extf") ? "a * b" : "a / b";
    loop(F32, [value!.element, scale!.element], factor)(product.length, product, value!.data, scale!.data);
    return castFloat(op, rounding, tensor(F32, value!.shape, product));
  });

export const ARITH: readonly (readonly [OpDef, Rule])[] = [
  [arith.ConstantOp, constant],
  [arith.AddIOp, overflowing(() => "a + b", "a + b", "a + b")],
  [arith.SubIOp, overflowing(() => "a - b", "a - b", "a - b")],
  [arith.MulIOp, overflowing((e) => (e.width === 32 ? "Math.imul(a, b)" : "a * b"), "a * b", "a * b")],
  [
    arith.AddUIExtendedOp,
    twoResults(
      () => "a + b",
      ({ ins: [e] }) => `${u(e!).a} + ${u(e!).b} >= ${e!.big ? `${2n ** BigInt(e!.width)}n` : 2 ** e!.width} ? -1 : 0`,
    ),
  ],
  [arith.MulSIExtendedOp, twoResults(mulLow, mulHigh(true))],
  [arith.MulUIExtendedOp, twoResults(mulLow, mulHigh(false))],
  [
    arith.DivSIOp,
    division(
      () => "Math.trunc(a / b)",
      () => "a / b",
    ),
  ],
  [
    arith.DivUIOp,
    division(
      (e) => `Math.floor(${u(e).a} / ${u(e).b})`,
      (e) => `${u(e).a} / ${u(e).b}`,
    ),
  ],
  [
    arith.RemSIOp,
    division(
      () => "a % b",
      () => "a % b",
    ),
  ],
  [
    arith.RemUIOp,
    division(
      (e) => `${u(e).a} % ${u(e).b}`,
      (e) => `${u(e).a} % ${u(e).b}`,
    ),
  ],
  [
    arith.CeilDivSIOp,
    division(
      () => "Math.ceil(a / b)",
      () => "a / b + (a % b !== 0n && a < 0n === b < 0n ? 1n : 0n)",
    ),
  ],
  [
    arith.CeilDivUIOp,
    division(
      (e) => `Math.ceil(${u(e).a} / ${u(e).b})`,
      (e) => `(${u(e).a} + ${u(e).b} - 1n) / ${u(e).b}`,
    ),
  ],
  [
    arith.FloorDivSIOp,
    division(
      () => "Math.floor(a / b)",
      () => "a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n)",
    ),
  ],
  [arith.AndIOp, same("a & b")],
  [arith.OrIOp, same("a | b")],
  [arith.XOrIOp, same("a ^ b")],
  [arith.ShLIOp, ints((e) => `${shiftTooFar(e)} ? ${zero(e)} : a << b`)],
  [arith.ShRSIOp, ints((e) => `a >> (${shiftTooFar(e)} ? ${e.big ? `${e.width - 1}n` : e.width - 1} : b)`)],
  [arith.ShRUIOp, ints((e) => `${shiftTooFar(e)} ? ${zero(e)} : ${u(e).a} ${e.big ? ">>" : ">>>"} b`)],
  [arith.MinSIOp, same("a < b ? a : b")],
  [arith.MaxSIOp, same("a > b ? a : b")],
  [arith.MinUIOp, ints((e) => `${u(e).a} < ${u(e).b} ? a : b`)],
  [arith.MaxUIOp, ints((e) => `${u(e).a} > ${u(e).b} ? a : b`)],
  [arith.CmpIOp, elementwise(compareInts)],
  [arith.CmpFOp, elementwise(({ op }) => `${COMPARE_FLOATS[String(arith.CmpFOp.match(op)!.predicate)]!} ? -1 : 0`)],
  [arith.SelectOp, select],
  [arith.AddFOp, same("a + b")],
  [arith.SubFOp, same("a - b")],
  [arith.MulFOp, same("a * b")],
  [arith.DivFOp, same("a / b")],
  [arith.RemFOp, same("a % b")],
  [arith.NegFOp, same("-a")],
  [arith.MaximumFOp, same("Math.max(a, b)")],
  [arith.MinimumFOp, same("Math.min(a, b)")],
  [arith.MaxNumFOp, same("H.maxnum(a, b)")],
  [arith.MinNumFOp, same("H.minnum(a, b)")],
  [arith.ExtSIOp, extendSigned],
  [arith.ExtUIOp, extendUnsigned],
  [arith.TruncIOp, truncate],
  [arith.IndexCastOp, castIndex(extendSigned)],
  [arith.IndexCastUIOp, castIndex(extendUnsigned)],
  [arith.SIToFPOp, same("Number(a)")],
  [arith.UIToFPOp, elementwise(({ ins: [e] }) => `Number(${unsigned(e!, "a")})`)],
  [arith.FPToSIOp, floatToInt(true)],
  [arith.FPToUIOp, floatToInt(false)],
  [arith.ExtFOp, same("a")],
  [
    arith.TruncFOp,
    pure(
      (op) =>
        ([value]) =>
          castFloat(op, ROUNDING[String(arith.TruncFOp.match(op)!.roundingmode)] ?? "rn", value!),
    ),
  ],
  [arith.ScalingExtFOp, scaling("rn")],
  [arith.ScalingTruncFOp, scaling("rn")],
  [arith.BitcastOp, pure((op) => bitcast(op))],
];

/** The same bits as another type of the same width. */
export function bitcast(op: Operation): (args: readonly Tensor[]) => Tensor {
  const { element } = tensorSpec(op.result(0).type);
  return ([value]) => tensor(element, value!.shape, reinterpreted(value!.data, value!.element, element));
}
