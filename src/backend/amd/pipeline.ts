/**
 * The passes that Triton runs for HIP targets: stage by stage, in order, with options.
 * Source: third_party/amd/backend/compiler.py, make_ttir, make_ttgir, gluon_to_ttgir, make_llir.
 */
import { amdGpuOf, archOf } from "../../gpu/amd.js";
import {
  accelerateMatmulAmd,
  canonicalizePointers,
  convertBufferOps,
  foldTrueCmpI,
  hoistLayoutConversions,
  optimizeDotOperandsAmd,
  optimizeEpilogue,
  pipelineAmd,
  reorderInstructionsAmd,
  scheduleLoopsAmd,
} from "../../passes/amd/index.js";
import { canonicalize, cse, inline, sccp, symbolDce } from "../../passes/common/index.js";
import { convertTritonToTritonGpu } from "../../passes/convert/index.js";
import { gluonCanonicalize, gluonInline, gluonResolveAutoEncodings } from "../../passes/gluon/index.js";
import {
  combine,
  loopAwareCse,
  loopInvariantCodeMotion,
  loopUnroll,
  reorderBroadcast,
  rewriteTensorDescriptorToPointer,
  rewriteTensorPointer,
} from "../../passes/tt/index.js";
import {
  coalesce,
  combineTensorSelectAndIf,
  f32DotTC,
  fuseNestedLoops,
  optimizeThreadLocality,
  reduceDataDuplication,
  removeLayoutConversions,
} from "../../passes/ttg/index.js";
import { type BackendStep, type BackendTarget, type Pipeline, stage } from "../backend.js";
import { type HipOptions, hipDefaults } from "./options.js";

export const hipPipeline: Pipeline<Partial<HipOptions>> = ({ target, options: given }, language) => {
  const options = { ...hipDefaults(target), ...given };
  return language === "gluon" ? gluonToTtgir : toTtgir({ target, options });
};

const gluonToTtgir = stage("ttgir", [
  gluonInline(),
  gluonResolveAutoEncodings(),
  sccp(),
  loopAwareCse(),
  gluonCanonicalize(),
  combineTensorSelectAndIf(),
]);

/** Whether half of the warps run ahead of the others in pipelined loops. */
const usesPingpong = (arch: string, { useBlockPingpong, useAsyncCopy }: HipOptions): boolean =>
  useBlockPingpong ?? (arch === "gfx942" || (arch === "gfx950" && useAsyncCopy));

const toTtgir = ({ target, options }: BackendTarget<HipOptions>): readonly BackendStep[] => {
  const { numWarps, numCtas: numCTAs } = options;
  const gpu = amdGpuOf(archOf(target)!)!;
  const { arch } = gpu;
  const kPack = arch === "gfx950" ? 1 : options.kpack;
  return [
    ...stage("ttir", [
      inline(),
      rewriteTensorPointer(),
      rewriteTensorDescriptorToPointer(),
      canonicalize(),
      combine(),
      reorderBroadcast(),
      cse(),
      loopInvariantCodeMotion(),
      symbolDce(),
      loopUnroll(),
    ]),
    ...stage("ttgir", [
      convertTritonToTritonGpu({ target, numWarps, threadsPerWarp: gpu.warpSize, numCTAs }),
      coalesce(),
      f32DotTC({ emuTF32: false }),
      removeLayoutConversions(),
      optimizeThreadLocality(),
      accelerateMatmulAmd({ archGenerationName: arch, matrixInstructionSize: options.matrixInstrNonkdim, kPack }),
      removeLayoutConversions(),
      optimizeEpilogue(),
      optimizeDotOperandsAmd({ archGenerationName: arch }),
      hoistLayoutConversions(),
      fuseNestedLoops(),
      canonicalize(),
      loopInvariantCodeMotion(),
      canonicalize(),
      scheduleLoopsAmd({ numStages: options.numStages }),
      pipelineAmd({ useAsyncCopy: options.useAsyncCopy, usePingpong: usesPingpong(arch, options) }),
      canonicalize(),
      removeLayoutConversions(),
      reduceDataDuplication(),
      reorderInstructionsAmd(),
      ...(options.useBufferOps
        ? [
            canonicalizePointers(),
            canonicalize(),
            convertBufferOps({
              archGenerationName: arch,
              allowBufferAtomics: options.useBufferAtomics,
              analyzeSmallTensorOfst: options.analyzeSmallTensorRange,
            }),
          ]
        : []),
      foldTrueCmpI(),
      canonicalize(),
      cse(),
      symbolDce(),
    ]),
  ];
};
