/** The whole library: functions by name, and methods by the kind of object they belong to. */
import { CuteError } from "../../term.js";
import type { Builtin, Value } from "../value.js";
import { algebraLibrary, layoutMethods } from "./algebra.js";
import { atomLibrary, copyMethods, mmaMethods, sizeOfTiled } from "./atoms.js";
import { dataLibrary, tensorMethods } from "./data.js";
import type { Library } from "./define.js";
import { printLibrary } from "./print.js";

const functions: Library = {
  ...algebraLibrary,
  ...dataLibrary,
  ...atomLibrary,
  ...printLibrary,
  size: (c) => sizeOfTiled(c) ?? algebraLibrary["size"]!(c),
};

/** The function of a name. */
export const findFunction = (name: string): Builtin | undefined => (Object.hasOwn(functions, name) ? functions[name] : undefined);
/** All function names, for suggestions. */
export const functionNames = (): readonly string[] => Object.keys(functions);

const methodsOf: Partial<Record<Value["kind"], Library>> = {
  layout: layoutMethods,
  composed: layoutMethods,
  tensor: { ...layoutMethods, ...tensorMethods },
  "tiled-mma": mmaMethods,
  "thr-mma": mmaMethods,
  "tiled-copy": copyMethods,
  "thr-copy": copyMethods,
  basis: {
    value: ({ args }) => {
      if (args[0]?.kind !== "basis") throw new CuteError("expected a scaled basis");
      return args[0].value;
    },
  },
};

/** The method of a name on a value. */
export function findMethod(v: Value, name: string): Builtin | undefined {
  const methods = methodsOf[v.kind];
  return methods && Object.hasOwn(methods, name) ? methods[name] : undefined;
}
/** The method names of a value, for suggestions. */
export const methodNames = (v: Value): readonly string[] => Object.keys(methodsOf[v.kind] ?? {});
