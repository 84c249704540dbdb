/** Functions of libdevice as inline assembly: what gives them a body in LLVM IR, where no libdevice is linked. */

import { stringOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import { signatureOf } from "../llvm-ir/function-signature.js";
import type { InlineAsm } from "../llvm-ir/target.js";
import { analyse } from "./cfg.js";
import { cleanUp } from "./cleanup.js";
import { emitBody } from "./emit.js";
import { leavesOf } from "./leaves.js";
import { expandLibdevice } from "./libdevice.js";
import { LocTable } from "./lines.js";
import { type LoweringOptions, type Problem, PtxLowering } from "./lower.js";
import { lowerOp } from "./lower-ops.js";
import { schedule } from "./schedule.js";

/**
 * The expansion of a declared `__nv_...` as one block of inline assembly whose `$0` is the result; undefined for what has none.
 * Registers have names that PTX of others does not use, since those of the operands must stay visible inside the block.
 */
export function libdeviceAsm(func: Operation, options: Omit<LoweringOptions, "depot">): InlineAsm | undefined {
  const name = stringOf(func.attr("sym_name"))!;
  if (!name.startsWith("__nv_")) return undefined;
  const { params, returnType } = signatureOf(func);
  const leaves = [returnType, ...params].flatMap((type) => leavesOf(type) ?? []);
  if (leaves.length !== params.length + 1) return undefined;
  const problems: Problem[] = [];
  const l = new PtxLowering(func, new Map(), { ...options, depot: "" }, problems, lowerOp, () => 0);
  const args = leaves.slice(1).map(({ width, bits }, i) => l.graph.pure("param", width, [], { index: i, bits }));
  const values = expandLibdevice(l, func, name, args);
  if (!values || problems.length > 0) return undefined;
  l.block.terminator = { kind: "return", values, bits: [leaves[0]!.bits] };
  cleanUp(l.s, l.entry);
  const order = analyse(l.entry);
  schedule(order);
  const { text, registers } = emitBody(l.graph, order, { name, index: 0, lines: new LocTable(), shared: l.shared });
  const declared = ([1, 16, 32, 64] as const)
    .filter((width) => registers[width] > 0)
    .map((width) => `.reg .${width === 1 ? "pred" : `b${width}`} ${REGISTERS[width]}<${registers[width] + 1}>;`);
  const body = text
    .replaceAll("\t", "")
    .replace(/ret;$/, "")
    // Labels: LLVM reads one dollar sign as an operand. They are the block's own, so that several copies do not meet.
    .replaceAll("$L__", () => "$$L__")
    .replace(/%(p|rs|rd|r)(?=\d)/g, "%nv_$1")
    .replace(
      /ld\.param\.(b\d+) (\S+), \[\w+_param_(\d+)\];/g,
      (_, type: string, to: string, i: string) => `mov.${type} ${to}, $${1 + Number(i)};`,
    )
    .replace(/st\.param\.(b\d+) \[func_retval0\], (\S+);/, "mov.$1 $$0, $2;");
  const letters = leaves.map(({ kind, width }) =>
    kind === "f64" ? "d" : kind === "f32" ? "f" : { 1: "b", 16: "h", 32: "r", 64: "l" }[width],
  );
  return { text: `{\n${[...declared, body.trimEnd()].join("\n")}\n}`, constraints: `=${letters.join(",")}` };
}

const REGISTERS = { 1: "%nv_p", 16: "%nv_rs", 32: "%nv_r", 64: "%nv_rd" } as const;
