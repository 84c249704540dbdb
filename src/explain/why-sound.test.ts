import fc from "fast-check";
import { expect, test } from "vitest";
import { axisInfoText } from "../analysis/axis-info.js";
import { axisInfoOf } from "../analysis/axis-info-of-values.js";
import { defaultOptions } from "../backend/nvidia/options.js";
import { compile } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { RankedTensorType } from "../ir/builtin-types.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { runModule } from "../simulate/tensor/run.js";
import type { Tensor } from "../simulate/tensor/value.js";
import { parseModule } from "../syntax/parse.js";
import { evaluate, exprs, source } from "../testing/axis-expressions.js";
import { explain, queriesOf } from "./queries.js";

/** The elements of a value when the kernel runs, in row-major order. */
interface Ran {
  readonly numbers: readonly number[];
  readonly shape: readonly number[];
  readonly operands: readonly Ran[];
}
const infoOf = ({ numbers, shape }: Ran) => axisInfoOf(numbers, shape);
const all = ({ numbers }: Ran, test: (n: number) => boolean): boolean => numbers.every(test);
const isOneNumber = (ran: Ran, n = ran.numbers[0]!): boolean => all(ran, (x) => x === n);
/** The largest power of two that divides a number is at least, or exactly, this. */
const divides = (by: number, n: number): boolean => n % by === 0;
const dividesOnly = (by: number, n: number): boolean => divides(by, n) && !divides(2 * by, n);
const factorIs = (by: string) => (ran: Ran) => ran.operands.some((operand) => isOneNumber(operand, Number(by)));

/** Each sentence, and whether it is true of the value that it names: `dim` is the dimension asked about, in its own shape. */
const SENTENCES: readonly (readonly [RegExp, (ran: Ran, dim: number, ...words: string[]) => boolean])[] = [
  [/^the constant (%\w+) is not contiguous$/, (ran) => infoOf(ran).contiguity.every((n) => n === 1)],
  [
    /^the constant (?<n>-?\d+) \((%\w+)\) is only divisible by (\d+)$/,
    (ran, _, n, by) => isOneNumber(ran, Number(n)) && dividesOnly(Number(by), Number(n)),
  ],
  [
    /^(%\w+) begins at (\d+), which is only divisible by (\d+)$/,
    ({ numbers }, _, n, by) => numbers[0] === Number(n) && dividesOnly(Number(by), Number(n)),
  ],
  [
    /^(%\w+) counts only from (\d+) to (\d+)$/,
    ({ numbers }, _, from, to) => numbers[0] === Number(from) && numbers.at(-1) === Number(to) - 1,
  ],
  [/^(%\w+) counts up: its neighbours differ$/, (ran, dim) => infoOf(ran).constancy[dim] === 1],
  [
    /^(%\w+) repeats one value: its elements are equal, not next to each other$/,
    (ran, dim) => infoOf(ran).constancy[dim] === ran.shape[dim],
  ],
  [
    /^(%\w+) adds parts of which neither rises by one where the other stays the same$/,
    ({ operands: [a, b], shape }, dim) =>
      ![
        [a, b],
        [b, a],
      ].some(([x, y]) => infoOf(x!).contiguity[dim] === shape[dim] && infoOf(y!).constancy[dim] === shape[dim]),
  ],
  [/^(%\w+) \(arith\.\w+\) combines bits: nothing is known of the order of its elements$/, () => true],
  [
    /^(%\w+)(?: \(arith\.\w+\))? is (-?\d+) in each element(?:, which is only divisible by (\d+))?$/,
    (ran, _, n, by) => isOneNumber(ran, Number(n)) && (by === undefined || dividesOnly(Number(by), Number(n))),
  ],
  [/^nothing is known of the result of (%\w+)$/, () => true],
  [/^of the result of (%\w+) it is only known that it is divisible by (\d+)$/, () => true],
  [
    /^of the result of (%\w+) it is only known that it is contiguous in runs of (\d+)$/,
    (ran, dim, runs) => divides(Number(runs), infoOf(ran).contiguity[dim]!),
  ],
  [
    /^(%\w+) \(arith\.muli\) multiplies by (-?\d+): numbers that rise by 1 rise by (-?\d+) after it$/,
    (ran, _, by, rise) => by === rise && factorIs(by!)(ran),
  ],
  [
    /^(%\w+) \(arith\.shli\) shifts left by (\d+): numbers that rise by 1 rise by 2\^(\d+) after it$/,
    (ran, _, by, rise) => by === rise && isOneNumber(ran.operands[1]!, Number(by)),
  ],
  [
    /^(%\w+) \(arith\.divsi\) divides by (-?\d+): numbers that rise by 1 no longer all do after it$/,
    (ran, _, by) => by !== "1" && isOneNumber(ran.operands[1]!, Number(by)),
  ],
  [
    /^(%\w+) \(arith\.\w+\) (?:multiplies|shifts left|divides) by %\w+, which is not known to be [01]: numbers that rise by 1 may (?:rise by more|rise by another number|be equal) after it$/,
    (ran, dim) => ran.operands.some((operand) => infoOf(operand).constancy[dim] === ran.shape[dim]),
  ],
  [
    /^(%\w+) \(arith\.\w+\) (?:multiplies|shifts left|divides) by %\w+, which may change from element to element: nothing is known of their order after it$/,
    () => true,
  ],
  [
    /^(%\w+) \(arith\.remsi\) takes the remainder by (?:%\w+|-?\d+): it may wrap around between neighbours$/,
    (ran) => !isOneNumber(ran.operands[1]!, 0),
  ],
  [/^(%\w+) \(arith\.\w+\) (?:divides|takes the remainder) by (?:%\w+|-?\d+), after which nothing is known to divide it$/, () => true],
];

