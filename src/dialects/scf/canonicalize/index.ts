/** The canonicalization patterns of scf, for each op in upstream's order. Source: mlir/lib/Dialect/SCF/IR/SCF.cpp. */
import type { Pattern } from "../../../rewrite/pattern.js";
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
import {
  removeLoopInvariantArgsFromBeforeBlock,
  removeLoopInvariantValueYielded,
  whileCmpCond,
  whileConditionTruth,
  whileOpAlignBeforeArgs,
  whileRemoveDuplicatedResults,
  whileRemoveUnusedArgs,
  whileUnusedResult,
} from "./while.js";

/** The patterns of scf.for and of scf.if, for passes that clean up loops or branches only. */
export const FOR_CANONICALIZATION: readonly Pattern[] = [forOpIterArgsFolder, simplifyTrivialLoops];
export const IF_CANONICALIZATION: readonly Pattern[] = [
  combineIfs,
  combineNestedIfs,
  conditionPropagation,
  convertTrivialIfToSelect,
  removeEmptyElseBranch,
  removeStaticCondition,
  removeUnusedResults,
  replaceIfYieldWithConditionOrValue,
];

export const SCF_CANONICALIZATION: readonly Pattern[] = [
  singleBlockExecuteInliner,
  multiBlockExecuteInliner,
  ...FOR_CANONICALIZATION,
  ...IF_CANONICALIZATION,
  parallelOpSingleOrZeroIterationDimsFolder,
  mergeNestedParallelLoops,
  foldConstantCase,
  removeLoopInvariantArgsFromBeforeBlock,
  removeLoopInvariantValueYielded,
  whileConditionTruth,
  whileCmpCond,
  whileUnusedResult,
  whileRemoveDuplicatedResults,
  whileRemoveUnusedArgs,
  whileOpAlignBeforeArgs,
];
