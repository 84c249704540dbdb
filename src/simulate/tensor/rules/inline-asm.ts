/**
 * tt.elementwise_inline_asm: the assembly becomes the body of a kernel of one thread for each group of packed elements,
 * which the thread level executes. Groups are neighbours in row-major order: which elements are packed together is not
 * defined by Triton, and is this where threads hold so many neighbours. Assembly that mixes them, so that it gives other
 * results where they are grouped otherwise, is found out.
 */

import * as tt from "../../../dialects/tt/ops/index.js";
import { numElements } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { byName } from "../../../support/by-name.js";
import { runPtx } from "../../ptx/run.js";
import type { Data, Element } from "../elements.js";
import { operandsOf, type Rule, setResults } from "../instructions.js";
import { type Machine, Stop } from "../machine.js";
import { type Tensor, tensor, tensorSpec } from "../value.js";
import { readable } from "./elementwise.js";

/** Registers by the letter of their constraint. */
const REGISTERS: Readonly<Record<string, { readonly type: string; readonly suffix: string }>> = byName({
  r: { type: ".b32", suffix: "b32" },
  h: { type: ".b16", suffix: "b16" },
  l: { type: ".b64", suffix: "b64" },
  f: { type: ".f32", suffix: "f32" },
  d: { type: ".f64", suffix: "f64" },
});
const THREADS = 128;
/** Every register has eight bytes in memory. */
const SLOT = 8;

/** How many registers hold the packed elements of one operand, and how many elements each. */
function registersOf(element: Element, packed: number): { readonly count: number; readonly elements: number } {
  const elements = Math.min(Math.max(Math.floor(32 / (element.bytes * 8)), 1), packed);
  return { count: packed / elements, elements };
}

const inlineAsm: Rule = (instruction) => {
  const { op } = instruction;
  const { asm_string, constraints, packed_element } = tt.ElementwiseInlineAsmOp.match(op)!;
  const packed = packed_element >>> 0;
  const results = op.results.map((r) => tensorSpec(r.type));
  const operands = op.operands.map((v) => tensorSpec(v.type));
  const outs = results.map(({ element }) => registersOf(element, packed));
  const ins = operands.map(({ element }) => registersOf(element, packed));
  const numOuts = outs.reduce((n, r) => n + r.count, 0);
  const numIns = ins.reduce((n, r) => n + r.count, 0);
  const text = kernelText(op, asm_string, constraints, numOuts, numIns);
  const execute = (values: readonly Tensor[], machine: Machine): Tensor[] => {
    const total = values[0]?.data.length ?? numElements(results[0]!.shape);
    const groups = Math.ceil(total / packed);
    const blocks = Math.ceil(groups / THREADS);
    const slots = blocks * THREADS;
    const inputs = values.flatMap((v, k) => packedInputs(v, ins[k]!, packed, slots));
    const buffers = [...inputs, ...Array.from({ length: numOuts }, () => new Uint8Array(slots * SLOT))];
    const run = runPtx(text, {
      grid: [blocks, 1, 1],
      args: buffers.map((data, i) => ({ kind: "buffer", spec: { name: `p${i}`, element: "i64", data } }) as const),
      checks: false,
      facts: false,
      limits: { maxSteps: machine.limits.maxSteps },
    });
    const problem = run.diagnostics[0]?.message ?? run.findings[0]?.message;
    if (problem !== undefined) throw new Stop("not-modelled", `inline assembly: ${problem}`, op);
    let next = numIns;
    return results.map(({ element, shape }, k) => {
      const registers = Array.from({ length: outs[k]!.count }, () => run.memory.contents(`p${next++}`, slots * SLOT));
      return tensor(element, shape, unpackedOutput(element, registers, outs[k]!.elements, packed, total));
    });
  };
  let isChecked = packed === 1;
  return (frame, machine) => {
    const values = operandsOf(frame, instruction).map((v) => readable(machine, op, v));
    const computed = execute(values, machine);
    if (/%(?:globaltimer|clock)/.test(asm_string)) machine.findings.add("time-dependent", op, "what comes out depends on when it runs");
    if (!isChecked) {
      isChecked = true;
      const regrouped = execute(values.map(turned), machine);
      if (!computed.every((result, k) => sameBytes(turned(result), regrouped[k]!)))
        machine.findings.add(
          "layout-dependent",
          op,
          `which of ${packed} elements are packed together, and so what comes out, depends on the layout`,
        );
    }
    setResults(frame, instruction, computed);
  };
};

