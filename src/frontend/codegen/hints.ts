/** Hints on code to write instead, for errors whose message, which is Triton's, does not say it. */
import { nearest } from "../../support/nearest.js";
import { TENSOR_METHODS_IN_TRITON } from "../language/modules.js";
import { CORE, TENSOR_METHOD_NAMES } from "../language/operators.js";
import { isKind } from "../language/values.js";
import { walk } from "../launches.js";
import type { Generator } from "./generator.js";

type Hint = readonly [error: RegExp, hint: string | ((g: Generator, ...groups: string[]) => string | undefined)];

const CONSTANT_SIZES = "sizes are integers that are known while compiling: numbers, or parameters with the annotation tl.constexpr";
const HINTS: readonly Hint[] = [
  [/^Cannot have `return` statements inside/, "end the loop by the condition of a 'while', or put the rest of its body under 'if'"],
  [/^unsupported AST node type: Break$/, "put the condition into 'while'"],
  [/^unsupported AST node type: Continue$/, "put the rest of the loop's body under 'if'"],
  [/^unsupported AST node type: Try$/, "kernels have no exceptions: choose with 'if'"],
  [/^unsupported AST node type: Raise$/, "tl.static_assert checks while compiling, tl.device_assert on the GPU"],
  [/^unsupported AST node type: (?:Dict|Set)$/, "use a tuple, or a variable for each value"],
  [/^unsupported AST node type: Lambda$/, "define a function under @triton.jit outside of the kernel"],
  [/^unsupported AST node type: ClassDef$/, "define the class outside of the kernel"],
  [/^Cannot evaluate f-string/, 'tl.device_print("n", n) prints values on the GPU'],
  [/^KeyError\('.*__.*'\)$/, "a function of a kernel cannot call itself: use a loop"],
  [/^unsupported tensor index/, "an index is ':' or None; tl.load(pointer + i) loads elements, tl.gather takes some of a tensor"],
  [/__setitem__ is not supported/, "tl.store(pointer + i, value) stores to memory, tl.where(mask, value, x) changes elements of a tensor"],
  [/^arange's arguments must be of type tl\.constexpr$|^Shape element \d+ must have type `constexpr/, CONSTANT_SIZES],
  [/^arange's range must be a power of 2$/, "take the next power of 2 (triton.next_power_of_2) and a mask"],
  [/^arange\(\) missing 1 required positional argument: 'end'$/, "it takes both ends: tl.arange(0, N)"],
  [/^Boolean value of Tensor with more than one value is ambiguous$/, "tl.where(condition, x, y) chooses for each element"],
  [/^'str' object has no attribute 'scalar'$/, "types are names of triton.language: tl.float32"],
  [/'List' object has no attribute 'func'/, "loops run over range, tl.range or tl.static_range"],
  [/^\S+ is not string$/, 'the first argument is a text: print("n", n)'],
  [
    /used as tl\.static_range .* is not a constexpr/,
    "tl.static_range is for constants: use range, or annotate the parameter with tl.constexpr",
  ],
  [/^Value argument cannot be block type if pointer argument is not a block$/, "add offsets to the pointer: pointer + tl.arange(0, N)"],
  [/^Mask must have boolean scalar type$/, "a mask is a comparison: offsets < n"],
  [/^Expected dtype \['fp32'.* but got u?int\d+/, "convert it: x.to(tl.float32)"],
  [/^Both operands must be same dtype/, "convert one of them: b.to(a.dtype)"],
  [/must be real number, not tensor/, "functions of Python's math take constants; triton.language has those for tensors"],
  [/Loop-carried variable \w+ has initial type/, "give it the type of the loop before, or convert it with .to(...) inside"],
  [
    /^'(?:torch|numpy|cupy|jax)\b.* cannot be called in a kernel/,
    "kernels call functions of triton.language, and their own under @triton.jit",
  ],
  [
    /^'torch\.(\w+)' is not known/,
    (g, name) => (isInLanguage(g, name!) ? `types in kernels are those of triton.language: tl.${name}` : undefined),
  ],
  [/^NameError\('(\w+) is not defined'\)$/, nameHint],
  [/^AttributeError\("module '(triton\.[\w.]+)' has no attribute '(\w+)'"\)$/, moduleHint],
  [/^AttributeError\("'tensor' object has no attribute '(\w+)'"\)$/, (_, name) => meant(name!, TENSOR_NAMES)],
  [/^(\w+)\(\) got an unexpected keyword argument '(\w+)'$/, (_, fn, name) => meant(name!, Object.keys(CORE.get(fn!)?.params ?? {}))],
];
const TENSOR_NAMES = [...TENSOR_METHOD_NAMES, ...TENSOR_METHODS_IN_TRITON, "dtype", "shape", "type"];

const meant = (name: string, names: Iterable<string>): string | undefined => {
  const near = nearest(name, names);
  return near && `did you mean '${near}'?`;
};

/** A variable that a branch or a loop may not set, a name of the language's, or one with another spelling. */
function nameHint(g: Generator, name: string): string | undefined {
  let line: number | undefined;
  walk(g.data.node.body, (node) => {
    if (node.kind === "Name" && node.id === name && node.ctx === "Store") line ??= node.at?.line;
  });
  if (line !== undefined) return `line ${line} may not run before: give '${name}' a value above the branch or loop`;
  const { host } = g.compilation;
  if (isInLanguage(g, name)) return `triton.language has it: tl.${name}`;
  if (host.builtins.has(name)) return `Python's functions in a kernel are ${[...host.kernelBuiltins.keys()].join(", ")}`;
  return meant(name, g.scope.keys());
}

function isInLanguage({ compilation: { host } }: Generator, name: string): boolean {
  const language = host.importModule("triton.language");
  return isKind(language, "module") && host.moduleAttribute(language, name) !== undefined;
}

function moduleHint(g: Generator, path: string, name: string): string | undefined {
  // Some of Triton's functions are written in Triton, in a module of their own.
  const modules = [path, `${path}.standard`].map((each) => g.compilation.host.importModule(each));
  return meant(
    name,
    modules.flatMap((module) => (isKind(module, "module") ? [...module.attrs.keys()] : [])),
  );
}

export function hintFor(g: Generator, message: string): string | undefined {
  for (const [error, hint] of HINTS) {
    const found = error.exec(message);
    if (found) return typeof hint === "string" ? hint : hint(g, ...found.slice(1));
  }
  return undefined;
}
