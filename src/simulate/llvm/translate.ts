/**
 * A module of the LLVM dialect as PTX text for the machine in simulate/ptx: op by op, registers as many as values. The
 * text only serves to be executed; the compiler's own PTX is written in target/ptx.
 */

import { argumentAttr } from "../../dialects/builtin/function-op.js";
import { initialBytes } from "../../dialects/llvm/initial-bytes.js";
import * as llvm from "../../dialects/llvm/ops/index.js";
import { LLVMFunctionType, LLVMPointerType } from "../../dialects/llvm/types/types.js";
import { NUM_WARPS, TARGET } from "../../dialects/ttg/num-warps.js";
import { type AmdGpu, amdGpuOf, archOf } from "../../gpu/amd.js";
import type { Block } from "../../ir/block.js";
import { DenseElementsAttr, intOf, intsOf, stringOf, TypeAttr } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { ptxIdentifier } from "../../ptx/identifier.js";
import { FunctionText, NotExecutable } from "./function-text.js";
import { leavesOf, sizeOf } from "./leaves.js";
import { amdRule } from "./rules/amd/index.js";
import { RULES } from "./rules/index.js";

export interface Translated {
  readonly text: string;
  readonly kernel: string;
}

/** `kernel` is by default the first function marked as one. The error is one line. */
export function translateToPtx(module: Operation, file: string, kernel?: string): Translated | { readonly error: string } {
  const functions: Operation[] = [];
  let head = "";
  for (const op of module.regions[0]?.firstBlock?.ops() ?? [])
    if (op.name === "llvm.func") functions.push(op);
    else if (op.name === "llvm.mlir.global") head += globalText(op);
  const defined = functions.filter((f) => f.regions[0]?.empty === false);
  const isKernel = (f: Operation) => (kernel === undefined ? f.attr("nvvm.kernel") !== undefined : stringOf(f.attr("sym_name")) === kernel);
  const entry = defined.find(isKernel);
  if (entry === undefined)
    return { error: kernel === undefined ? "no function is marked nvvm.kernel" : `there is no function '${kernel}' with a body` };
  try {
    const amd = amdGpuOf(archOf(stringOf(module.attr(TARGET))) ?? "");
    const threads = amd && [amd.warpSize * (intOf(module.attr(NUM_WARPS)) ?? 1)];
    const bodies = defined.map((f) => functionText(f, f === entry, amd, threads));
    return {
      text: `.version 8.7\n.target ${amd?.arch ?? "sm_80"}\n.address_size 64\n.file 1 "${file.replace(/["\n]/g, "_")}"\n${head}${bodies.join("\n")}`,
      kernel: nameOf(entry),
    };
  } catch (error) {
    if (error instanceof NotExecutable) return { error: error.message };
    throw error;
  }
}

const nameOf = (f: Operation): string => ptxIdentifier(stringOf(f.attr("sym_name")) ?? "");

function globalText(op: Operation): string {
  const { global_type, value, alignment, addr_space } = llvm.GlobalOp.match(op)!;
  const name = nameOf(op);
  const { bytes, align } = sizeOf(global_type);
  const alignText = `.align ${alignment ?? align}`;
  if (addr_space === 3)
    return bytes === 0 ? `.extern .shared ${alignText} .b8 ${name}[];\n` : `.shared ${alignText} .b8 ${name}[${bytes}];\n`;
  const initial = initialBytes(value, bytes);
  const init = initial ? ` = {${initial.join(", ")}}` : "";
  return `.global ${alignText} .b8 ${name}[${Math.max(bytes, 1)}]${init};\n`;
}

/** `threads` of a workgroup, where the function does not say it: AMD's says 32 for each wave. */
function functionText(op: Operation, isKernel: boolean, amd?: AmdGpu, threads?: readonly number[]): string {
  const f = new FunctionText(nameOf(op), amd);
  const blocks = [...op.regions[0]!.blocks()];
  const entry = blocks[0]!;
  const params: string[] = [];
  entry.args.forEach((arg, i) => {
    const registers = f.define(arg);
    f.leaves(arg.type).forEach((leaf, k) => {
      const name = isKernel ? `${nameOf(op)}_param_${i}` : `p${i}_${k}`;
      const pointer = isKernel && LLVMPointerType.is(arg.type);
      const whole = isKernel ? argumentAttr(op, i, "llvm.byval") : undefined;
      if (TypeAttr.is(whole)) {
        const { bytes, align } = sizeOf(whole.params.type);
        params.push(`.param .align ${intOf(argumentAttr(op, i, "llvm.align")) ?? align} .b8 ${name}[${bytes}]`);
        f.put(`mov.b64 ${registers[k]}, ${name}`);
        return f.put(`cvta.param.u64 ${registers[k]}, ${registers[k]}`);
      }
      const bits = Math.max(leaf.bits, 8);
      const type = isKernel && (leaf.float === "f32" || leaf.float === "f64") ? leaf.float : `b${bits}`;
      params.push(pointer ? `.param .u64 .ptr .global .align 1 ${name}` : `.param .${type} ${name}`);
      if (leaf.bits !== 1) return f.put(`ld.param.b${bits} ${registers[k]}, [${name}]`);
      const byte = f.fresh(16);
      f.put(`ld.param.b8 ${byte}, [${name}]`);
      f.put(`setp.ne.b16 ${registers[k]}, ${byte}, 0`);
    });
  });
  for (const block of blocks.slice(1)) for (const arg of block.args) f.define(arg);
  const type = op.attr("function_type");
  const resultType = TypeAttr.is(type) && LLVMFunctionType.is(type.params.type) ? type.params.type.params.returnType : undefined;
  const results =
    resultType === undefined || resultType.def.name === "llvm.void"
      ? []
      : f.leaves(resultType).map((leaf, i) => `.param .b${Math.max(leaf.bits, 8)} r${i}_`);
  for (const block of blocks) {
    if (block !== entry) f.lines.push(`${f.label(block)}:`);
    // Where lanes meet again, so do the halves of a wave.
    if (amd?.warpSize === 64 && [...block.predecessors()].length > 1) f.put("wave.sync");
    for (const inner of block.ops()) {
      f.at(inner);
      if (!terminator(f, inner)) ordinary(f, inner);
    }
  }
  const directive = (name: string, attr: string) => {
    const extents = isKernel ? ((name === "reqntid" ? threads : undefined) ?? intsOf(op.attr(attr))) : undefined;
    return extents ? `\n.${name} ${extents.join(", ")}` : "";
  };
  const directives = directive("reqntid", "nvvm.reqntid") + directive("reqnctapercluster", "nvvm.cluster_dim");
  const headText = isKernel
    ? `.visible .entry ${nameOf(op)}`
    : `.func ${results.length > 0 ? `(${results.join(", ")}) ` : ""}${nameOf(op)}`;
  return `${headText}(${params.join(", ")})${directives}\n{\n${f.declarations()}${f.lines.join("\n")}\n}\n`;
}

