/** Benchmarks of execution: lanes' instructions a second at thread level, and one program of a matmul there and at tensor level. */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { kernelOf } from "../dialects/builtin/function-op.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { type LaunchArgument, runPtx } from "../simulate/ptx/run.js";
import { planArguments } from "../simulate/tensor/arguments.js";
import { runModule } from "../simulate/tensor/run.js";
import { parseModule } from "../syntax/parse.js";

const kernel = (name: string): string => gunzipSync(readFileSync(`fixtures/simulate/kernels/${name}.ptx.gz`)).toString("latin1");
const scalar = (value: number): LaunchArgument => ({ kind: "scalar", value });
const buffer = (name: string, element: "f16" | "f32" | "i32"): LaunchArgument => ({ kind: "buffer", spec: { name, element } });

/** Prints the figures. */
export function reportSimulation(): void {
  reportTensorLevel();
  process.stdout.write("\nExecution at thread level\n");
  const matmul = kernel("matmul_f16_128x128x32_w4-sm80");
  for (const name of ["first", "second"]) {
    const start = performance.now();
    runPtx(matmul, {
      grid: [1, 1, 1],
      args: [buffer("a", "f16"), buffer("b", "f16"), buffer("c", "f16"), ...[128, 128, 128, 128, 128, 128].map(scalar)],
      sharedBytes: 65536,
    });
    const seconds = (performance.now() - start) / 1e3;
    process.stdout.write(`  128x128x32 fp16 matmul, K = 128, one program, ${name} time: ${seconds.toFixed(2)} s (limit 2 s)\n`);
  }
  rate("elementwise f32, registers alone", arithmeticKernel(), [buffer("out", "f32"), scalar(200_000)]);
  rate("while_collatz, lanes diverging", kernel("while_collatz-sm80"), [buffer("x", "i32"), buffer("y", "i32"), scalar(1 << 15)], 128);
}

/** TTIR and TTGIR; the second time the loops are compiled. */
function reportTensorLevel(): void {
  process.stdout.write("\nExecution at tensor level\n");
  for (const stage of ["ttir", "ttgir"])
    for (const time of ["first", "second"]) {
      const name = `matmul_f16_128x128x32_w4-sm80.${stage}`;
      const text = gunzipSync(readFileSync(`fixtures/simulate/kernels/${name}.gz`)).toString("latin1");
      const { module } = parseModule(new Context(ALL_DIALECTS), name, text)!;
      const start = performance.now();
      const sizes = planArguments(module, kernelOf(module)!).map((arg) => (arg.kind === "scalar" ? { ...arg, value: 128 } : arg));
      runModule(module, { args: sizes, programs: [[0, 0, 0]] });
      const seconds = (performance.now() - start) / 1e3;
      process.stdout.write(
        `  128x128x32 fp16 matmul, K = 128, one program, ${stage}, ${time} time: ${seconds.toFixed(3)} s (limit 0.3 s)\n`,
      );
    }
}

function rate(name: string, text: string, args: readonly LaunchArgument[], programs = 1): void {
  const start = performance.now();
  const { laneInstructions } = runPtx(text, { grid: [programs, 1, 1], args, sharedBytes: 4096 });
  const seconds = (performance.now() - start) / 1e3;
  process.stdout.write(`  ${name}: ${(laneInstructions / seconds / 1e6).toFixed(0)} million lanes' instructions a second (at least 50)\n`);
}

/** A loop of multiply-adds, integer and address arithmetic, as kernels have them. */
function arithmeticKernel(): string {
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .global k_param_0, .param .u32 k_param_1)
.reqntid 32
{
  .reg .pred %p<2>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  ld.param.b64 %rd1, [k_param_0];
  ld.param.b32 %r1, [k_param_1];
  mov.u32 %r2, %tid.x;
  cvt.rn.f32.s32 %r3, %r2;
  mov.b32 %r4, 0;
L:
  fma.rn.f32 %r5, %r3, 0f3F7FF000, 0f3F000000;
  mul.f32 %r6, %r5, %r3;
  max.f32 %r3, %r6, 0f3F800000;
  xor.b32 %r7, %r4, %r2;
  shl.b32 %r8, %r7, 2;
  mad.lo.s32 %r9, %r8, 3, %r7;
  mul.wide.s32 %rd2, %r9, 4;
  add.s64 %rd3, %rd1, %rd2;
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p1, %r4, %r1;
  @%p1 bra L;
  ret;
}
`;
}
