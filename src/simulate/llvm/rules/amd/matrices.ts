/** Products of matrices and dot products. */
import type { Value } from "../../../../ir/value.js";
import { type FunctionText, NotExecutable } from "../../function-text.js";
import { constantIndex, type Rule } from "../rule.js";
import { small, widened } from "./conversions.js";
import { fresh, fromWords, list, wave, wordsOf } from "./words.js";

/** The element types of a matrix instruction's operands, by what follows its shape. */
function elementTypes(f: FunctionText, name: string): readonly [string, string] {
  const kinds = name.split(".");
  if (kinds.length === 2) return [small(f, kinds[0]!), small(f, kinds[1]!)];
  const kind = name
    .replace(/\.1k$|^\./g, "")
    .replace("i8", "s8")
    .replace("xf32", "tf32");
  return [kind, kind];
}
const FORMATS = ["e4m3", "e5m2", "e2m3", "e3m2", "e2m1"];

const mfma: Rule = (f, op) => {
  const found = /^rocdl\.mfma\.(?:scale\.)?(f32|f64|i32)\.(\d+)x(\d+)x(\d+)\.?(.*)$/.exec(op.name);
  if (!found) throw new NotExecutable("a matrix instruction of another shape");
  const [, result = "", m = "", n = "", k = "", kinds = ""] = found;
  const [a, b, c, ...flags] = op.operands as unknown as readonly [Value, Value, Value, ...Value[]];
  const constants = flags.map(constantIndex);
  const types =
    kinds === "f8f6f4"
      ? [FORMATS[constants[0] ?? -1] ?? "", FORMATS[constants[1] ?? -1] ?? ""]
      : elementTypes(f, kinds === "bf16.1k" ? "bf16" : kinds);
  if (types.includes("")) throw new NotExecutable("a format that is not constant");
  const isDouble = result === "f64";
  const operand = (value: Value): string => list(isDouble ? f.use(value) : wordsOf(f, value));
  const blocks = m === "4" ? 16 : 1;
  const out = f.define(op.result(0));
  // With constant zeros in place of both scales LLVM takes the instruction without scales.
  const isScaled = kinds === "f8f6f4" && !(constants[3] === 0 && constants[5] === 0);
  const broadcast = kinds === "f8f6f4" ? [0, 0] : [constants[0] ?? 0, constants[1] ?? 0];
  const extra = [...broadcast, ...(isScaled ? flags.slice(2).map((v) => f.scalar(v)) : [])].join(", ");
  wave(
    f,
    `mfma.${m}x${n}x${k}x${blocks}.${result === "i32" ? "s32" : result}.${types.join(".")} ${list(out)}, ${operand(a)}, ${operand(b)}, ${list(f.use(c))}, ${extra}`,
  );
};

const WMMA = /^llvm\.amdgcn\.wmma\.(scale\.)?(f32|f16|bf16|i32)\.16x16x(\d+)\.(.*?)(\.tied)?$/;
const GENERATIONS: Readonly<Record<string, string>> = { RDNA3: "v1", RDNA4: "v2", GFX1250: "v3" };
/** Operands beside the matrices: signs of integers, a half of registers, formats, scales. */
const wmma =
  ([, scale, result = "", k = "", kinds = ""]: RegExpExecArray): Rule =>
  (f, op) => {
    const isData = ({ type }: Value): boolean => f.leaves(type).length > 1 || f.leaves(type)[0]!.bits === 32;
    const operands = [...op.operands];
    const isInteger = result === "i32";
    const constant = (i: number): number => {
      const known = constantIndex(operands[i]!);
      if (known === undefined) throw new NotExecutable("a modifier that is not constant");
      return known;
    };
    let types: readonly string[];
    let matrices: readonly Value[];
    let scales = "";
    if (scale) {
      types = [FORMATS[constant(0)] ?? "", FORMATS[constant(2)] ?? ""];
      matrices = [operands[1]!, operands[3]!, operands[5]!];
      if (constant(7) !== 0 || constant(10) !== 0) throw new NotExecutable("scales of another format");
      scales = `, ${constant(6)}, ${f.scalar(operands[8]!)}, ${constant(9)}, ${f.scalar(operands[11]!)}`;
    } else {
      matrices = operands.filter(isData);
      types = isInteger
        ? [0, 2].map((i) => (constant(i) !== 0 ? "s" : "u") + kinds.slice(2))
        : kinds.includes(".")
          ? kinds.split(".").map((kind) => small(f, kind))
          : [kinds, kinds];
    }
    if (matrices.length !== 3) throw new NotExecutable("a matrix instruction of other operands");
    const [a, b, c] = matrices as readonly [Value, Value, Value];
    const last = operands.at(-1)!;
    const upper = /^b?f16$/.test(result) && f.leaves(last.type)[0]!.bits === 1 && constantIndex(last) !== 0;
    const before = wordsOf(f, c);
    const out = fresh(f, before.length);
    const name = [k, isInteger ? "s32" : result, ...types, GENERATIONS[f.amd?.family ?? ""], ...(upper ? ["hi"] : [])].join(".");
    wave(f, `wmma.${name} ${list(out)}, ${list(wordsOf(f, a))}, ${list(wordsOf(f, b))}, ${list(before)}${scales}`);
    fromWords(f, op.result(0), out);
  };

/** Dot products of two or four elements of a lane. */
const dotOfHalves =
  (kind: string, isNarrow = false): Rule =>
  (f, op) => {
    const [x, y, sum] = op.operands as unknown as readonly [Value, Value, Value];
    let at = isNarrow ? widened(f, sum, kind)[0]! : f.scalar(sum);
    const wide = [x, y].map((value) => widened(f, value, kind));
    for (const [i, factor] of wide[0]!.entries()) {
      const [next] = fresh(f, 1);
      f.put(`fma.rn.f32 ${next}, ${factor}, ${wide[1]![i]}, ${at}`);
      at = next!;
    }
    if (isNarrow) f.put(`cvt.rn.${kind}.f32 ${f.define(op.result(0))[0]}, ${at}`);
    else f.bind(op.result(0), [at]);
  };
const DOTS: ReadonlyMap<string, Rule> = new Map([
  ["llvm.amdgcn.fdot2", dotOfHalves("f16")],
  ["llvm.amdgcn.fdot2.f32.bf16", dotOfHalves("bf16")],
  ["llvm.amdgcn.fdot2.bf16.bf16", dotOfHalves("bf16", true)],
  [
    "llvm.amdgcn.sdot4",
    (f, op) => {
      const [x, y, sum] = [0, 1, 2].map((i) => f.scalar(op.operand(i)));
      f.put(`dp4a.s32.s32 ${f.define(op.result(0))[0]}, ${x}, ${y}, ${sum}`);
    },
  ],
]);

/** The rule of a matrix instruction or of a dot product, by its name. */
export function matrixRule(name: string): Rule | undefined {
  if (name.startsWith("rocdl.mfma.")) return mfma;
  const found = WMMA.exec(name);
  return found ? wmma(found) : DOTS.get(name);
}
