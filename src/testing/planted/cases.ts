/** Kernels of the fixtures as TTIR, and what each is compiled for. */
import { readdirSync, readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { CudaOptions } from "../../backend/nvidia/options.js";

export interface Kernel {
  readonly name: string;
  readonly text: string;
  readonly options: Partial<CudaOptions>;
  /** The JSON of a file of preconditions. */
  readonly preconditions: string | undefined;
  /** Written to show faults. */
  readonly showsFaults: boolean;
}

export const TARGETS = [75, 80, 89, 90, 100, 120] as const;

/** Options of the kernels that do not use the default ones. */
const OPTIONS: Readonly<Record<string, Partial<CudaOptions>>> = {
  clusters: { numCtas: 2 },
  dot_cluster: { numCtas: 2, numStages: 2 },
  dot_pair: { numCtas: 2, numStages: 1 },
  matmul_ctas2: { numCtas: 2 },
  matmul_f16_16x16x16_w1: { numWarps: 1 },
  matmul_f16_nohint_s1: { numStages: 1 },
  matmul_f16_s2_masked: { numStages: 2 },
  print_assert: { debug: true },
  swaps: { numWarps: 1 },
  words: { numWarps: 1 },
};
const PRECONDITIONS = JSON.parse(readFileSync("fixtures/simulate/preconditions.json", "utf8")) as Readonly<Record<string, unknown>>;

/** Every kernel of the fixtures once, by name. */
export function readKernels(): ReadonlyMap<string, Kernel> {
  const kernels = new Map<string, Kernel>();
  const add = (name: string, text: string, showsFaults = false) => {
    const bare = name.replace(/-(?:2-)?sm\d+$/, "");
    // Several preconditions of one kernel are several kernels here.
    const stated = [PRECONDITIONS[bare]].flat();
    for (const [index, preconditions] of stated.entries()) {
      const own = stated.length === 1 ? bare : `${bare}.launch${index}`;
      kernels.set(own, { name: own, text, options: OPTIONS[bare] ?? {}, preconditions: JSON.stringify(preconditions), showsFaults });
    }
  };
  const modules = brotliDecompressSync(readFileSync("fixtures/frontend/modules.ttir.br")).toString("latin1");
  for (const module of modules.split(/^=== /m).slice(1)) {
    const end = module.indexOf("\n");
    add(module.slice(0, end), module.slice(end + 1));
  }
  const folder = "fixtures/simulate/asynchronous";
  for (const file of readdirSync(folder))
    if (file.endsWith(".ttir.gz")) add(file.replace(".ttir.gz", ""), gunzipSync(readFileSync(`${folder}/${file}`)).toString("latin1"));
  for (const own of ["fixtures/kernels", "fixtures/mutants"])
    for (const file of readdirSync(own))
      if (/^[^.]+\.ttir$/.test(file)) add(file.replace(".ttir", ""), readFileSync(`${own}/${file}`, "latin1"), own === "fixtures/mutants");
  return kernels;
}
