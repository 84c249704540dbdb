/** MFMA and WMMA instructions alike: tables of them by shape and element types. */
import type { Type } from "../../../ir/attribute.js";
import { FloatType, IntegerType } from "../../../ir/builtin-types.js";

/** A matrix instruction: operand a is m x k, b is k x n. */
export interface MatrixInstruction {
  readonly name: string;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Elements of an operand that each lane holds. */
  readonly kBase: number;
  /** The element types that it is given; others than those of the dot where it emulates them. */
  readonly a: Type;
  readonly b: Type;
}

/** An instruction's name, k and kBase. */
export type Form = readonly [name: string, k: number, kBase: number];
/** The forms of an instruction for one key; the ones with larger k come first. */
export type Table = ReadonlyMap<string, readonly Form[]>;

/** As tables name an element type. */
export const elementKey = (type: Type): string => (FloatType.is(type) ? type.params.kind : IntegerType.is(type) ? "int" : "none");

/** The form for a dot of that k: the largest that it fills; the smallest where it fills none. */
export const formFor = (forms: readonly Form[], inputK: number): Form => forms.find(([, k]) => inputK >= k) ?? forms.at(-1)!;
