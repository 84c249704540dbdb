/** Conversions between floats of 32 and 16 bits and those of 8 and 4. */
import { intOf } from "../../../../ir/builtin-attrs.js";
import type { Operation } from "../../../../ir/operation.js";
import type { Value } from "../../../../ir/value.js";
import { type FunctionText, NotExecutable } from "../../function-text.js";
import { constantIndex, type Family, type Rule } from "../rule.js";
import { flag, fresh, fromWords, list, register, wordsOf } from "./words.js";

/** The kinds of fp8 of a GPU: CDNA3's have a bias of their own, and no negative zero. */
export const small = (f: FunctionText, name: string): string => {
  const suffix = f.amd?.family === "CDNA3" && name !== "fp4" ? "fnuz" : "";
  return ({ fp8: "e4m3", bf8: "e5m2", fp4: "e2m1" }[name] ?? name) + suffix;
};
const one = (f: FunctionText): string => register(f, 0x3f800000);

function unpack(f: FunctionText, op: Operation, wide: string, from: string, at: number, scale: string): void {
  const pair = fresh(f, wide === "f32" ? 2 : 1);
  f.put(`amd.unpack.${wide}.${from} ${list(pair)}, ${f.scalar(op.operand(0))}, ${at}, ${scale}`);
  fromWords(f, op.result(0), pair);
}
function pack(
  f: FunctionText,
  result: Value,
  to: string,
  pair: readonly string[],
  old: string,
  at: number,
  scale: string,
  rounding = "rn",
): void {
  const [d] = fresh(f, 1);
  f.put(`amd.pack.${to}.${rounding}${f.saturates && to !== "f16" ? ".sat" : ""} ${d}, ${pair.join(", ")}, ${old}, ${at}, ${scale}`);
  fromWords(f, result, [d!]);
}
/** Two floats of 16 bits as f32. */
export function widened(f: FunctionText, value: Value, kind: string): readonly string[] {
  return f.use(value).map((half) => {
    const [wide] = fresh(f, 1);
    f.put(`cvt.f32.${kind} ${wide}, ${half}`);
    return wide!;
  });
}
const NARROW = ["fp8", "bf8"];
const WIDE = ["f32", "f16", "bf16"];
export const CONVERSIONS: Family = [
  ...NARROW.flatMap(
    (name): Family => [
      [`rocdl.cvt.pk.f32.${name}`, (f, op) => unpack(f, op, "f32", small(f, name), flag(op, "wordSel"), one(f))],
      [
        `rocdl.cvt.pk.${name}.f32`,
        (f, op) => {
          const [a, b, old] = op.operands.map((o) => f.scalar(o)) as [string, string, string];
          pack(f, op.result(0), small(f, name), [a, b], old, flag(op, "wordSel"), one(f));
        },
      ],
    ],
  ),
  ...WIDE.flatMap(
    (wide): Family => [
      ...NARROW.map((name): Family[number] => [
        `rocdl.cvt.scalef32.pk.${wide}.${name}`,
        (f, op) => unpack(f, op, wide, small(f, name), flag(op, "srcLoHiSel"), f.scalar(op.operand(1))),
      ]),
      [
        `rocdl.cvt.scalef32.pk.${wide}.fp4`,
        (f, op) => unpack(f, op, wide, small(f, "fp4"), intOf(op.attr("srcSelIndex")) ?? 0, f.scalar(op.operand(1))),
      ],
      ...NARROW.map((name): Family[number] => [
        `rocdl.cvt.scalef32.pk.${name}.${wide}`,
        (f, op) => {
          const [old] = wordsOf(f, op.operand(0));
          const pair = wide === "f32" ? [1, 2].map((i) => f.scalar(op.operand(i))) : widened(f, op.operand(1), wide);
          pack(f, op.result(0), small(f, name), pair, old!, flag(op, "dstLoHiSel"), f.scalar(op.operands.at(-1)!));
        },
      ]),
    ],
  ),
  [
    "rocdl.cvt.pkrtz",
    (f, op) => {
      const pair = op.operands.map((o) => f.scalar(o));
      pack(f, op.result(0), "f16", pair, register(f, 0), 0, one(f), "rz");
    },
  ],
];

/** One bit of the mode register: whether what is too large for 8 bits becomes the largest number. */
const SATURATION = 1 | (23 << 6);
/** Functions set it where they begin, if at all. */
const setRegister: Rule = (f, op) => {
  const [place, value] = op.operands.map(constantIndex);
  if (place !== SATURATION || value === undefined || op.block?.predecessors().length !== 0)
    throw new NotExecutable("a hardware register other than the mode's saturation");
  f.saturates = value !== 0;
};
/** NaNs, infinities and zeros. */
const HALF_CLASSES = 0b1001100111;
const classify: Rule = (f, op) => {
  const classes = op.name === "llvm.intr.is.fpclass" ? intOf(op.attr("bit")) : constantIndex(op.operand(1));
  const kind = f.leaves(op.operand(0).type)[0]!.float;
  const isHalf = kind === "f16" || kind === "bf16";
  // Subnormal halves are normal as f32.
  if (classes === undefined || !(kind === "f32" || (isHalf && (classes & ~HALF_CLASSES) === 0)))
    throw new NotExecutable("classes of other numbers");
  const value = isHalf ? widened(f, op.operand(0), kind)[0] : f.scalar(op.operand(0));
  const [d] = fresh(f, 1);
  f.put(`amd.class ${d}, ${value}, ${classes}`);
  f.put(`setp.ne.b32 ${f.define(op.result(0))[0]}, ${d}, 0`);
};
/** By the name of the intrinsic, or the op. */
export const CONVERSION_INTRINSICS: Family = [
  ["llvm.amdgcn.s.setreg", setRegister],
  ["llvm.is.fpclass", classify],
  ["llvm.intr.is.fpclass", classify],
];
