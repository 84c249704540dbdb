/** Methods of the `_semantic` that functions under `@builtin` are handed, as far as the language has a function for them. Source: semantic.py. */
import { byName } from "../../support/by-name.js";
import { type BuiltinDef, callBuiltin } from "../language/define-builtin.js";
import { OUTSIDE_OF_KERNELS, raise, raiseUnknown } from "../language/errors.js";
import { CORE } from "../language/operators.js";
import { noAttribute, pyTruth } from "../language/python-text.js";
import {
  add,
  and,
  ashr,
  floordiv,
  invert,
  logicalAnd,
  logicalOr,
  lshr,
  minus,
  mod,
  mul,
  not,
  or,
  shl,
  sub,
  truediv,
  xor,
} from "../language/semantic/arithmetic.js";
import { equal, greaterEqual, greaterThan, lessEqual, lessThan, notEqual } from "../language/semantic/compare.js";
import { toTensor } from "../language/semantic/constants.js";
import type { Semantic } from "../language/semantic.js";
import { isKind, isTensor, type PyValue, pythonTuple, type Tensor } from "../language/values.js";
import { native } from "./objects.js";

/** The methods with the name and parameters of a function of the language. */
const SAME =
  "program_id num_programs arange full expand_dims cat join split permute cast load store where minimum maximum clamp fdiv gather histogram " +
  "atomic_cas atomic_xchg atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor multiple_of max_contiguous max_constancy debug_barrier assume";
type Run = (s: Semantic, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>) => PyValue;

const calling = (def: BuiltinDef | undefined): Run | undefined => def && ((s, args, named) => callBuiltin(s, def, args, named));
const tensor = (value: PyValue | undefined): Tensor =>
  isTensor(value ?? null) ? (value as Tensor) : raise("AttributeError", noAttribute(value ?? null, "type"));
const unary =
  (op: (s: Semantic, x: Tensor) => Tensor): Run =>
  (s, [x]) =>
    op(s, tensor(x));
const binary =
  (op: (s: Semantic, x: Tensor, y: Tensor) => Tensor): Run =>
  (s, [x, y]) =>
    op(s, tensor(x), tensor(y));
/** For operands that are tensors or numbers. */
const mixed =
  (op: (s: Semantic, x: PyValue, y: PyValue) => Tensor): Run =>
  (s, [x = null, y = null]) =>
    op(s, x, y);
const checked =
  (op: (s: Semantic, x: PyValue, y: PyValue, sanitize: boolean) => Tensor): Run =>
  (s, [x = null, y = null, sanitize = null]) =>
    op(s, x, y, pyTruth(sanitize));
const METHODS: Readonly<Record<string, Run | undefined>> = byName<Run | undefined>({
  ...Object.fromEntries(SAME.split(" ").map((name) => [name, calling(CORE.get(name))])),
  ...{ add: checked(add), sub: checked(sub), mul: checked(mul), truediv: mixed(truediv), floordiv: mixed(floordiv), mod: mixed(mod) },
  ...{ and_: binary(and), or_: binary(or), xor_: binary(xor), shl: binary(shl), lshr: binary(lshr), ashr: binary(ashr) },
  ...{ logical_and: binary(logicalAnd), logical_or: binary(logicalOr), not_: unary(not), minus: unary(minus), invert: unary(invert) },
  ...{ less_than: mixed(lessThan), less_equal: mixed(lessEqual), greater_than: mixed(greaterThan), greater_equal: mixed(greaterEqual) },
  ...{ equal: mixed(equal), not_equal: mixed(notEqual) },
  to_tensor: (s, [x = null]) => toTensor(s, x),
  reshape: (s, [x = null, shape = null, canReorder = false]) =>
    callBuiltin(s, CORE.get("reshape")!, [x, shape], new Map([["can_reorder", canReorder]])),
  bitcast: (s, [x = null, type = null]) => callBuiltin(s, CORE.get("cast")!, [x, type], new Map([["bitcast", true]])),
  broadcast_impl_shape: calling(CORE.get("broadcast_to")),
});

/** The known options of a compilation, by their names in Triton's backends. */
export function builderOption({ options }: Semantic, name: string): PyValue | undefined {
  const { gpu, numWarps, numCtas, maxnreg, supportedFp8Dtypes, deprecatedFp8DotOperandDtypes, allowedDotInputPrecisions } = options;
  return byName<PyValue>({
    ...{ backend_name: gpu.backend, arch: gpu.archName, warp_size: BigInt(gpu.warpSize), num_warps: BigInt(numWarps) },
    ...{ num_ctas: BigInt(numCtas), maxnreg: maxnreg === undefined ? null : BigInt(maxnreg), debug: options.debug },
    ...{ default_dot_input_precision: options.defaultDotInputPrecision, sanitize_overflow: options.sanitizeOverflow },
    max_num_imprecise_acc_default: BigInt(options.maxNumImpreciseAccDefault),
    supported_fp8_dtypes: pythonTuple(supportedFp8Dtypes),
    deprecated_fp8_dot_operand_dtypes: pythonTuple(deprecatedFp8DotOperandDtypes),
    allowed_dot_input_precisions: pythonTuple(allowedDotInputPrecisions),
  })[name];
}

export function semanticMethod(name: string): PyValue | undefined {
  const run = METHODS[name];
  return (
    run && native(name, (args, named, host) => (host.semantic ? run(host.semantic, args, named) : raise("ValueError", OUTSIDE_OF_KERNELS)))
  );
}

/** `core.dispatch(_semantic.builder.create_extern_elementwise, ...)`: one function of a library, with its result's type given. */
export const DISPATCH = native("dispatch", (args, named, host) => {
  const given = (i: number, name: string): PyValue =>
    named.get(name) ?? args[i] ?? raise("TypeError", `dispatch() missing argument: '${name}'`);
  const func = given(0, "func");
  if (!host.semantic) return raise("ValueError", OUTSIDE_OF_KERNELS);
  if (!isKind(func, "opaque") || func.what !== "_semantic.builder.create_extern_elementwise")
    return isKind(func, "opaque") ? raiseUnknown(func.what, func) : raise("TypeError", "'func' is no function of the builder");
  const names = ["lib_name", "lib_path", "args", "arg_type_symbol_dict"];
  const parts = [...names.map((name, i) => given(i + 1, name)), given(6, "is_pure")];
  return callBuiltin(host.semantic, CORE.get("extern_elementwise")!, parts);
});
