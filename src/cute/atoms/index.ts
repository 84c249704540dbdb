/** All atoms by name. */
import { unknown } from "../nearest-name.js";
import { type CopyAtom, copyFamily, copyFamilyNames, plainCopyAtoms } from "./copy-atom.js";
import type { MmaAtom } from "./mma-atom.js";
import { gmmaAtom, gmmaNames } from "./mma-gmma.js";
import { sm120Families } from "./mma-sm120.js";
import { universalFma, warpMmaAtoms } from "./mma-warp.js";

const warpAtoms: ReadonlyMap<string, MmaAtom> = new Map(warpMmaAtoms.map((a) => [a.name, a]));
const families = new Map(sm120Families.map((f) => [f.name, f]));
const copyAtoms: ReadonlyMap<string, CopyAtom> = new Map(plainCopyAtoms.map((a) => [a.name, a]));

/** Whether a name (without template arguments) is an MMA operation, and likewise for copies. */
export const isMmaName = (name: string): boolean => name === "UniversalFMA" || families.has(name) || findPlain(name) !== undefined;
/** Whether a name is that of a copy atom, or of a family of them. */
export const isCopyName = (name: string): boolean => copyAtoms.has(name) || copyFamilyNames.includes(name);

/** The MMA operation of a name and template arguments (as text, types by name); a string says why there is none. */
export function findMmaAtom(name: string, args: readonly string[]): MmaAtom | string {
  if (name === "UniversalFMA") return args[0] ? universalFma(args[0], args[1], args[2], args[3]) : "UniversalFMA needs an element type";
  const family = families.get(name);
  if (family) return family.make(args);
  const atom = findPlain(name);
  if (atom) return args.length > 0 ? { ...atom, name: `${atom.name}<${args.join(",")}>` } : atom;
  return unknown("MMA operation", name, mmaNames());
}

function findPlain(name: string): MmaAtom | undefined {
  return warpAtoms.get(name) ?? warpAtoms.get(name.replace(/^MMA_16x8x/, "SM90_16x8x")) ?? gmmaAtom(name);
}

/** The copy operation of a name, the widths in bits of its template arguments, and their text. */
export function findCopyAtom(name: string, bits: readonly number[], text: readonly string[]): CopyAtom | string {
  return (
    copyAtoms.get(name) ?? (copyFamilyNames.includes(name) ? copyFamily(name, bits, text) : unknown("copy operation", name, copyNames()))
  );
}

/** Every name, for lists and suggestions. */
export const mmaNames = (): readonly string[] => [...warpAtoms.keys(), "UniversalFMA", ...families.keys(), ...gmmaNames()];
/** The names of copy atoms and of their families. */
export const copyNames = (): readonly string[] => [...copyAtoms.keys(), ...copyFamilyNames];
