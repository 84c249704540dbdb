/** The translation to texts after the last pass. Most compilations of the command line end before it, and do not load it. */
import type { Operation } from "../ir/operation.js";
import type { Artifacts } from "../trace/trace.js";
import { artifactsOf as artifactsOfAmd } from "./amd/artifacts.js";
import type { ArtifactRequest, BackendTarget } from "./backend.js";
import { artifactsOf as artifactsOfNvidia } from "./nvidia/artifacts.js";
import { CUDA } from "./nvidia/options.js";
import type { TargetOptions } from "./targets.js";

/** The artifacts of a module that are asked for, as far as it can be translated. */
export const artifactsOf = (module: Operation, target: BackendTarget<TargetOptions> & ArtifactRequest): Artifacts =>
  CUDA.owns(target.target) ? artifactsOfNvidia(module, target) : artifactsOfAmd(module, target);
