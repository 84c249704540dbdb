/** Functions and methods on atoms, TiledMMA and TiledCopy, by CuTe's names. */
import type { MmaAtom } from "../../atoms/mma-atom.js";
import * as any from "../../composed-layout.js";
import { product } from "../../int-tuple.js";
import * as plain from "../../layout.js";
import { type NumericType, numericTypes, unsignedOfBits } from "../../numeric-type.js";
import { makeTensor, memoryPointer, recastTensor, type Tensor, withLayout } from "../../tensor.js";
import { type AnyLayout, CuteError, get, lit, type Term, tuple } from "../../term.js";
import * as copies from "../../tiled-copy.js";
import * as mmas from "../../tiled-mma.js";
import { type Call, nameOfKind, plainLayoutOf, termOf, type Value } from "../value.js";
import { fragmentLike } from "./data.js";
import { arg, type Library, layoutArg, path, shapeOf, templateNumber, tensorArg, term } from "./define.js";

const operands = ["A", "B", "C"] as const;

function mma(call: Call, i = 0): mmas.TiledMma {
  const v = arg(call, i);
  if (v.kind === "tiled-mma") return v;
  if (v.kind === "thr-mma") return v.mma;
  throw new CuteError(`${call.name}: expected a TiledMMA, found ${nameOfKind(v)}`);
}
function copy(call: Call, i = 0): copies.TiledCopy {
  const v = arg(call, i);
  if (v.kind === "tiled-copy") return v;
  if (v.kind === "thr-copy") return v.copy;
  throw new CuteError(`${call.name}: expected a TiledCopy, found ${nameOfKind(v)}`);
}
function copyAtom(call: Call): copies.CopyAtomOf {
  const v = arg(call, 0);
  if (v.kind === "copy-atom") return v;
  if (v.kind === "tiled-copy") return v.atom;
  throw new CuteError(`${call.name}: expected a Copy_Atom, found ${nameOfKind(v)}`);
}
function mmaAtom(v: Value): MmaAtom {
  if (v.kind === "mma-atom") return v.atom;
  if (v.kind === "type" && v.type.of === "mma-op") return v.type.atom;
  if (v.kind === "type" && v.type.of === "value") return mmaAtom(v.type.value);
  throw new CuteError(`expected an MMA_Atom, found ${nameOfKind(v)}`);
}

/** A function of a tensor or a layout that cuts it. */
const cut = (v: Value, f: (l: AnyLayout) => AnyLayout): Value => (v.kind === "tensor" ? withLayout(v, f) : f(layoutOrShape(v)));
const layoutOrShape = (v: Value): AnyLayout => (v.kind === "layout" || v.kind === "composed" ? v : plain.compactLayout(termOf(v)));

/** The element type an operand's fragment has. */
function fragmentType(atom: MmaAtom, operand: mmas.Operand): NumericType {
  const name = { A: atom.types.a, B: atom.types.b, C: atom.types.c }[operand];
  const known = numericTypes.get(name.replace(/^sparse_elem<\d+,(.*)>$/, "$1"));
  return known ?? unsignedOfBits(/complex|Gauss/.test(name) ? 128 : 32);
}

/** A fragment for an already partitioned tensor; operands in shared memory stay views through descriptors. */
function makeFragment(atom: MmaAtom, operand: mmas.Operand, t: Tensor): Value {
  const element = fragmentType(atom, operand);
  if (operand === "C") return makeTensor(memoryPointer(element, "raw", 0x1000), plain.compactLayout(any.shape(t.layout)));
  const described = operand === "A" ? atom.descriptors?.a : atom.descriptors?.b;
  if (!described) return fragmentLike(t, element);
  const words = recastTensor(t, unsignedOfBits(128));
  const l = plainLayoutOf(words.layout);
  const rest = plain.take(l, 1, any.rank(l));
  return {
    kind: "tensor",
    data: t.data,
    layout: plain.layout(tuple(lit(1), ...itemsOf(rest.shape)), tuple(lit(0), ...itemsOf(rest.stride))),
  };
}
const itemsOf = (t: Term): readonly Term[] => (t.kind === "tuple" ? t.items : [t]);

