import type { Pattern } from "../../../rewrite/pattern.js";
import {
  addIAddConstant,
  addIMulNegativeOneLhs,
  addIMulNegativeOneRhs,
  addISubConstantLHS,
  addISubConstantRHS,
  mulIMulIConstant,
  subILHSAddConstant,
  subILHSSubConstantLHS,
  subILHSSubConstantRHS,
  subIRHSAddConstant,
  subIRHSSubConstantLHS,
  subIRHSSubConstantRHS,
  subISubILHSRHSLHS,
} from "./add-subtract.js";
import { andOfExtSI, andOfExtUI, cmpIExtSI, cmpIExtUI, orOfExtSI, orOfExtUI, xOrINotCmpI, xOrIOfExtSI, xOrIOfExtUI } from "./bitwise.js";
import {
  bitcastOfBitcast,
  extSIOfExtUI,
  indexCastOfExtSI,
  indexCastOfIndexCast,
  indexCastUIOfExtUI,
  indexCastUIOfIndexCastUI,
  truncFSIToFPToSIToFP,
  truncFUIToFPToUIToFP,
  truncIExtSIToExtSI,
  truncIExtUIToExtUI,
  truncIShrSIToTruncIShrUI,
} from "./cast.js";
import { cmpFIntToFPConst } from "./compare-converted.js";
import { addUIExtendedToAddI, mulSIExtendedRHSOne, mulSIExtendedToMulI, mulUIExtendedToMulI } from "./extended.js";
import { divFOfNegF, mulFOfNegF } from "./float.js";
import { redundantSelectFalse, redundantSelectTrue, selectI1ToNot, selectNotCond, selectToExtUI } from "./select.js";

/** In upstream's order of ops and, within an op, of registration. */
export const ARITH_CANONICALIZATION: readonly Pattern[] = [
  ...[addIAddConstant, addISubConstantRHS, addISubConstantLHS, addIMulNegativeOneRhs, addIMulNegativeOneLhs],
  addUIExtendedToAddI,
  ...[subIRHSAddConstant, subILHSAddConstant, subIRHSSubConstantRHS, subIRHSSubConstantLHS],
  ...[subILHSSubConstantRHS, subILHSSubConstantLHS, subISubILHSRHSLHS],
  mulIMulIConstant,
  ...[mulSIExtendedToMulI, mulSIExtendedRHSOne],
  mulUIExtendedToMulI,
  ...[andOfExtUI, andOfExtSI],
  ...[orOfExtUI, orOfExtSI],
  ...[xOrINotCmpI, xOrIOfExtUI, xOrIOfExtSI],
  mulFOfNegF,
  divFOfNegF,
  extSIOfExtUI,
  ...[truncIExtSIToExtSI, truncIExtUIToExtUI, truncIShrSIToTruncIShrUI],
  ...[truncFSIToFPToSIToFP, truncFUIToFPToUIToFP],
  ...[indexCastOfIndexCast, indexCastOfExtSI],
  ...[indexCastUIOfIndexCastUI, indexCastUIOfExtUI],
  bitcastOfBitcast,
  ...[cmpIExtSI, cmpIExtUI],
  cmpFIntToFPConst,
  ...[redundantSelectFalse, redundantSelectTrue, selectNotCond, selectI1ToNot, selectToExtUI],
];
