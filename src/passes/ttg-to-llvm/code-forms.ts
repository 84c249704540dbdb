/**
 * Where versions of Triton make different code of the same op: one record a version, which rules read as `lo.forms`.
 * Source: lib/Conversion/TritonGPUToLLVM and third_party/nvidia/lib/TritonNVIDIAGPUToLLVM of each version.
 */
import { canSkipBarSync37, type MembarFilter } from "../../analysis/membar.js";

export interface CodeForms {
  /** The number of a warp is an op until convert-nv-gpu-to-llvm also where nobody needs to know that all lanes have the same. */
  readonly warpIdOp: boolean;
  /** With one CTA a cluster, its number is 0 from the start, not only when all is lowered. */
  readonly knownCTA: boolean;
  /** Parameters that are pointers say what they point to. */
  readonly pointeeTypes: boolean;
  /** Stores to shared memory are PTX also where no thread is left out. */
  readonly storeByAsm: boolean;
  /** The intrinsic of 2 to a power in fp32. */
  readonly ex2: string;
  /** From sm_90 on, an elected thread starts and ends mbarriers; before, the first one. */
  readonly electedInit: boolean;
  /** The state space of mbarriers that are waited for or expect bytes. */
  readonly mbarrierSpace: string;
  /** The state space that TMA copies to. */
  readonly tmaSpace: string;
  /** tcgen05.commit takes an address in the cluster's shared memory. */
  readonly commitInCluster: boolean;
  /** Accesses that need no barrier between them. */
  readonly skipBarrier: MembarFilter | undefined;
}

export const CODE_FORMS = {
  "3.6": {
    warpIdOp: false,
    knownCTA: false,
    pointeeTypes: false,
    storeByAsm: false,
    ex2: "llvm.nvvm.ex2.approx.f",
    electedInit: false,
    mbarrierSpace: "shared",
    tmaSpace: "shared::cluster",
    commitInCluster: false,
    skipBarrier: undefined,
  },
  "3.7": {
    warpIdOp: true,
    knownCTA: true,
    pointeeTypes: true,
    storeByAsm: true,
    ex2: "llvm.nvvm.ex2.approx.f32",
    electedInit: true,
    mbarrierSpace: "shared::cta",
    tmaSpace: "shared::cta",
    commitInCluster: true,
    skipBarrier: canSkipBarSync37,
  },
} as const satisfies Readonly<Record<string, CodeForms>>;

export type CodeFormsName = keyof typeof CODE_FORMS;
export const CODE_FORMS_NAMES = Object.keys(CODE_FORMS) as CodeFormsName[];
