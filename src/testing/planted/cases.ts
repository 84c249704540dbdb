/** Kernels of the fixtures as TTIR, a few as TTGIR, and what each is compiled for. */
import { readdirSync, readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { TargetOptions } from "../../backend/targets.js";
import { DEFAULT_TRITON, TRITON_VERSIONS, type TritonVersion } from "../../support/triton-version.js";

export interface Kernel {
  readonly name: string;
  readonly text: string;
  readonly options: Partial<TargetOptions>;
  readonly triton: TritonVersion;
  /** The stage of the text. TTGIR is compiled as Gluon's, whose kernels hold what no TTIR becomes: loops that carry buffers, say. */
  readonly from?: "ttgir";
  /** How the names of its targets begin; undefined where it is for all. */
  readonly platform?: string;
  /** The JSON of a file of preconditions. */
  readonly preconditions: string | undefined;
  /** Written to show faults. */
  readonly showsFaults: boolean;
}

export const TARGETS: readonly string[] = [..."75 80 89 90 100 120".split(" ").map((n) => `cuda:${n}`), "hip:gfx942", "hip:gfx950"];

/** Options of the kernels that do not use the default ones. */
const OPTIONS: Readonly<Record<string, Partial<TargetOptions>>> = {
  clusters: { numCtas: 2 },
  dot_cluster: { numCtas: 2, numStages: 2 },
  dot_pair: { numCtas: 2, numStages: 1 },
  matmul_ctas2: { numCtas: 2 },
  matmul_f16_16x16x16_w1: { numWarps: 1 },
  matmul_f16_nohint_s1: { numStages: 1 },
  matmul_f16_s2_masked: { numStages: 2 },
  overlaid: { numWarps: 8 },
  print_assert: { debug: true },
  shares: { numCtas: 2 },
  swaps: { numWarps: 1 },
  words: { numWarps: 1 },
  amd_turned: { numWarps: 1 },
  amd_turns: { numWarps: 8 },
};
/** Options of AMD's targets with which a kernel is compiled as well. */
const ON_AMD: Readonly<Record<string, Readonly<Record<string, Partial<TargetOptions>>>>> = {
  matmul: {
    async: { useAsyncCopy: true, numStages: 3 },
    large: { numWarps: 8 },
    pointers: { useBufferOps: false },
    untransposed: { useInThreadTranspose: false },
  },
  matmul_f16_s2_masked: { async: { useAsyncCopy: true, numStages: 2 }, pointers: { useBufferOps: false } },
  matmul_f16_64x64x64_w4: { async: { useAsyncCopy: true, numStages: 4 } },
  flash_attention: { chained: { numStages: 4 } },
  halves: { pointers: { useBufferOps: false, useBufferAtomics: false } },
  guards: { pointers: { useBufferOps: false } },
  amd_tail: { async: { useAsyncCopy: true, numStages: 3 } },
  amd_again: { async: { useAsyncCopy: true, numStages: 3 } },
  amd_adds: { pointers: { useBufferOps: false, useBufferAtomics: false } },
  "memory.atomics": { pointers: { useBufferOps: false, useBufferAtomics: false } },
};
/** Kernels that NVIDIA's targets compile as other Tritons do too. */
const ON_TRITON: Readonly<Record<string, readonly string[]>> = {
  "3.8":
    "reduced nans sums columns outer halves scans picked added twice needed few late memory.dots scaled_mixed dot_scaled_mx gather_scatter matmul_tensordesc shares down warp_specialized_dot matmul_warp_spec flash_attention".split(
      " ",
    ),
};
/** Kernels that Triton 3.6 compiles to code with a race. */
const SINCE: Readonly<Record<string, string>> = { exchanged: "3.8", overlaid: "3.8" };
/** How the targets of a kernel begin that Triton's front end refuses for others: dots with a K for which NVIDIA has no instruction, types of fp8. */
const ONLY: Readonly<Record<string, string>> = { amd_dots: "hip:", amd_fnuz: "hip:gfx942" };
const PRECONDITIONS = JSON.parse(readFileSync("fixtures/simulate/preconditions.json", "utf8")) as Readonly<Record<string, unknown>>;

/** Every kernel of the fixtures once, by name. */
export function readKernels(): ReadonlyMap<string, Kernel> {
  const kernels = new Map<string, Kernel>();
  const add = (name: string, text: string, showsFaults = false) => {
    const bare = name.replace(/-(?:2-)?sm\d+$/, "");
    // Several preconditions of one kernel are several kernels here.
    const stated = [PRECONDITIONS[bare]].flat();
    const target = /ttg\.target = "(.+?)"/.exec(text)?.[1];
    for (const [index, preconditions] of stated.entries()) {
      const own = stated.length === 1 ? bare : `${bare}.launch${index}`;
      const kernel = {
        name: own,
        text,
        options: OPTIONS[bare] ?? {},
        triton: TRITON_VERSIONS.find(({ name }) => name === SINCE[bare]) ?? DEFAULT_TRITON,
        ...(ONLY[bare] === undefined ? {} : { platform: ONLY[bare] }),
        ...(SINCE[bare] === undefined && OPTIONS[bare]?.numCtas === undefined ? {} : { platform: "cuda:" }),
        ...(target === undefined ? {} : ({ from: "ttgir", platform: target } as const)),
        preconditions: JSON.stringify(preconditions),
        showsFaults,
      };
      kernels.set(own, kernel);
      for (const triton of TRITON_VERSIONS)
        if (ON_TRITON[triton.name]?.includes(bare))
          kernels.set(`${own}+${triton.name}`, { ...kernel, name: `${own}+${triton.name}`, triton, platform: "cuda:" });
      for (const [variant, options] of Object.entries(ON_AMD[bare] ?? {})) {
        const name = `${own}+${variant}`;
        kernels.set(name, {
          ...kernel,
          name,
          options: { ...kernel.options, ...options },
          platform: "hip:",
          preconditions: JSON.stringify(PRECONDITIONS[name] ?? preconditions),
        });
      }
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
      if (/^[^.]+\.ttg?ir$/.test(file))
        add(file.replace(/\.\w+$/, ""), readFileSync(`${own}/${file}`, "latin1"), own === "fixtures/mutants");
  return kernels;
}
