/** The canonicalization patterns of scf, for each op in upstream's order. Source: mlir/lib/Dialect/SCF/IR/SCF.cpp. */
import type { Pattern } from "../../../rewrite/pattern.js";
import { ForOp } from "../ops/for.js";
import { IfOp } from "../ops/if.js";
import { WhileOp } from "../ops/while.js";
import { multiBlockExecuteInliner, singleBlockExecuteInliner } from "./execute-region.js";
import { forOpIterArgsFolder, simplifyTrivialLoops } from "./for.js";
import {
  combineIfs,
  combineNestedIfs,
  conditionPropagation,
  convertTrivialIfToSelect,
  removeEmptyElseBranch,
  removeStaticCondition,
  removeUnusedResults,
  replaceIfYieldWithConditionOrValue,
} from "./if.js";
import { foldConstantCase } from "./index-switch.js";
import { mergeNestedParallelLoops, parallelOpSingleOrZeroIterationDimsFolder } from "./parallel.js";
import { ofVersions, regionBranchPatterns } from "./region-branch.js";
import {
  removeLoopInvariantArgsFromBeforeBlock,
  removeLoopInvariantValueYielded,
  whileCmpCond,
  whileConditionTruth,
  whileMoveIfDown,
  whileOpAlignBeforeArgs,
  whileRemoveDuplicatedResults,
  whileRemoveUnusedArgs,
  whileUnusedResult,
} from "./while.js";

/** The patterns of scf.for and of scf.if, for passes that clean up loops or branches only. */
export const FOR_CANONICALIZATION: readonly Pattern[] = [
  ofVersions(false, forOpIterArgsFolder),
  simplifyTrivialLoops,
  ...regionBranchPatterns(ForOp),
];
export const IF_CANONICALIZATION: readonly Pattern[] = [
  combineIfs,
  combineNestedIfs,
  conditionPropagation,
  convertTrivialIfToSelect,
  removeEmptyElseBranch,
  removeStaticCondition,
  ofVersions(false, removeUnusedResults),
  replaceIfYieldWithConditionOrValue,
  ...regionBranchPatterns(IfOp),
];

export const SCF_CANONICALIZATION: readonly Pattern[] = [
  singleBlockExecuteInliner,
  multiBlockExecuteInliner,
  ...FOR_CANONICALIZATION,
  ...IF_CANONICALIZATION,
  parallelOpSingleOrZeroIterationDimsFolder,
  mergeNestedParallelLoops,
  foldConstantCase,
  ofVersions(false, removeLoopInvariantArgsFromBeforeBlock),
  ofVersions(false, removeLoopInvariantValueYielded),
  whileConditionTruth,
  whileCmpCond,
  ofVersions(false, whileUnusedResult),
  ofVersions(false, whileRemoveDuplicatedResults),
  ofVersions(false, whileRemoveUnusedArgs),
  whileOpAlignBeforeArgs,
  ofVersions(true, whileMoveIfDown),
  ...regionBranchPatterns(WhileOp),
];