test("the sentences of --why are true of the numbers of a run", () => {
  const told = new Set<number>();
  fc.assert(
    fc.property(exprs, (expr) => {
      fc.pre(evaluate(expr) !== undefined);
      const { module } = parseModule(new Context(ALL_DIALECTS), "k.ttir", source(expr))!;
      const { trace } = compile("k.ttir", module, { target: "cuda:80", options: defaultOptions(80), stopAfter: 0, clock: () => 0 });
      const queries = queriesOf(trace, trace.steps[0]!);
      if ("error" in queries) throw new Error(queries.error);
      const ran = new Map<Value, Ran>();
      const observe = (op: Operation, index: number, { data }: Tensor) => {
        const value = op.result(index);
        const shape = RankedTensorType.is(value.type) ? value.type.params.shape : [];
        ran.set(value, { numbers: [...(data as Int32Array)], shape, operands: op.operands.map((operand) => ran.get(operand)!) });
      };
      runModule(queries.ir.module, { programs: [[0, 0, 0]], checks: { observe } });
      for (const [value, run] of ran) {
        const [claimed, ...lines] = explain(queries, value).sections.find((s) => s.title === "axis info")!.lines;
        const actual = infoOf(run);
        const numbers = lines[0]?.startsWith("the numbers themselves") ? lines.shift() : undefined;
        expect(`${numbers ?? claimed}`.replace(/.*: /, "")).toBe(axisInfoText(actual));
        for (const line of lines) {
          const [, property, dimension, has, unseen, words] =
            /^(\w+) along dimension (\d+) is (\d+)( for AxisInfo, which does not see the numbers)?: (.*)$/.exec(line)!;
          const isMore = actual[property as "contiguity"][Number(dimension)]! > Number(has);
          expect(unseen !== undefined, line).toBe(isMore);
          const which = SENTENCES.findIndex(([form]) => form.test(words!));
          expect(which, line).toBeGreaterThanOrEqual(0);
          told.add(which);
          const [form, holds] = SENTENCES[which]!;
          const named = /%\w+/.exec(words!)![0];
          const about = ran.get(queries.valuesCalled(named)[0]!)!;
          const dim = about.shape.length === run.shape.length ? Number(dimension) : 0;
          const parts = form
            .exec(words!)!
            .slice(1)
            .filter((w) => w !== named);
          expect(holds(about, dim, ...parts), `${line}\n${source(expr)}`).toBe(true);
        }
      }
    }),
    { numRuns: 150 },
  );
  expect(told.size).toBeGreaterThan(8);
});
