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

export const SCF_CANONICALIZATION: readonly Pattern[] = [
  singleBlockExecuteInliner,
  multiBlockExecuteInliner,
  forOpIterArgsFolder,
  simplifyTrivialLoops,
  combineIfs,
  combineNestedIfs,
  conditionPropagation,
  convertTrivialIfToSelect,
  removeEmptyElseBranch,
  removeStaticCondition,
  removeUnusedResults,
  replaceIfYieldWithConditionOrValue,
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
