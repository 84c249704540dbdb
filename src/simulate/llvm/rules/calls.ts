/** Calls, intrinsics and inline assembly. */
import * as llvm from "../../../dialects/llvm/ops/index.js";
import { SymbolRefAttr, stringOf } from "../../../ir/builtin-attrs.js";
import type { Value } from "../../../ir/value.js";
import { ptxIdentifier } from "../../../ptx/identifier.js";
import { effectInstruction, pureInstruction } from "../../../ptx/nvvm-intrinsics.js";
import { type FunctionText, NotExecutable } from "../function-text.js";
import { elementsOf, type Leaf } from "../leaves.js";
import { amdRule, ofDeviceLibrary } from "./amd/index.js";
import { constantIndex, type Family, nothing, type Rule } from "./rule.js";

const inlineAsm: Rule = (f, op) => {
  const { asm_string, constraints, operands, res } = llvm.InlineAsmOp.match(op)!;
  if (f.amd) {
    if (asm_string.startsWith("s_waitcnt ")) return;
    throw new NotExecutable("assembly of AMD's GPUs");
  }
  const wanted = constraints.split(",").filter((c) => c !== "" && !c.startsWith("~"));
  const outputs = wanted.filter((c) => c.startsWith("="));
  const outTypes = res === undefined || res.type.def.name === "llvm.void" ? [] : outputs.length > 1 ? elementsOf(res.type)! : [res.type];
  const outLeaves = outTypes.map((t) => f.leaves(t));
  const outRegisters = outLeaves.map((leaves) => f.fresh(registerBits(leaves)));
  const inputs = wanted.slice(outputs.length).map((constraint, i) => {
    const value = operands[i]!;
    const known = constraint.includes("n") && constraint.length === 1 ? constantIndex(value) : undefined;
    if (known !== undefined) return String(known);
    const register = joined(f, value);
    const tied = /^\d+$/.exec(constraint);
    if (tied === null) return register;
    // Begins in the register of a result.
    const target = outRegisters[Number(tied[0])]!;
    f.move(target, register, registerBits(outLeaves[Number(tied[0])]!));
    return target;
  });
  const all = [...outRegisters, ...inputs];
  const text = asm_string.replace(/\$(?:(\d+)|\{(\d+)(?::\w+)?\}|\$)/g, (whole, plain: string | undefined, braced: string | undefined) =>
    whole === "$$" ? "$" : (all[Number(plain ?? braced)] ?? whole),
  );
  f.lines.push("\t{", text.trim().endsWith(";") || /\}\s*$/.test(text) || text.trim() === "" ? text : `${text};`, "\t}");
  if (res !== undefined && outTypes.length > 0)
    f.bind(
      res,
      outRegisters.flatMap((register, i) => split(f, register, outLeaves[i]!)),
    );
};

/** The register that a list of scalars fits in. */
function registerBits(leaves: readonly Leaf[]): Leaf["bits"] {
  const bits = leaves.reduce((sum, leaf) => sum + leaf.bits, 0);
  if (bits === 1 || bits === 8 || bits === 16 || bits === 32 || bits === 64) return bits;
  throw new NotExecutable(`${bits} bits in one register`);
}

const joined = (f: FunctionText, value: Value): string => {
  const leaves = f.leaves(value.type);
  return f.reshape(f.use(value), leaves[0]!.bits, registerBits(leaves))[0]!;
};
const split = (f: FunctionText, register: string, leaves: readonly Leaf[]): readonly string[] =>
  f.reshape([register], registerBits(leaves), leaves[0]!.bits);

/** A call by parameters in memory, a variable each scalar. */
function callText(
  f: FunctionText,
  callee: string,
  args: readonly (readonly [string, Leaf])[],
  results: readonly (readonly [string, Leaf])[],
): void {
  const bits = (leaf: Leaf) => Math.max(leaf.bits, 8);
  const names = (kind: string, list: readonly unknown[]) => list.map((_, i) => `${kind}${i}`).join(", ");
  f.lines.push("\t{");
  args.forEach(([, leaf], i) => f.put(`.param .b${bits(leaf)} a${i}`));
  results.forEach(([, leaf], i) => f.put(`.param .b${bits(leaf)} r${i}`));
  args.forEach(([register, leaf], i) => {
    let value = register;
    if (leaf.bits === 1) {
      value = f.fresh(16);
      f.put(`selp.b16 ${value}, 1, 0, ${register}`);
    }
    f.put(`st.param.b${bits(leaf)} [a${i}], ${value}`);
  });
  f.put(`call.uni ${results.length > 0 ? `(${names("r", results)}), ` : ""}${callee}, (${names("a", args)})`);
  results.forEach(([register, leaf], i) => {
    if (leaf.bits !== 1) return f.put(`ld.param.b${bits(leaf)} ${register}, [r${i}]`);
    const byte = f.fresh(16);
    f.put(`ld.param.b8 ${byte}, [r${i}]`);
    f.put(`setp.ne.b16 ${register}, ${byte}, 0`);
  });
  f.lines.push("\t}");
}

const pairs = (f: FunctionText, value: Value, registers: readonly string[]): (readonly [string, Leaf])[] =>
  f.leaves(value.type).map((leaf, i) => [registers[i]!, leaf] as const);

const call: Rule = (f, op) => {
  const callee = op.attr("callee");
  if (!SymbolRefAttr.is(callee)) throw new NotExecutable("an indirect call");
  const name = callee.params.root;
  const intrinsic = f.amd && amdRule(name);
  if (intrinsic) return intrinsic(f, op);
  const args = op.operands.flatMap((value) => pairs(f, value, f.use(value)));
  const results = op.results.filter((r) => r.type.def.name !== "llvm.void").flatMap((r) => pairs(f, r, f.define(r)));
  callText(f, ofDeviceLibrary(name) ?? ptxIdentifier(name), args, results);
};

const callIntrinsic: Rule = (f, op) => {
  const name = stringOf(op.attr("intrin")) ?? "";
  const ofAmd = amdRule(name);
  if (ofAmd) return ofAmd(f, op);
  const inputs = op.operands.map((o) => f.scalar(o));
  const results = op.results.flatMap((r) => (r.type.def.name === "llvm.void" ? [] : f.define(r)));
  const pure = pureInstruction(name);
  const form = pure === undefined ? effectInstruction(name) : undefined;
  if (pure !== undefined) f.put(`${pure} ${[...results, ...inputs].join(", ")}`);
  else if (form !== undefined) f.put(form.replace(/\$(\d+)/g, (_, i) => [...results, ...inputs][Number(i)]!));
  else throw new NotExecutable(`intrinsic ${name}`);
};

export const CALLS: Family = [
  ["llvm.intr.assume", nothing],
  ["llvm.intr.dbg.value", nothing],
  ["llvm.inline_asm", inlineAsm],
  ["llvm.call", call],
  ["llvm.call_intrinsic", callIntrinsic],
];
