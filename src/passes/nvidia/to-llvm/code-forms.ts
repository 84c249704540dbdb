/**
 * Where versions of Triton make different code of the same op for NVIDIA's GPUs: one record a version, which rules read as `lo.forms`.
 * Source: lib/Conversion/TritonGPUToLLVM and third_party/nvidia/lib/TritonNVIDIAGPUToLLVM of each version.
 */
import { canSkipBarSync37 } from "../../../analysis/membar.js";
import type { CodeForms } from "../../ttg-to-llvm/code-forms.js";

export interface NvidiaForms extends CodeForms {
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
} as const satisfies Readonly<Record<string, NvidiaForms>>;

export type CodeFormsName = keyof typeof CODE_FORMS;
export const CODE_FORMS_NAMES = Object.keys(CODE_FORMS) as CodeFormsName[];