/** An op that cannot be executed becomes an instruction that says so when it is reached. */
function ordinary(f: FunctionText, op: Operation): void {
  try {
    const rule = RULES.get(op.name) ?? (f.amd && amdRule(op.name));
    if (rule === undefined) throw new NotExecutable("no rule");
    rule(f, op);
  } catch (error) {
    if (!(error instanceof NotExecutable)) throw error;
    f.put(`${op.name.replace(/[^\w.]/g, "_")}.not_executable`);
    for (const result of op.results) if (leavesOf(result.type) !== undefined) f.define(result);
  }
}

function terminator(f: FunctionText, op: Operation): boolean {
  switch (op.name) {
    case "llvm.br":
      jump(f, op.successors[0]!.block, op.operands);
      return true;
    case "llvm.cond_br": {
      const { condition, trueDestOperands, falseDestOperands } = llvm.CondBrOp.match(op)!;
      const yes = f.newLabel();
      f.put(`@${f.scalar(condition)} bra ${yes}`);
      jump(f, op.successors[1]!.block, falseDestOperands);
      f.lines.push(`${yes}:`);
      jump(f, op.successors[0]!.block, trueDestOperands);
      return true;
    }
    case "llvm.switch": {
      const { value, defaultOperands, caseOperands } = llvm.SwitchOp.match(op)!;
      const values = op.attr("case_values");
      const bits = f.leaves(value.type)[0]!.bits;
      const cases = DenseElementsAttr.is(values) ? values.params : undefined;
      const sizes = intsOf(op.attr("case_operand_segments")) ?? [];
      let from = 0;
      sizes.forEach((size, i) => {
        const operands = caseOperands.slice(from, (from += size));
        const [p, skip] = [f.fresh(1), f.newLabel()];
        f.put(`setp.ne.b${Math.max(bits, 16)} ${p}, ${f.scalar(value)}, ${cases!.elements[cases!.splat ? 0 : i]}`);
        f.put(`@${p} bra ${skip}`);
        jump(f, op.successors[i + 1]!.block, operands);
        f.lines.push(`${skip}:`);
      });
      jump(f, op.successors[0]!.block, defaultOperands);
      return true;
    }
    case "llvm.return": {
      const registers = op.operands.flatMap((v) => f.leaves(v.type).map((leaf, i) => [f.use(v)[i]!, leaf] as const));
      registers.forEach(([register, leaf], i) => {
        if (leaf.bits !== 1) return f.put(`st.param.b${leaf.bits} [r${i}_], ${register}`);
        const byte = f.fresh(16);
        f.put(`selp.b16 ${byte}, 1, 0, ${register}`);
        f.put(`st.param.b8 [r${i}_], ${byte}`);
      });
      f.put("ret");
      return true;
    }
    case "llvm.unreachable":
      f.put("trap");
      return true;
    default:
      return false;
  }
}

/** Goes to a block with values for its arguments, all at once: one may be the old value of another. */
function jump(f: FunctionText, target: Block, operands: readonly Value[]): void {
  const moves = operands.flatMap((value, i) => {
    const to = f.use(target.args[i]!);
    return f.leaves(value.type).map((leaf, k) => ({ to: to[k]!, from: f.use(value)[k]!, bits: leaf.bits }));
  });
  const written = new Set(moves.map((m) => m.to));
  const kept = moves.map(({ from, bits }) => {
    if (!written.has(from)) return from;
    const copy = f.fresh(bits);
    f.move(copy, from, bits);
    return copy;
  });
  moves.forEach(({ to, bits }, i) => f.move(to, kept[i]!, bits));
  f.put(`bra ${f.label(target)}`);
}

/** Bytes of dynamic shared memory that the module says it needs. */
export const sharedBytesOf = (module: Operation): number | undefined => intOf(module.attr("ttg.shared"));
