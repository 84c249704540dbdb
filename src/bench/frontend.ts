/**
 * kernel.py to TTIR beside Triton's own ast_to_ttir in the same run, warm; and `tt-step kernel.py --emit ttir` beside
 * `python -c "import triton"`, which is where a Triton program begins.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { defaultOptions } from "../backend/targets.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { compileKernel, readPython } from "../frontend/compile-python.js";
import { chooseKernel, specialize } from "../frontend/specialize.js";
import { gpuCalled } from "../gpu/gpu.js";
import { Context } from "../ir/context.js";
import { verifyOperation } from "../ir/verify.js";

const FOLDER = "fixtures/frontend/kernels";
const KERNELS = ["vecadd_f32", "softmax_row", "layernorm_fwd", "matmul_f16_128x128x32_w4", "flash_attn_d64", "dropout_philox"] as const;
const CAPABILITY = 80;

interface Job {
  readonly file: string;
  readonly kernel: string;
  readonly signature: readonly (readonly [name: string, type: string])[];
  readonly constants: readonly (readonly [index: number, expression: string])[];
  readonly attrs: readonly (readonly [index: number, divisibility: number])[];
}

/** Prints one line a kernel. Without `python` our own times alone. */
export async function reportFrontEnd(python: string | undefined): Promise<void> {
  const began = performance.now();
  const loaded = performance.now() - began;
  const known = JSON.parse(readFileSync("fixtures/frontend/kernels.json", "utf8")) as Record<string, { kernel: string; signature: string }>;
  const jobs: Job[] = [];
  const ours: number[] = [];
  for (const name of KERNELS) {
    const file = `${FOLDER}/${name}.py`;
    const { kernel, signature } = known[name]!;
    const { compile, job } = prepared(file, readFileSync(file, "latin1"), kernel, signature);
    for (let i = 0; i < 30; i++) compile();
    ours.push(fastest(30, compile));
    jobs.push(job);
  }
  const theirs = python === undefined ? undefined : triton(python, jobs);
  process.stdout.write(
    `\nkernel.py to TTIR, warm${theirs ? ", beside Triton's ast_to_ttir" : ""} (the grammar is loaded in ${loaded.toFixed(0)} ms)\n`,
  );
  for (const [i, name] of KERNELS.entries())
    process.stdout.write(
      `  ${name.padEnd(26)} ${ours[i]!.toFixed(2).padStart(8)} ms${theirs ? `  ${(ours[i]! / theirs[i]!).toFixed(2)}x its ${theirs[i]!.toFixed(2)} ms` : ""}\n`,
    );
  reportCommand(python, known);
}

function prepared(file: string, text: string, name: string, signature: string): { readonly compile: () => void; readonly job: Job } {
  const options = { gpu: gpuCalled(`cuda:${CAPABILITY}`)!, ...defaultOptions(`cuda:${CAPABILITY}`) };
  const given = { kernel: name, signature, types: [], constants: [], config: undefined };
  let job: Job | undefined;
  const compile = (): void => {
    const ctx = new Context(ALL_DIALECTS);
    const read = readPython(ctx, file, text, { readFile: () => undefined });
    const kernel = chooseKernel(read?.kernels ?? [], name, file);
    if (!read || "error" in kernel) throw new Error(ctx.diagnostics[0]?.message);
    const made = specialize(kernel, given, []);
    if ("error" in made) throw new Error(made.error);
    const { specialization } = made;
    const module = compileKernel(read, specialization, options);
    if (!module || !verifyOperation(module)) throw new Error(ctx.diagnostics[0]?.message);
    job ??= {
      file,
      kernel: name,
      signature: [...specialization.signature].map(([key, type]) => [key, String(type)]),
      constants: [...specialization.constants].map(([path, expression]) => [Number(path), expression]),
      attrs: [...specialization.attrs].map(([path, [attr]]) => [Number(path), attr![1]]),
    };
  };
  compile();
  return { compile, job: job! };
}

/** The fastest of 30 runs of each, in milliseconds; in both the module is verified. */
const TRITON = `
import importlib.util, json, sys, time
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton._C.libtriton import ir
out = []
backend = make_backend(GPUTarget("cuda", ${CAPABILITY}, 32))
options = backend.parse_options({})
for n, job in enumerate(json.loads(sys.argv[1])):
    spec = importlib.util.spec_from_file_location(f"kernel{n}", job["file"])
    module = importlib.util.module_from_spec(spec); sys.modules[spec.name] = module; spec.loader.exec_module(module)
    fn = getattr(module, job["kernel"])
    src = ASTSource(fn, dict(job["signature"]), {(i,): eval(e) for i, e in job["constants"]}, {(i,): [["tt.divisibility", d]] for i, d in job["attrs"]})
    times = []
    for _ in range(35):
        ctx = ir.context(); ir.load_dialects(ctx); backend.load_dialects(ctx)
        t = time.perf_counter()
        src.make_ir(GPUTarget("cuda", ${CAPABILITY}, 32), options, backend.get_codegen_implementation(options), backend.get_module_map(), ctx)
        times.append((time.perf_counter() - t) * 1000)
    out.append(min(times[5:]))
print(json.dumps(out))
`;

function triton(python: string, jobs: readonly Job[]): readonly number[] {
  const child = spawnSync(python, ["-c", TRITON, JSON.stringify(jobs)], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`triton: ${child.stderr}`);
  return JSON.parse(child.stdout.trim().split("\n").at(-1)!) as number[];
}

function reportCommand(python: string | undefined, known: Readonly<Record<string, { kernel: string; signature: string }>>): void {
  const name = "matmul_f16_128x128x32_w4";
  const { kernel, signature } = known[name]!;
  const argv = ["bin/tt-step.js", `${FOLDER}/${name}.py`, "--kernel", kernel, "--signature", signature, "--emit", "ttir"];
  const command = fastest(9, () => void spawnSync(process.execPath, argv, { stdio: "ignore" }));
  const imported = python && fastest(9, () => void spawnSync(python, ["-c", "import triton"], { stdio: "ignore" }));
  process.stdout.write(
    `  tt-step matmul.py --emit ttir: ${command.toFixed(0)} ms${imported ? `, ${(command / imported).toFixed(2)} times python -c "import triton"` : ""}\n`,
  );
}

/** The time of the fastest of several runs, in milliseconds: other work on the machine only adds time. */
function fastest(runs: number, body: () => void): number {
  let best = Infinity;
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    body();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
