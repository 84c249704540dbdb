/** Differences of code generation between versions of Triton: one record a version. Source: code_generator.py of each. */
import { TRITON_3_6, TRITON_3_7, TRITON_3_8, TRITON_3_9, type TritonVersion } from "../../support/triton-version.js";
import { arriveAndWait, clusterBarrier } from "../gluon/semantic/clusters.js";
import { makeBlockPointerOfParts, noBlockPointers } from "../language/semantic/block-pointers.js";
import { makeBlockPointer } from "../language/semantic/blocks.js";
import { barrierOfAll, gpuBarrier } from "../language/semantic/debug.js";
import type { LanguageRules } from "../language/semantic.js";
import type { PyValue } from "../language/values.js";
import { mangle, mangle37 } from "./mangle.js";
import { RETURNS_3_6, RETURNS_3_7, type ReturnRules } from "./returns.js";

export interface CodegenRules extends LanguageRules {
  /** `x: tl.constexpr` without a value holds for the next assignment to `x`. */
  readonly bareAnnotations: boolean;
  /** A comparison whose right side alone is a tensor is that of the right side with the left one. */
  readonly turnsComparisons: boolean;
  /** `a < b < c` compares twice. */
  readonly chainsComparisons: boolean;
  /** Comprehensions heed their `if`, and may name the parts of a tuple. */
  readonly filtersComprehensions: boolean;
  /** Parameters that are given by keyword alone have names in the body. */
  readonly namesKeywordOnly: boolean;
  /** Parts of a tuple that get no name do not become tensors. */
  readonly unpacksNamed: boolean;
  /** A tuple is unpacked into as many names as it has parts. */
  readonly checksUnpacking: boolean;
  /** The condition of a while loop may be of any type, and is made i1. */
  readonly loopsOnAnyNumber: boolean;
  /** `x := value` is an expression of kernels. */
  readonly namedExpressions: boolean;
  /** The name of the function that is made for these arguments. */
  readonly mangle: (name: string, args: readonly PyValue[]) => string;
  readonly returns: ReturnRules;
  /** The column of a location: that of the node in its function, from 0, or in its file, from 1. */
  readonly locationColumn: (column: number, dedent: number) => number;
  /** After a node, the location is again what it was before it; values inside of a value have names of their own (`x.0`). */
  readonly restoresLocations: boolean;
  /** The error for a function that is defined in a kernel. */
  readonly nestedFunction: string;
}

const RULES_3_6: CodegenRules = {
  bareAnnotations: false,
  namedExpressions: false,
  turnsComparisons: false,
  chainsComparisons: false,
  filtersComprehensions: false,
  namesKeywordOnly: false,
  unpacksNamed: false,
  checksUnpacking: false,
  loopsOnAnyNumber: false,
  mangle,
  returns: RETURNS_3_6,
  restoresLocations: false,
  locationColumn: (column, dedent) => Math.max(0, column - dedent),
  debugBarrier: gpuBarrier,
  nestedFunction: "nested function definition is not supported.",
  collectsArguments: "never",
  catsInOrder: false,
  fp8Constants: false,
  clusterArguments: false,
  impliesDotType: false,
  makeBlockPointer,
  returnsAnyOfPartition: false,
  sliceKeepsLayout: false,
  readOnlyWaits: false,
  broadcastsScattered: false,
  clusterBarrier: arriveAndWait,
  optionalGluonArguments: false,
  checksIndices: false,
  storesBooleans: false,
  typesNumbersLast: false,
  roundsDivisions: false,
  dividesAsFloats: false,
  keepsBfloat16: false,
};
const RULES_3_7: CodegenRules = {
  ...RULES_3_6,
  mangle: mangle37,
  returns: RETURNS_3_7,
  nestedFunction:
    "nested function definitions are not allowed inside a @triton.jit kernel. " +
    "Move the helper function to module level and decorate it with @triton.jit.",
  debugBarrier: barrierOfAll,
  collectsArguments: "constants",
  catsInOrder: true,
  fp8Constants: true,
  clusterArguments: true,
  returnsAnyOfPartition: true,
};
const RULES_3_8: CodegenRules = {
  ...RULES_3_7,
  bareAnnotations: true,
  namedExpressions: true,
  locationColumn: (column) => column + 1,
  restoresLocations: true,
  collectsArguments: "tuple",
  impliesDotType: true,
  unpacksNamed: true,
  roundsDivisions: true,
  makeBlockPointer: makeBlockPointerOfParts,
  sliceKeepsLayout: true,
  readOnlyWaits: true,
  broadcastsScattered: true,
  clusterBarrier,
  optionalGluonArguments: true,
};
const RULES_3_9: CodegenRules = {
  ...RULES_3_8,
  turnsComparisons: true,
  chainsComparisons: true,
  namesKeywordOnly: true,
  filtersComprehensions: true,
  checksUnpacking: true,
  loopsOnAnyNumber: true,
  checksIndices: true,
  storesBooleans: true,
  typesNumbersLast: true,
  dividesAsFloats: true,
  keepsBfloat16: true,
  makeBlockPointer: noBlockPointers,
};

const RULES: ReadonlyMap<TritonVersion, CodegenRules> = new Map([
  [TRITON_3_6, RULES_3_6],
  [TRITON_3_7, RULES_3_7],
  [TRITON_3_8, RULES_3_8],
  [TRITON_3_9, RULES_3_9],
]);
export const codegenRules = (version: TritonVersion): CodegenRules => RULES.get(version)!;