/** Functions, for each operand where there are three. */
export const atomLibrary: Library = {
  make_tiled_mma: (c) => mmas.makeTiledMma(mmaAtom(arg(c, 0)), c.args[1] && plainLayoutOf(arg(c, 1)), c.args[2] && term(c, 2)),
  make_tiled_copy: (c) => copies.makeTiledCopy(copyAtom(c), c.args[1] && plainLayoutOf(arg(c, 1)), c.args[2] && plainLayoutOf(arg(c, 2))),
  make_tiled_copy_impl: (c) => copies.tiledCopy(copyAtom(c), layoutArg(c, 1), term(c, 2)),
  make_cotiled_copy: (c) => copies.makeCotiledCopy(copyAtom(c), plainLayoutOf(arg(c, 1)), plainLayoutOf(arg(c, 2))),
  make_tiled_copy_S: (c) => copies.makeTiledCopyLike(copyAtom(c), copy(c, 1), "S"),
  make_tiled_copy_D: (c) => copies.makeTiledCopyLike(copyAtom(c), copy(c, 1), "D"),
  make_tiled_copy_C_atom: (c) => copies.makeTiledCopyCAtom(copyAtom(c), mma(c, 1)),
  ...Object.fromEntries(
    operands.flatMap((o): [string, Library[string]][] => [
      [`make_tiled_copy_${o}`, (c) => copies.makeTiledCopyFor(copyAtom(c), mma(c, 1), o)],
      [`partition_shape_${o}`, (c) => mmas.partitionShape(mma(c), o, shapeOf(arg(c, 1)))],
      [
        `partition_fragment_${o}`,
        (c) =>
          makeTensor(
            memoryPointer(fragmentType(mma(c).atom, o), "raw", 0x1000),
            plain.compactLayout(mmas.partitionShape(mma(c), o, shapeOf(arg(c, 1)))),
          ),
      ],
    ]),
  ),
  tile_size: (c) => {
    const v = arg(c, 0);
    if (v.kind === "tiled-mma" || v.kind === "thr-mma") return mmas.tileSize(mma(c), templateNumber(c, 0));
    return product(get(copies.tilerShape(copy(c).tiler), ...path(c)));
  },
  tile_shape: (c) => mmas.tileShape(mma(c)),
  thr_size: (c) => product(get(mma(c).threads.shape, ...path(c))),
};

/** `size(mma)`, `size(copy)`: the number of threads. */
export function sizeOfTiled(call: Call): Term | undefined {
  const v = call.args[0];
  if (v?.kind === "tiled-mma" || v?.kind === "thr-mma") return product(get(mma(call).threads.shape, ...path(call)));
  if (v?.kind === "tiled-copy" || v?.kind === "thr-copy") return copies.copySize(copy(call));
  return undefined;
}

/** Methods of TiledMMA and ThrMMA. */
export const mmaMethods: Library = {
  get_slice: (c) => mmas.mmaSlice(mma(c), term(c, 1)),
  get_thread_slice: (c) => mmas.mmaSlice(mma(c), term(c, 1)),
  get_thr_layout_vmnk: (c) => mma(c).threads,
  tile_size_mnk: (c) => mmas.tileSize(mma(c), templateNumber(c, 0)),
  permutation_mnk: (c) => mmas.permutationOf(mma(c), templateNumber(c, 0)),
  ...Object.fromEntries(
    operands.flatMap((o): [string, Library[string]][] => [
      [`thrfrg_${o}`, (c) => cut(arg(c, 1), (l) => mmas.thrfrg(mma(c), o, l))],
      [`get_layout${o}_TV`, (c) => mmas.layoutTv(mma(c), o)],
      [`partition_${o}`, (c) => mmas.partition(thrMma(c), o, tensorArg(c, 1))],
      [`make_fragment_${o}`, (c) => makeFragment(mma(c).atom, o, tensorArg(c, 1))],
      [`partition_fragment_${o}`, (c) => makeFragment(mma(c).atom, o, mmas.partition(thrMma(c), o, tensorArg(c, 1)))],
    ]),
  ),
};

function thrMma(c: Call): mmas.ThrMma {
  const v = arg(c, 0);
  if (v.kind !== "thr-mma") throw new CuteError(`${c.name} belongs to a thread: call get_slice(thread) first`);
  return v;
}

