/** The arguments of code that threads execute, PTX or the LLVM dialect: given by launch.json, stated, or made up. */
import type { Operation } from "../ir/operation.js";
import type { Memory } from "../simulate/memory.js";
import { bytesOf, elementKind } from "../simulate/numbers/element.js";
import type { LaunchArgument } from "../simulate/ptx/run.js";
import { kernelParameters } from "../simulate/ptx/signature.js";
import { argumentNames, integerProblem } from "../simulate/tensor/arguments.js";
import type { NamedArgument } from "./launch-file.js";
import type { StatedPreconditions } from "./preconditions-file.js";
import { argumentNamed } from "./simulation-args.js";

/** Code of threads, and the kernel of the LLVM dialect that it was made from. */
export interface ThreadCode {
  readonly text: string;
  readonly kernel: string | undefined;
  readonly source: Operation | undefined;
}

/** Words of the user on arguments: `--signature`, `--arg`, and args.json. */
interface Told {
  readonly signature: readonly string[] | undefined;
  readonly values: ReadonlyMap<string, number>;
  readonly beside: StatedPreconditions;
}

interface Arguments {
  readonly named: readonly NamedArgument[];
  /** Those of which nothing was stated. */
  readonly made: readonly NamedArgument[];
}
type Failure = { readonly error: string };

/** `*i32`, `i32:16`: an entry of `--signature`. */
function entryOf(text = ""): { readonly type: string; readonly divisor: number } {
  const [type = "", divisor = "1"] = text.split(":");
  return { type, divisor: Number(divisor) };
}

const NUMBER = /^(?:[iu](?:1|8|16|32|64)|b?f(?:p?)(?:16|32|64)|)$/;

/** Why a number is none that an argument can be, by the signature and by what its kernel was compiled for. */
function numberProblem(value: number, at: number, { source }: ThreadCode, { signature }: Told): string | undefined {
  const { divisor } = entryOf(signature?.[at]);
  if (value % divisor !== 0) return `is a multiple of ${divisor} by --signature, and ${value} is none`;
  return source && integerProblem(source, at, value);
}

/** Arguments of launch.json, which are the parameters in their order. */
export function launchedArguments(code: ThreadCode, given: readonly NamedArgument[], told: Told): Arguments | Failure {
  for (const [i, { name, argument }] of given.entries()) {
    const { type } = entryOf(told.signature?.[i]);
    const isNumber = argument.kind === "scalar";
    if (type !== "" && type.startsWith("*") === isNumber)
      return { error: `launch.json: argument '${name}' is ${isNumber ? "a number" : "an array"}, and '${type}' by --signature` };
    const problem = isNumber ? numberProblem(Number(argument.value), i, code, told) : undefined;
    if (problem !== undefined) return { error: `launch.json: argument '${name}' ${problem}` };
  }
  return { named: given, made: [] };
}

/** Numbers that make loops run a few times and masks cut, and arrays without an end, where nothing else is stated. */
export function madeUpArguments(code: ThreadCode, told: Told): Arguments | Failure {
  const params = kernelParameters(code.text, code.kernel);
  if ("error" in params) return params;
  const { signature = [] } = told;
  if (signature.length > params.length)
    return { error: `--signature has ${signature.length} entries, and the kernel has ${params.length} parameters` };
  const strange = signature.map((text) => entryOf(text).type).find((type) => !type.startsWith("*") && !NUMBER.test(type));
  if (strange !== undefined) return { error: `--signature: '${strange}' is no type of a parameter` };
  // The two pointers at the end are Triton's scratch memory.
  const count = told.signature?.length ?? Math.max(params.length - 2, 0);
  const own = params.slice(0, count);
  const find = finder(
    own.map((p) => p.name),
    code.source,
  );
  const { path, preconditions } = told.beside;
  const { scalars = {}, arrays = {} } = preconditions;
  const values = new Map<string, { readonly value: number; readonly where: string }>();
  for (const [where, numbers] of [[`'${path}'`, Object.entries(scalars)] as const, ["--arg", told.values] as const])
    for (const [written, value] of numbers) {
      const name = find(written, where);
      if (typeof name !== "string") return name;
      values.set(name, { value, where });
    }
  const inits = new Map<string, (typeof arrays)[string]>();
  for (const [written, init] of Object.entries(arrays)) {
    const name = find(written, `'${path}'`);
    if (typeof name !== "string") return name;
    inits.set(name, init);
  }
  const named: NamedArgument[] = [];
  const made: NamedArgument[] = [];
  for (const [i, { name, type, isPointer }] of own.entries()) {
    const stated = entryOf(told.signature?.[i]).type;
    const number = values.get(name);
    const init = inits.get(name);
    let argument: LaunchArgument;
    if (isPointer || stated.startsWith("*")) {
      if (number) return { error: `${number.where}: argument '${name}' is a pointer, not a number` };
      const element = elementKind(stated === "" ? "fp32" : stated.replace(/^\*/, ""));
      if (element === undefined) return { error: `--signature: '${stated}' is no pointer type` };
      argument = { kind: "buffer", spec: { name, element, ...(init ? { init } : {}) } };
    } else {
      if (init) return { error: `'${path}': argument '${name}' is a number, not an array` };
      const problem = number && numberProblem(number.value, i, code, told);
      if (problem !== undefined) return { error: `${number!.where}: argument '${name}' ${problem}` };
      argument = { kind: "scalar", value: number?.value ?? (type.startsWith("f") ? 0.5 : 128) };
    }
    named.push({ name, argument });
    if (number === undefined && init === undefined) made.push({ name, argument });
  }
  return { named, made };
}

/** Finds a parameter by its name, its position, or the name that the kernel's source has for it. */
function finder(names: readonly string[], source: Operation | undefined): (written: string, where: string) => string | Failure {
  const ofSource = source ? argumentNames(source) : [];
  return (written, where) => {
    const at = ofSource.indexOf(written);
    return names[at] ?? argumentNamed(written, names, where);
  };
}

/** A line on what was neither stated nor given; arrays are as large as they were touched. */
export function madeUpText({ made }: Arguments, grid: readonly number[] | undefined, memory: Memory): string {
  const parts = made.map(({ name, argument }) => {
    if (argument.kind === "scalar") return `${name} = ${argument.value}`;
    const { element } = argument.spec;
    return `${name} ${element}[${Math.ceil(memory.touchedBytes(name) / bytesOf(element))}]`;
  });
  const all = [...(grid ? [`grid ${grid.join("x")}`] : []), ...parts];
  return all.length > 0 ? `made up: ${all.join(", ")}\n` : "";
}
