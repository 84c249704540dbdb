/** Hints on code to write instead, for errors whose message, which is Triton's, does not say it. */

import { byName } from "../../support/by-name.js";
import { nearest } from "../../support/nearest.js";
import { jitData } from "../host/objects.js";
import { TENSOR_METHODS_IN_TRITON } from "../language/modules.js";
import { TENSOR_METHOD_NAMES } from "../language/operators.js";
import { isKind } from "../language/values.js";
import { walk } from "../launches.js";
import { unparse } from "../python/unparse.js";
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
  [/^nested function definition is not supported/, "define the function outside of the kernel, under @triton.jit"],
  [/^unsupported AST node type: (?:Global|Nonlocal)$/, "a kernel cannot change variables of Python: store results through a pointer"],
  [/^unsupported AST node type: Match$/, "use 'if' and 'elif'"],
  [/^unsupported AST node type: Delete$/, "variables are not deleted: leave the line out"],
  [/^'tuple' object has no attribute '(?:append|extend)'$/, "lists of kernels do not grow in place: t = t + (x,)"],
  [/^unsupported AST node type: NamedExpr/, "assign the variable on a line of its own"],
  [/^unsupported AST node type: (?:Yield|YieldFrom|Await)$/, "a kernel runs to its end: store results through a pointer"],
  [/^unsupported AST node type: DictComp$/, "use a tuple: tuple(f(i) for i in ...)"],
  [/only tuple comprehensions are supported/, "write tuple(f(i) for i in ...), or a loop over tl.static_range"],
  [/^simultaneous multiple comparison is not supported$/, "join comparisons in parentheses by '&': (0 <= i) & (i < n)"],
  [/^AST comparison operator 'In' is not/, "compare with each value: x == a or x == b"],
  [/^AST binary operator 'MatMult' is not/, "tl.dot(a, b) multiplies matrices"],
  [/^'JITFunction' object is not subscriptable$/, "a grid is for launches from Python; a function of kernels is called without: f(x)"],
  [/^Cannot evaluate f-string/, 'tl.device_print("n", n) prints values on the GPU'],
  [/^KeyError\('.*__.*'\)$/, "a function of a kernel cannot call itself: use a loop"],
  [/^unsupported tensor index/, "an index is ':' or None; tl.load(pointer + i) loads elements, tl.gather takes some of a tensor"],
  [/__setitem__ is not supported/, "tl.store(pointer + i, value) stores to memory, tl.where(mask, value, x) changes elements of a tensor"],
  [/^arange's arguments must be of type tl\.constexpr$|^Shape element \d+ must have type `constexpr/, CONSTANT_SIZES],
  [/^arange's range must be a power of 2$/, "take the next power of 2 (triton.next_power_of_2) and a mask"],
  [/^arange\(\) missing 1 required positional argument: 'end'$/, "it takes both ends: tl.arange(0, N)"],
  [/^Boolean value of Tensor with more than one value is ambiguous$/, "tl.where(condition, x, y) chooses for each element"],
  [
    /^'str' object has no attribute '(?:scalar|to_ir)'$|type object '\w+' has no attribute 'type'/,
    "types are names of triton.language: tl.float32",
  ],
  [/'(?:List|Tuple)' object has no attribute 'func'/, "loops run over range, tl.range or tl.static_range"],
  [/^Did you forget to add @triton\.jit \?/, runTimeHint],
  [/cannot convert None of type <class 'NoneType'> to tensor/, "'is None' compares with None"],
  [
    /^invalid operands of type pointer<\w+> and triton\.language\.(?:fp|bf|float|bfloat)\w+$/,
    "an offset is an integer: // divides integers, .to(tl.int32) converts",
  ],
  [
    /^invalid operands of type pointer<\w+> and pointer<\w+>$/,
    "an address is a pointer + an integer; .to(tl.int64) makes an integer of a pointer",
  ],
  [/^invalid operands of type pointer<\w+> and triton\.language\.u?int\w+$/, "an address is a pointer + an integer"],
  [
    /^invalid operands of type triton\.language\.\w+ and triton\.language\.(?:fp|bf|float|bfloat)\w+$/,
    "bitwise operators take integers: x.to(tl.int32, bitcast=True) has the bits of a float",
  ],
  [
    /^Mask argument cannot be block type if pointer argument is not a block$/,
    "add offsets to the pointer: tl.load(pointer + offsets, mask=...)",
  ],
  [
    /^Unsupported ptr type .* in `tl\.(load|store)`$/,
    (_, fn) => (fn === "store" ? "the address comes first: tl.store(pointer, value)" : "it takes a pointer, or pointer + offsets"),
  ],
  [/^min requires at least 2 values$/, "tl.max(x, axis=0) and tl.min(x, axis=0) reduce a tensor"],
  [/^(?:float|int)\(\) argument must be .* not 'tensor'$/, "x.to(tl.float32) and x.to(tl.int32) convert tensors"],
  [
    /^object of type 'tensor' has no len\(\)$/,
    "shapes are tuples: (n,); the length of an array is a parameter, that of a block x.shape[0]",
  ],
  [/^'int' object is not iterable$/, "it takes a tuple: (n,)"],
  [/^'str' object has no attribute 'type'$/, 'kernels have no strings; print("x", x) prints'],
  [/^'<=' not supported between instances of 'int' and 'tuple'$/, "an axis is one number: reduce one axis after the other"],
  [
    /^tl\.trans invoked with a 0- or 1-dimensional tensor$|^permute dims must have the same length as input shape$/,
    "x[:, None] makes a column, x[None, :] a row",
  ],
  [/^Cannot make_shape_compatible/, "shapes are compared from the last dimension; x[:, None] and x[None, :] add one of size 1"],
  [/^`mask` and `other` arguments cannot be specified for loading block pointers$/, "boundary_check=(0,) guards dimension 0"],
  [/inconsistent types <\[/, "tl.where(condition, x, y) chooses for each element"],
  [/^\S+ is not string$/, 'the first argument is a string: print("n", n)'],
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
    /^'(?:torch|numpy)\.(\w+)' is not known/,
    (g, name) => (isInLanguage(g, name!) ? `types in kernels are those of triton.language: tl.${name}` : undefined),
  ],
  [/^(\w+) is not defined$/, nameHint],
  [/^Cannot access global variable (\w+) from/, globalHint],
  [/^module '(triton\.[\w.]+)' has no attribute '(\w+)'$/, moduleHint],
  [/^'tensor' object has no attribute '(\w+)'$/, (_, name) => TENSOR_HABITS[name!] ?? meant(name!, TENSOR_NAMES)],
  [/^(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'$/, keywordHint],
  [/^(\w+)(?:\.__init__)?\(\) (?:missing|takes) /, (g, fn) => parametersHint(g, fn!)],
];
/** For errors of the verifiers of ops. */
const OP_HINTS: readonly (readonly [error: RegExp, hint: string])[] = [
  [/'scf\.condition' op operand #0 must be 1-bit/, "a loop has one condition for all elements: reduce it: tl.max(x, axis=0) > 0"],
  [/^'tt\.(?:load|store|atomic_\w+)' op operand #\d+ must be .*1-bit/, "a mask is a comparison: offsets < n"],
  [/^'math\.\w+' op operand #0 must be floating-point-like, but got '(?:tensor<[\dx]*)?i\d+>?'/, "convert it: x.to(tl.float32)"],
];
/** Functions of other libraries, which also have them as methods of tensors, and what Triton has for them. */
const FUNCTION_HABITS: Readonly<Record<string, string>> = {
  matmul: "tl.dot(a, b) multiplies matrices",
  mean: "tl.sum(x, axis=0) / n",
  relu: "tl.maximum(x, 0)",
  pow: "write x * x, or libdevice.pow(x, y) of triton.language.extra",
};
/** Methods of other libraries' tensors. */
const TENSOR_HABITS: Readonly<Record<string, string>> = byName({
  astype: "x.to(dtype) converts",
  float: "x.to(tl.float32) converts",
  half: "x.to(tl.float16) converts",
  size: "x.shape has the sizes",
  dim: "len(x.shape) is the rank",
  ndim: "len(x.shape) is the rank",
  element_ty: "x.dtype.element_ty is the type of what a pointer points to",
  item: "a scalar is used as it is",
  unsqueeze: "x[:, None] adds a dimension",
  squeeze: "tl.reshape(x, shape) takes a dimension away",
  transpose: "tl.trans(x) transposes",
  ...FUNCTION_HABITS,
  __pow__: FUNCTION_HABITS["pow"]!,
});
/** Parameters as other libraries call them. */
const PARAMETER_HABITS: Readonly<Record<string, string>> = byName({
  dim: "axis",
  keepdim: "keep_dims",
  keepdims: "keep_dims",
  accumulator: "acc",
  out_dtype: "dtype",
});
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
  if (/^num_(?:warps|stages|ctas)$/.test(name))
    return "it is an option of the launch: pass it as a parameter with the annotation tl.constexpr too";
  if (isInLanguage(g, name)) return `triton.language has it: tl.${name}`;
  if (host.builtins.has(name)) return `Python's functions in a kernel are ${[...host.kernelBuiltins.keys()].join(", ")}`;
  return meant(name, g.scope.keys());
}

function isInLanguage({ compilation: { host } }: Generator, name: string): boolean {
  const language = host.importModule("triton.language");
  return isKind(language, "module") && host.moduleAttribute(language, name) !== undefined;
}

function globalHint(g: Generator, name: string): string | undefined {
  const value = g.data.env.file.globals.get(name);
  return isKind(value, "host_function") ? `kernels call functions under @triton.jit: add it above '${name}'` : undefined;
}

function moduleHint(g: Generator, path: string, name: string): string | undefined {
  const { host } = g.compilation;
  // Some of Triton's functions are written in Triton, in a module of their own.
  const modules = [path, `${path}.standard`].map((each) => host.importModule(each));
  const has = (module: string): boolean => {
    const found = host.importModule(module);
    return isKind(found, "module") && host.moduleAttribute(found, name) !== undefined;
  };
  if (has("triton.language.extra.libdevice")) return `libdevice has it: libdevice.${name} of triton.language.extra`;
  if (has("math")) return `Python's math has it: math.${name}`;
  return (
    LANGUAGE_HABITS[name] ??
    meant(
      name,
      modules.flatMap((module) => (isKind(module, "module") ? [...module.attrs.keys()] : [])),
    )
  );
}
/** Functions of other libraries' modules. */
const LANGUAGE_HABITS: Readonly<Record<string, string>> = byName({
  ...FUNCTION_HABITS,
  ones: "tl.full(shape, 1, dtype) fills a tensor",
  empty: "tl.zeros(shape, dtype) makes a tensor",
  stack: "tl.join(a, b) puts two tensors side by side in a new last dimension",
});

/** The parameters of a function of the language or of the file's. */
function parametersOf({ compilation: { host }, data }: Generator, fn: string): readonly string[] {
  const language = host.importModule("triton.language");
  const value = data.env.file.globals.get(fn) ?? (isKind(language, "module") ? host.moduleAttribute(language, fn) : undefined);
  if (isKind(value, "jit")) return jitData(value).parameters.map((p) => p.name);
  return isKind(value, "builtin") ? Object.keys(value.def.params) : [];
}

function parametersHint(g: Generator, fn: string): string | undefined {
  const names = parametersOf(g, fn);
  return names.length === 0 ? undefined : `its parameters are ${names.join(", ")}`;
}

function keywordHint(g: Generator, fn: string, name: string): string | undefined {
  const names = parametersOf(g, fn);
  const habit = PARAMETER_HABITS[name];
  return habit !== undefined && names.includes(habit) ? `it is '${habit}' here` : (meant(name, names) ?? parametersHint(g, fn));
}

/** Functions of Triton's host side take numbers that are known while compiling. */
function runTimeHint(g: Generator): string | undefined {
  const called = g.node?.kind === "Call" ? unparse(g.node.func) : "";
  return called === "triton.cdiv"
    ? "use tl.cdiv for values that are known at run time only"
    : called === "triton.next_power_of_2"
      ? CONSTANT_SIZES
      : undefined;
}

/** The message of `repr(error)`. */
const inner = (message: string): string =>
  /^(?!KeyError)\w+(?:Error|ErrorImpl)\((['"])([\s\S]*)\1\)$/.exec(message)?.[2]?.replaceAll("\\'", "'") ?? message;

export const opHintFor = (message: string): string | undefined => OP_HINTS.find(([error]) => error.test(message))?.[1];

export function hintFor(g: Generator, message: string): string | undefined {
  const text = inner(message);
  for (const [error, hint] of HINTS) {
    const found = error.exec(text);
    if (found) return typeof hint === "string" ? hint : hint(g, ...found.slice(1));
  }
  return undefined;
}