/** Every element one place further, so that other ones are packed together. */
function turned({ element, shape, data }: Tensor): Tensor {
  const further = element.alloc(data.length);
  further.set(data.subarray(0, -1) as never, 1);
  further[0] = data.at(-1) as never;
  return tensor(element, shape, further);
}
function sameBytes(a: Tensor, b: Tensor): boolean {
  const [left, right] = [bytesOf(a.data), bytesOf(b.data)];
  return left.every((byte, i) => byte === right[i]);
}
const bytesOf = ({ buffer, byteOffset, byteLength }: Data): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength);

/** One array of slots for each register of an operand. */
function packedInputs(
  value: Tensor,
  { count, elements }: { readonly count: number; readonly elements: number },
  packed: number,
  slots: number,
): Uint8Array[] {
  const { bytes } = value.element;
  const from = bytesOf(value.data);
  return Array.from({ length: count }, (_, register) => {
    const out = new Uint8Array(slots * SLOT);
    for (let i = register * elements, group = 0; i < value.data.length; i += packed, group++)
      out.set(from.subarray(i * bytes, Math.min(i + elements, value.data.length) * bytes), group * SLOT);
    return out;
  });
}
function unpackedOutput(element: Element, registers: readonly Uint8Array[], elements: number, packed: number, total: number): Data {
  const data = element.alloc(total);
  const to = new Uint8Array(data.buffer);
  const { bytes } = element;
  registers.forEach((from, register) => {
    for (let i = register * elements, group = 0; i < total; i += packed, group++)
      to.set(from.subarray(group * SLOT, group * SLOT + Math.min(elements, total - i) * bytes), i * bytes);
  });
  return data;
}

/** A kernel that loads the operands' registers, runs the assembly, and stores those of the results. */
function kernelText(op: Operation, assembly: string, constraints: string, numOuts: number, numIns: number): string {
  const all = constraints
    .split(",")
    .map((c) => c.trim())
    .filter((c) => c !== "" && !c.startsWith("~"));
  const letters = all.map((constraint) => constraint.replace(/^[=+&]+/, ""));
  if (letters.length < numOuts + numIns)
    throw new Stop("not-modelled", `inline assembly has ${letters.length} constraints for ${numOuts + numIns} registers`, op);
  const kinds = letters.map((letter) => REGISTERS[/^\d+$/.test(letter) ? letters[Number(letter)]! : letter]);
  const unknown = kinds.indexOf(undefined);
  if (unknown >= 0) throw new Stop("not-modelled", `the constraint '${letters[unknown]}' of inline assembly is not modelled`, op);
  const name = (i: number) => `%operand${i}`;
  // A tied input is its output's register.
  const registerOf = (i: number) => name(/^\d+$/.test(letters[i]!) ? Number(letters[i]) : i);
  const body = assembly.replace(/\$\$|\$\{(\d+)(?::\w)?\}|\$(\d+)/g, (whole, braced?: string, plain?: string) =>
    whole === "$$" ? "$" : registerOf(Number(braced ?? plain)),
  );
  const params = Array.from({ length: numIns + numOuts }, (_, i) => `.param .u64 p${i}`).join(", ");
  const address = (param: number) => `ld.param.u64 %base, [p${param}]; cvta.to.global.u64 %base, %base; add.s64 %base, %base, %offset;`;
  const lines = [
    ".version 8.7",
    ".target sm_90a",
    ".address_size 64",
    `.visible .entry asm_kernel(${params}) .reqntid ${THREADS}, 1, 1`,
    "{",
    ".reg .b32 %thread, %block;",
    ".reg .b64 %base, %offset;",
    ...letters.slice(0, numOuts + numIns).flatMap((letter, i) => (/^\d+$/.test(letter) ? [] : [`.reg ${kinds[i]!.type} ${name(i)};`])),
    "mov.u32 %thread, %tid.x;",
    "mov.u32 %block, %ctaid.x;",
    `mad.lo.s32 %thread, %block, ${THREADS}, %thread;`,
    `mul.wide.s32 %offset, %thread, ${SLOT};`,
    ...Array.from(
      { length: numIns },
      (_, i) => `${address(i)} ld.global.${kinds[numOuts + i]!.suffix} ${registerOf(numOuts + i)}, [%base];`,
    ),
    "{",
    body,
    "}",
    ...Array.from({ length: numOuts }, (_, i) => `${address(numIns + i)} st.global.${kinds[i]!.suffix} [%base], ${name(i)};`),
    "ret;",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

export const INLINE_ASM: readonly (readonly [OpDef, Rule])[] = [[tt.ElementwiseInlineAsmOp, inlineAsm]];