/** Methods of TiledCopy and ThrCopy. */
export const copyMethods: Library = {
  get_slice: (c) => ({ kind: "thr-copy", copy: copy(c), thread: term(c, 1) }),
  get_thread_slice: (c) => ({ kind: "thr-copy", copy: copy(c), thread: term(c, 1) }),
  tidfrg_S: (c) => cut(arg(c, 1), (l) => copies.tidfrg(copy(c), "S", l)),
  tidfrg_D: (c) => cut(arg(c, 1), (l) => copies.tidfrg(copy(c), "D", l)),
  get_layoutS_TV: (c) => copies.endLayoutTv(copy(c), "S"),
  get_layoutD_TV: (c) => copies.endLayoutTv(copy(c), "D"),
  retile: (c) => cut(arg(c, 1), (l) => copies.retile(copy(c), l)),
  retile_S: (c) => copies.retileTensor(copy(c), tensorArg(c, 1)),
  retile_D: (c) => copies.retileTensor(copy(c), tensorArg(c, 1)),
  partition_S: (c) => copies.partitionCopy(thrCopy(c), "S", tensorArg(c, 1)),
  partition_D: (c) => copies.partitionCopy(thrCopy(c), "D", tensorArg(c, 1)),
};

function thrCopy(c: Call): copies.ThrCopy {
  const v = arg(c, 0);
  if (v.kind !== "thr-copy") throw new CuteError(`${c.name} belongs to a thread: call get_slice(thread) first`);
  return v;
}

/** The value of the member `Type::name` of an atom or a tiled object. */
export function memberOfTiled(v: Value, name: string): Value | undefined {
  const atom = v.kind === "mma-atom" ? v.atom : v.kind === "tiled-mma" ? v.atom : v.kind === "thr-mma" ? v.mma.atom : undefined;
  if (atom) {
    const threads = v.kind === "tiled-mma" ? v.threads : v.kind === "thr-mma" ? v.mma.threads : undefined;
    const members: Record<string, Value | undefined> = {
      ThrID: atom.threads,
      AtomThrID: atom.threads,
      Shape_MNK: tuple(...atom.shape.map(lit)),
      AtomShape_MNK: tuple(...atom.shape.map(lit)),
      LayoutA_TV: atom.a,
      LayoutB_TV: atom.b,
      LayoutC_TV: atom.c,
      AtomLayoutA_TV: atom.a,
      AtomLayoutB_TV: atom.b,
      AtomLayoutC_TV: atom.c,
      Atom: { kind: "mma-atom", atom },
      MMA_Op: { kind: "type", type: { of: "mma-op", atom } },
      ThrLayoutVMNK: threads,
      ...Object.fromEntries(
        (["A", "B", "C", "D"] as const).flatMap((o) => {
          const type: Value = { kind: "type", type: { of: "numeric", type: fragmentType(atom, o === "D" ? "C" : o) } };
          return [
            [`ValType${o}`, type],
            [`FrgType${o}`, type],
          ];
        }),
      ),
    };
    return members[name];
  }
  const whole = v.kind === "tiled-copy" ? v : v.kind === "thr-copy" ? v.copy : undefined;
  const copyOf = v.kind === "copy-atom" ? v : whole?.atom;
  if (!copyOf) return undefined;
  const members: Record<string, Value | undefined> = {
    ThrID: copyOf.op.threads,
    AtomThrID: copyOf.op.threads,
    ValLayoutSrc: copyOf.source,
    ValLayoutDst: copyOf.destination,
    ValLayoutRef: copyOf.reference,
    AtomLayoutSrc: copyOf.source,
    AtomLayoutDst: copyOf.destination,
    AtomLayoutRef: copyOf.reference,
    BitLayoutSrc: copyOf.op.source,
    BitLayoutDst: copyOf.op.destination,
    BitLayoutRef: copyOf.op.reference,
    ValType: { kind: "type", type: { of: "numeric", type: copyOf.valueType } },
    NumValSrc: product(get(copyOf.source.shape, 1)),
    NumValDst: product(get(copyOf.destination.shape, 1)),
    AtomNumThr: product(get(copyOf.reference.shape, 0)),
    AtomNumVal: product(get(copyOf.reference.shape, 1)),
    Tiler_MN: whole?.tiler,
    TiledLayout_TV: whole?.layoutTv,
    TiledNumThr: whole && product(get(whole.layoutTv.shape, 0)),
    TiledNumVal: whole && product(get(whole.layoutTv.shape, 1)),
  };
  return members[name];
}
