/**
 * Where versions of Triton make different code of the same op for NVIDIA's GPUs: one record a version, which rules read as `lo.forms`.
 * Source: lib/Conversion/TritonGPUToLLVM and third_party/nvidia/lib/TritonNVIDIAGPUToLLVM of each version.
 */
import { canSkipBarSync } from "../../../analysis/membar.js";
import type { TritonVersion } from "../../../support/triton-version.js";
import type { CodeForms } from "../../ttg-to-llvm/code-forms.js";

export interface NvidiaForms extends CodeForms {
  /** Stores to shared memory are PTX also where no thread is left out. */
  readonly storeByAsm: boolean;
  /** The state spaces of accesses to shared memory: the CTA's own, and another CTA's of the cluster. */
  readonly ownSpace: string;
  readonly remoteSpace: string;
  /** The intrinsic of 2 to a power in fp32. */
  readonly ex2: string;
  /** From sm_90 on, an elected thread starts and ends mbarriers; before, the first one. */
  readonly electedInit: boolean;
  /** The state space of mbarriers that are waited for or expect bytes. */
  readonly mbarrierSpace: string;
  /** A thread arrives at an mbarrier's address, not at the struct that holds it. */
  readonly arrivesAtAddress: boolean;
  /** The state space that TMA copies to. */
  readonly tmaSpace: string;
  /** The bits of a shared address, in units of 16 bytes, that descriptors of matrices hold. */
  readonly descriptorAddressMask: number;
  /** Registers that a wgmma reads are copied after the wait for the one before. */
  readonly movesOperandsOfWgmma: boolean;
  /** TMA finds its part of shared memory by the number of the CTA. */
  readonly partsByCTA: boolean;
  /** tcgen05 names how many elements share a scale, not how many scales a product takes. */
  readonly namesScaleBlocks: boolean;
  /** The column that tcgen05.cp copies to is added to the address, not a disjoint part of it. */
  readonly addsCopyColumn: boolean;
  /** The parts of a load that reduces are put together before the wait for the load, not after it. */
  readonly combinesBeforeWait: boolean;
  /** Copies arrive at an mbarrier by the op for any pointer, not by the one for shared memory. */
  readonly copiesArriveAnywhere: boolean;
  /**
   * mbarriers that CTAs share: `none`; only the leading CTA expects bytes and waits (`leader`); and all arrive at the leading CTA's
   * (`remote`).
   */
  readonly sharedBarriers: "none" | "leader" | "remote";
  /** All warps of a CTA take part in the hardware's barrier of a cluster, also those that wait for work. */
  readonly clusterOfAllWarps: boolean;
  /**
   * Clusters may have more than one pair of CTAs that do dots together, the even one of which starts them; tcgen05.commit takes an address in
   * the cluster's shared memory.
   */
  readonly pairsInClusters: boolean;
}

const FORMS_3_6: NvidiaForms = {
  warpIdOp: false,
  knownCTA: false,
  pointeeTypes: false,
  shiftsBits: false,
  sharesByVendor: false,
  launchesKernelsAlone: false,
  padsConstantsApart: false,
  padsViewsApart: false,
  atomicsInOrder: false,
  indexesByBits: false,
  sharesStrings: false,
  wideScratchOffsets: false,
  constantsInMemory: false,
  descriptorAddressMask: 0x3fff,
  movesOperandsOfWgmma: false,
  partsByCTA: false,
  storeByAsm: false,
  ownSpace: "shared",
  remoteSpace: "shared::cta",
  ex2: "llvm.nvvm.ex2.approx.f",
  electedInit: false,
  mbarrierSpace: "shared",
  arrivesAtAddress: false,
  tmaSpace: "shared::cluster",
  namesScaleBlocks: false,
  addsCopyColumn: false,
  combinesBeforeWait: false,
  copiesArriveAnywhere: false,
  sharedBarriers: "none",
  clusterOfAllWarps: false,
  pairsInClusters: false,
  skipBarrier: undefined,
};
const FORMS_3_7: NvidiaForms = {
  ...FORMS_3_6,
  warpIdOp: true,
  knownCTA: true,
  pointeeTypes: true,
  storeByAsm: true,
  padsConstantsApart: true,
  ex2: "llvm.nvvm.ex2.approx.f32",
  electedInit: true,
  mbarrierSpace: "shared::cta",
  tmaSpace: "shared::cta",
  addsCopyColumn: true,
  combinesBeforeWait: true,
  copiesArriveAnywhere: true,
  sharedBarriers: "leader",
  pairsInClusters: true,
  skipBarrier: canSkipBarSync,
};
const FORMS_3_8: NvidiaForms = {
  ...FORMS_3_7,
  sharedBarriers: "remote",
  clusterOfAllWarps: true,
  arrivesAtAddress: true,
  shiftsBits: true,
  sharesByVendor: true,
  launchesKernelsAlone: true,
  padsViewsApart: true,
  atomicsInOrder: true,
  indexesByBits: true,
  sharesStrings: true,
  wideScratchOffsets: true,
  constantsInMemory: true,
  descriptorAddressMask: 0x7fff,
  movesOperandsOfWgmma: true,
  partsByCTA: true,
  namesScaleBlocks: true,
  combinesBeforeWait: false,
  ownSpace: "shared::cta",
  remoteSpace: "shared::cluster",
};

export const codeFormsOf = (version: TritonVersion): NvidiaForms => FORMS[version.codeForms];
const FORMS = { "3.6": FORMS_3_6, "3.7": FORMS_3_7, "3.8": FORMS_3_8 };
