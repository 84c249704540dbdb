/**
 * The meanings of diagnostic codes: one line each, with a hint at the cure. Codes of a single op or attribute
 * (`tt.dot`, `ttg.memory`) are explained by its family here and by the op's own summary.
 */
import { LIMITS } from "../support/limits.js";

export const CATALOGUE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(LIMITS).map(([name, { most, what, hint }]) => [`limit.${name}`, `At most ${most} ${what}. ${hint}`]),
  ),
  "config.setting":
    "A setting of tt-step's config.json is not one that it knows, or has a value that it cannot take; schemas/config.json lists them.",
  "conversion.illegal":
    "No rule lowers this op here. Ops of other GPUs, and those of a stage that is not run, have none: is the target the one that the IR was made for?",
  "gluon.layout":
    "A value of gl.AutoLayout or gl.CoalescedLayout gets its layout from the ops around it: there is none, or two contradict each other. Give it one with gl.set_auto_layout or gl.convert_layout.",
  "gluon.target":
    "A Gluon kernel names the instructions that it uses: this one is not in the target. Compile for another (--target), or guard the call by a constexpr that says which GPU it is.",
  "lower.cp-async":
    "cp.async copies 4, 8 or 16 bytes that lie together in global memory. Give the pointer its divisibility (tl.multiple_of, tl.max_contiguous), or the loop no stages (num_stages = 1).",
  "lower.float8":
    "Floats of 8 bits can be loaded, stored and multiplied by tl.dot, and nothing else: convert them first (x.to(tl.float16)).",
  "lower.fma":
    "Without tensor cores a dot multiplies elements of the type that it sums. Convert the operands to that type before the dot, or give the dot shapes and types that tensor cores take.",
  "lower.pointer":
    "Load and store addresses as integers of 64 bits (a *i64 argument), and make pointers of them: tl.load(p).to(tl.pointer_type(tl.float32)).",
  "lower.fp8": "float8_e4m3fn has instructions from compute capability 8.9 on. Use float8_e5m2 on older targets, or convert by hand.",
  "lower.inline-asm": "A thread packs at most 1024 elements for one run of the inline assembly; real Triton runs out of memory.",
  "lower.map": "tt.map_elementwise needs the same number of elements from each operand: pack must divide what a thread holds.",
  "lower.mma":
    "No matrix instruction of the target has these shapes and types. accelerate-matmul chooses layouts that have one: was the IR made for another target?",
  "lower.not-allocated":
    "Buffers must have their places before they are lowered: run triton-tensor-memory-allocation (and allocate-shared-memory-nv) before convert-triton-gpu-to-llvm.",
  "lower.scan": "Scans are lowered for blocked layouts only. Convert the operand to one (ttg.convert_layout).",
  "lower.shared-element":
    "Shared memory is addressed by bytes: elements of fewer bits must be widened before they are stored there (arith.extui to i8), and narrowed after the load.",
  "lower.tmem-view": "Views of tensor memory begin at whole words of 32 bits: slice at a multiple of 32 divided by the element's bits.",
  "lower.unsupported": "The op is known but cannot be lowered in this form; the message says why.",
  "parse.alias":
    "An alias (#name or !name) is used before it is defined, or defined twice. Aliases belong at the top of the file; only locations may come later.",
  "parse.attribute": "An attribute does not have the form that its kind asks for. Numbers carry their type: `1 : i32`, `1.0 : f32`.",
  "parse.attribute-kind": "The op wants another kind of attribute here: for instance an integer where a string is expected.",
  "parse.attribute-params": "The parameters of an attribute contradict each other; the message says which.",
  "parse.block": "A block label (^bb1) is missing, defined twice, or used without being defined in the same region.",
  "parse.dialect": "The text of a dialect attribute or type has unbalanced brackets.",
  "parse.dimension": "A shape is extents with an x after each: `4x8xf32`.",
  "parse.encoding": "A layout encoding lacks a parameter, has one too many, or one of the wrong type.",
  "parse.enum": "The keyword is none of those the op knows; the message lists them.",
  "parse.expected": "The reader expected other text at this place. Look at the characters just before it.",
  "parse.function": "The signature of a function is malformed: named arguments with types, `(%x: i32) -> f32`.",
  "parse.infer-types": "The result types follow from the operands and attributes, but these do not fit each other.",
  "parse.integer": "An integer does not fit its type, or is not one.",
  "parse.linear-layout": "The bases of a linear layout are lists of coordinates that must cover the tensor.",
  "parse.location":
    'A location is loc(unknown), loc("file":line:column), loc("name"(...)), loc(callsite(a at b)), loc(fused[...]) or an alias.',
  "parse.metadata": "The file metadata section runs from {-# to #-}.",
  "parse.nesting": "Input is nested deeper than the reader follows.",
  "parse.no-custom-form": 'This op has no custom syntax; write it in the generic form: "dialect.op"(%a) : (i32) -> i32.',
  "parse.omitted": "A listing with `...` leaves ops out. Write them, or take the line out if nothing after it uses what they define.",
  "parse.operand": "An operand (%name) is expected here.",
  "parse.operand-count": "The numbers of operands and of their types differ.",
  "parse.operand-type": "A value is used with another type than the one it has.",
  "parse.operation": 'An operation begins with its name: dialect.op, or "dialect.op" in the generic form.',
  "parse.properties": "The inherent attributes of the generic form belong in <{ ... }>.",
  "parse.redefinition": "A value name is defined twice where both would be visible.",
  "parse.results": "The numbers of results and of names for them differ.",
  "parse.string": 'A string literal ends on its own line and escapes with \\n, \\t, \\\\, \\" or two hex digits.',
  "parse.struct": "A struct parameter list is <name = value, ...> with each name once.",
  "parse.symbol": 'A symbol is @name or @"any text".',
  "parse.syntax": "The text is not MLIR at this place.",
  "parse.type": "A type is expected here, or it is one that this place does not allow.",
  "parse.type-params": "The parameters of a type contradict each other; the message says which.",
  "parse.undeclared": "A value is used that is defined nowhere.",
  "parse.unknown-dialect": "No dialect of that name is known. With -allow-unregistered-dialect its ops pass in the generic form.",
  "parse.unknown-op": "The dialect has no such op. Is it one of another Triton version?",
  "parse.unregistered": "Something of an unknown dialect; -allow-unregistered-dialect lets it through.",
  "parse.value": "A value name is % and letters, digits, $ . _ -, or a number.",
  "pass.dot-operands":
    "A dot that tensor cores do not take (on sm_75 none) is done by multiply-adds on the type of its sum, to which floats can be extended, integers not. Convert the operands of the dot to that type.",
  "pass.accumulator":
    "In a pipelined loop an accumulator in tensor memory is stored, loaded and given to tcgen05.mma, and nothing else. Take views of it outside of the loop, or give the loop no stages (num_stages = 1).",
  "pass.boundary-check":
    "boundary_check of a load or store through a block pointer lists dimensions of the block, from 0: name those that may reach outside of the tensor.",
  "pass.control-flow":
    "Values that a loop carries are passed on through scf.for and scf.if only. Write the inner scf.while as a scf.for, or make the value (a descriptor, a buffer) outside of it.",
  "pass.descriptor":
    "TMA takes blocks in nvmma_shared layouts, of elements that it knows. triton-nvidia-optimize-descriptor-encoding gives each descriptor its layout: run it before, or write one into the type.",
  "pass.layout":
    "The layouts of the op are legal, but the pass cannot take them: no instructions move data in that way, or the op that it would make has no layout. Convert its operands to a blocked layout first (ttg.convert_layout).",
  "pass.num-warps":
    "Passes on TTGIR need to know how many warps run the kernel: convert-triton-to-tritongpu writes ttg.num-warps on the module.",
  "pass.target":
    "The lowering has no rules for this GPU. Its `arch` option names a GPU by its instruction set, as gfx942; --target hip: lists those that are known.",
  "pass.schedule":
    "A loop that is pipelined needs loop.stage and loop.cluster on each of its ops that others wait for. tritongpu-schedule-loops gives them; take them off the whole loop, or write them on all of its ops.",
  "pass.test-tritonamdgpu-range-analysis": "The test pass reports the range of integers that a value may have.",
  "pass.shared-memory":
    "The kernel needs more shared memory than a CTA may have: it compiles, but cannot be launched. Smaller tiles or fewer stages (num_stages) need less; the notes name the largest buffers.",
  "pass.warp-specialization":
    "A kernel with a loop marked warp_specialize cannot be divided among warp groups at this op; Triton 3.6 itself crashes there. Loads must go through tensor descriptors, and what the groups hand each other must be tensors. Without warp_specialize the loop is pipelined.",
  "ptx.launch": "The kernel cannot be launched in this way: its name, its arguments or its threads do not fit the text.",
  "ptx.syntax":
    "The text is not PTX at this place. Every instruction ends in a semicolon; operands are names, numbers, [addresses] and {vectors}.",
  "python.define": "--define takes the name of something in the kernel's file and a Python literal: --define FLAG=False.",
  "python.captured": "The kernel has no signature; the one with which `tt-step capture` saw it compiled is used.",
  "python.guess":
    "--guess compiled the kernel with types or constants that nobody stated: from a launch in the file or its tests, or from their use.",
  "python.configs":
    "The kernel has a tuner (@triton.autotune or one of the repository's) whose list of configurations depends on what tt-step does not know: a package that is not read, a file, the result of a measurement.",
  "python.error":
    "Triton refuses the kernel at this place, in its own words; the notes are the calls that lead there. Types, shapes and constants are those that the kernel is compiled for.",
  "python.hint":
    "tl.multiple_of, tl.max_contiguous or tl.max_constancy on a function's argument is lost, in Triton too: hints are attributes of the op that makes a value, and an argument has none.",
  "python.listing":
    "A kernel as articles print it: the file imports no triton, so `import triton` and `import triton.language as tl` are assumed, and @triton.jit where no function has a decorator.",
  "python.other-triton":
    "The Triton that python3 imports is not 3.6, so library functions are tt-step's own; --triton-lib names one to use anyway.",
  "python.static-assert": "A tl.static_assert does not hold for the constants that the kernel is compiled for.",
  "python.static-print": "The text that tl.static_print writes while the kernel is compiled.",
  "python.syntax": "The file is no Python at this place; the words are CPython's.",
  "python.undecided":
    "A condition outside of the kernel that is not known chooses between definitions that the kernel uses. A note names the only known one, which is taken; it is an error where there are more. --define NAME=VALUE says what it depends on.",
  "python.unsupported": "Triton's language has no such statement or expression inside a kernel.",
  "python.warning": "Triton warns of this line and goes on.",
  "source.older":
    "Another Triton wrote the IR. Its spelling is changed to that of 3.6, so that the passes know it; --no-modernize keeps it, --modernize prints it.",
  "target.op":
    "LLVM IR or PTX has nothing for this op on this target. Only the LLVM dialect and nvvm can be translated: run the passes before.",
  "tour.file": "A tour of tt-step learn is a JSON file as schemas/tour.json describes it.",
  "trace.form":
    "A Trace in JSON (tt-step --json) does not have the form that schemas/trace.json describes. Write it again with this version of tt-step.",
  "triton.partial":
    "The version that --triton names is not followed in all. docs/triton-versions.md lists what was compared with real Triton and what is missing.",
  "verify.attribute": "An attribute that the op requires is missing or of the wrong kind.",
  "verify.branch-weights": "A branch with weights has one for each successor, not all of them zero.",
  "verify.branch-operands": "The values handed to a block do not fit its arguments.",
  "verify.cast": "A cast's operand and result types do not go together.",
  "verify.dominance": "A value is used where its definition does not come before on every path.",
  "verify.elementwise": "An elementwise op mixes scalars and tensors, or tensors of different shapes.",
  "verify.function": "A function's body does not fit its type.",
  "verify.implicit-terminator": "The region must end with the terminator that its op implies.",
  "verify.infer-types": "The result types are not those that follow from the operands.",
  "verify.isolated": "A region that is closed to the outside uses a value from outside; hand it in as an argument.",
  "verify.loop": "A loop's initial values, region arguments, yielded values and results must correspond.",
  "verify.module-attribute": "Attributes of a module carry the name of a dialect: `ttg.num-warps`.",
  "verify.op": "The op breaks a rule of its own; the message says which.",
  "verify.operand-count": "The op has too many or too few operands.",
  "verify.operand-type": "An operand has a type that the op does not take.",
  "verify.parent": "The op is allowed only inside another kind of op.",
  "verify.predicate": "A condition between the op's operands, attributes and results does not hold.",
  "verify.region": "A region has too many or too few blocks.",
  "verify.region-arguments": "The region takes no arguments.",
  "verify.region-branch": "Values handed into or out of a region do not fit in number or type.",
  "verify.region-count": "The op has too many or too few regions.",
  "verify.result-count": "The op has too many or too few results.",
  "verify.result-type": "A result has a type that the op does not give.",
  "verify.same-element-type": "Operands and results must have the same element type.",
  "verify.same-encoding": "Operands and results must have the same layout encoding; convert one with ttg.convert_layout.",
  "verify.same-shape": "Operands and results must have the same shape.",
  "verify.same-type": "Operands and results must have the same type.",
  "verify.segments": "operandSegmentSizes or resultSegmentSizes does not add up to the number of values.",
  "verify.single-block": "The region has one block at most, and it is not empty.",
  "verify.successor-count": "The op names too many or too few successor blocks.",
  "verify.successors": "Only the last op of a block may have successors.",
  "verify.symbol": "A symbol is defined twice, or is not what its user needs.",
  "verify.terminator": "A block ends with a terminator, and a terminator ends a block.",
  "verify.types-match": "One type follows from another, and the one given is different.",
  "verify.unregistered": "An op of an unknown dialect; -allow-unregistered-dialect lets it through.",
  "verify-diagnostics": "A diagnostic and the expected-* comments do not agree.",

  // Rules of dialects.
  "amdg.tdm": "A copy by AMD's tensor data mover does not fit: the size of its block, or the padding or swizzling of its buffer.",
  "amdg.tiles": "Registers do not hold the tensor that AMD's op makes of them: shapes, element types, or layouts of threads and warps.",
  "amdg.upcast": "A conversion of few-bit floats by AMD's op has other shapes, element types or layouts than it allows.",
  "arith.cast": "A conversion goes the wrong way: extensions need a wider result, truncations a narrower one.",
  "gluon.auto-layout": "gluon.set_auto_layout takes a tensor with an inferred layout, and its result has a given one.",
  "nvws.aref": "A use of an asynchronous reference does not fit the buffers that it is made of.",
  "nvws.warp-group": "The partitions of an nvws.warp_group do not fit: their number, numbers of warps, results or yields.",
  "scf.terminator": "A region of a structured loop or branch does not end as it must, or its terminator has other values than the op.",
  "tt.descriptor": "The block of a tensor descriptor and the tensor that is loaded or stored do not fit, or the form is not allowed.",
  "tt.tensor-layout": "The layout of an operand or a result does not fit its shape, the number of warps or the module.",
  "tt.tensor-size": "A tensor has more than 2^20 elements, or a number that is no power of two.",
  "tt.transpose": "The order of a transposition is not a permutation of the dimensions.",
  "ttg.async-copy": "The buffer that an asynchronous copy writes cannot be written.",
  "ttg.attribute": "The parameters of a layout contradict each other, or hardware has no such layout.",
  "ttg.barrier": "An mbarrier is a buffer of one 64-bit integer, and a phase ends after one arrival at least.",
  "ttg.fp4-to-fp": "An unpacking of fp4 has other shapes, layouts or element types than its operand allows.",
  "ttg.memdesc": "A view of a buffer does not fit it: rank, shape, offsets, element type or layout.",
  "ttg.memory": "A buffer is in the wrong memory, cannot be written, or its shape or layout does not fit its use.",
  "ttg.warp-specialize": "The partitions of a ttg.warp_specialize do not fit: their number, numbers of warps, captures or results.",
  "ttng.cluster": "An op of a cluster is where there is none of several CTAs, or in a warp group.",
  "ttng.mma": "Operands of a tcgen05 product do not fit: memory, layout, shape, or barriers and their predicates.",
  "ttng.tensormap": "A tensor map has other numbers of dimensions, strides or steps than its descriptor.",
  "ttng.tma": "A TMA copy does not fit: coordinates, the layout of its buffer, or a buffer that cannot be written.",
  "ttng.tmem": "A buffer is no tensor memory, cannot be written, or its layout does not fit the registers that it meets.",
  "ttng.tmem-layout": "Registers have a layout with which tensor memory cannot be read or written; the notes list those that can.",
  "ttng.wgmma": "A warp group product does not fit: shapes, element types, or the results that are waited for.",
};

/** The meaning of a code; for an op's own code, a pointer to the op, for a pass's the pass. */
export function explain(
  code: string,
  summaryOfOp: (name: string) => string | undefined,
  summaryOfPass: (flag: string) => string | undefined = () => undefined,
): string | undefined {
  if (Object.hasOwn(CATALOGUE, code)) return CATALOGUE[code];
  const summary = summaryOfOp(code);
  if (summary !== undefined) return `A rule of the op ${code}${summary ? ` (${summary})` : ""} is broken; the message says which.`;
  const pass = code.startsWith("pass.") ? summaryOfPass(code.slice("pass.".length)) : undefined;
  if (pass !== undefined) return `A remark of the pass ${code.slice("pass.".length)} (${pass}) about an op; the message says it all.`;
  return undefined;
}
