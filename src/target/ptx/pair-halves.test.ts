import { describe, expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

describe("two operations on 16 bits", () => {
  const halves = `%i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %x = llvm.load %arg0 : !llvm.ptr<1> -> vector<2xf16>
    %y = llvm.load %arg1 : !llvm.ptr<1> -> vector<2xf16>
    %x0 = llvm.extractelement %x[%i0 : i32] : vector<2xf16>
    %x1 = llvm.extractelement %x[%i1 : i32] : vector<2xf16>
    %y0 = llvm.extractelement %y[%i0 : i32] : vector<2xf16>
    %y1 = llvm.extractelement %y[%i1 : i32] : vector<2xf16>
    %u = llvm.mlir.undef : vector<2xf16>`;
  const stored = (low: string, high: string) => `
    %v0 = llvm.insertelement ${low}, %u[%i0 : i32] : vector<2xf16>
    %v1 = llvm.insertelement ${high}, %v0[%i1 : i32] : vector<2xf16>
    %bits = llvm.bitcast %v1 : vector<2xf16> to i32
    llvm.store %bits, %arg0 : i32, !llvm.ptr<1>`;
  const floats = (body: string) =>
    instructions(kernel("%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>", halves + body)).filter((l) => /f16/.test(l));

  test("on the halves of one register become one, whichever way round a sum is written", () => {
    const body = `
      %a = llvm.fadd %x0, %y0 : f16
      %b = llvm.fadd %y1, %x1 : f16
      %c = llvm.fneg %a : f16
      %d = llvm.fneg %b : f16`;
    expect(floats(body + stored("%c", "%d")).map((l) => l.split(" ")[0])).toEqual(["add.f16x2", "neg.f16x2"]);
  });
  test("stay two where they are different ones", () => {
    const body = `
      %a = llvm.fadd %x0, %y0 : f16
      %b = llvm.fmul %x1, %y1 : f16`;
    expect(floats(body + stored("%a", "%b")).map((l) => l.split(" ")[0])).toEqual(["add.f16", "mul.f16"]);
  });
  test("stay two where one needs the other", () => {
    const body = `
      %a = llvm.fadd %x0, %y0 : f16
      %b = llvm.fadd %a, %y1 : f16`;
    expect(floats(body + stored("%a", "%b")).map((l) => l.split(" ")[0])).toEqual(["add.f16", "add.f16"]);
  });
  test("stay two where one is stored before the other can be computed", () => {
    const body = `
      %a = llvm.fadd %x0, %y0 : f16
      llvm.store volatile %a, %arg0 : f16, !llvm.ptr<1>
      %z = llvm.load volatile %arg1 : !llvm.ptr<1> -> f16
      %b = llvm.fadd %z, %y1 : f16`;
    expect(floats(body + stored("%a", "%b")).map((l) => l.split(" ")[0])).toEqual(["add.f16", "add.f16"]);
  });
  test("stay two where registers would have to be put together for it and taken apart again", () => {
    const body = `
      %a = llvm.fadd %x0, %y1 : f16
      %b = llvm.fadd %y0, %x1 : f16
      llvm.store %a, %arg0 : f16, !llvm.ptr<1>
      llvm.store %b, %arg1 : f16, !llvm.ptr<1>`;
    expect(floats(body).map((l) => l.split(" ")[0])).toEqual(["add.f16", "add.f16"]);
  });
});

describe("two words that a loop carries", () => {
  const loop = (body: string) => `
      %none = llvm.mlir.constant(0.0 : f32) : f32
      llvm.br ^bb1(%none, %none : f32, f32)
    ^bb1(%a: f32, %b: f32):
      %s = llvm.load volatile %arg0 : !llvm.ptr<1> -> f32
      %x = llvm.load volatile %arg0 : !llvm.ptr<1> -> f32
      %y = llvm.load volatile %arg0 : !llvm.ptr<1> -> f32
      ${body}
      %p = llvm.fcmp "olt" %s, %none : f32
      llvm.cond_br %p, ^bb1(%c, %d : f32, f32), ^bb2
    ^bb2:
      llvm.store %c, %arg0 : f32, !llvm.ptr<1>
      llvm.store %d, %arg0 : f32, !llvm.ptr<1>
      llvm.return`;
  const floats = (body: string, capability: number) =>
    instructions(`(%arg0: !llvm.ptr<1>) attributes {nvvm.kernel = 1 : ui1} {${loop(body)}\n}`, { capability })
      .filter((l) => /^(add|mul|sub)\./.test(l))
      .map((l) => l.split(" ")[0]);
  const scaled = `
      %e = llvm.fadd %a, %x : f32
      %f = llvm.fadd %b, %y : f32
      %c = llvm.fmul %e, %s : f32
      %d = llvm.fmul %s, %f : f32`;

  test("are computed at once on sm_100", () => {
    expect(floats(scaled, 100)).toEqual(["add.f32x2", "mul.f32x2"]);
    expect(floats(scaled, 90)).toEqual(["add.f32", "add.f32", "mul.f32", "mul.f32"]);
  });
  test("stay two where one is a sum and the other a difference", () => {
    const other = scaled.replace("%f = llvm.fadd %b, %y", "%f = llvm.fsub %b, %y");
    expect(floats(other, 100)).toEqual(["add.f32", "sub.f32", "mul.f32", "mul.f32"]);
  });
});

test("words that an op computes by twos are computed at once on sm_100, also where that saves nothing", () => {
  const body = `%i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %u = llvm.mlir.undef : vector<2xf32>
    %x = llvm.load %arg0 : !llvm.ptr<1> -> f32
    %y = llvm.load %arg1 : !llvm.ptr<1> -> f32
    %v0 = llvm.insertelement %x, %u[%i0 : i32] : vector<2xf32>
    %v = llvm.insertelement %y, %v0[%i1 : i32] : vector<2xf32>
    %z = llvm.load %arg2 : !llvm.ptr<1> -> f32
    %w0 = llvm.insertelement %y, %u[%i0 : i32] : vector<2xf32>
    %w = llvm.insertelement %z, %w0[%i1 : i32] : vector<2xf32>
    %s = llvm.fadd %v, %w : vector<2xf32>
    %a = llvm.extractelement %s[%i0 : i32] : vector<2xf32>
    %b = llvm.extractelement %s[%i1 : i32] : vector<2xf32>
    %c = llvm.fmul %a, %x : f32
    %d = llvm.fmul %b, %c : f32
    llvm.store %d, %arg0 : f32, !llvm.ptr<1>`;
  const floats = (capability: number) =>
    instructions(kernel("%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>, %arg2: !llvm.ptr<1>", body), { capability })
      .map((l) => l.split(" ")[0])
      .filter((name) => name!.startsWith("add."));
  expect(floats(100)).toEqual(["add.f32x2"]);
  expect(floats(90)).toEqual(["add.f32", "add.f32"]);
});

test("halves that a loop only carries are a register, where the program puts them together in each round", () => {
  const body = `%c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %any = llvm.mlir.undef : vector<2xf16>
    %first = llvm.load volatile %arg0 : !llvm.ptr<1> -> vector<2xf16>
    %l0 = llvm.extractelement %first[%c0 : i32] : vector<2xf16>
    %h0 = llvm.extractelement %first[%c1 : i32] : vector<2xf16>
    llvm.br ^bb1(%l0, %h0 : f16, f16)
  ^bb1(%l: f16, %h: f16):
    %a = llvm.insertelement %l, %any[%c0 : i32] : vector<2xf16>
    %b = llvm.insertelement %h, %a[%c1 : i32] : vector<2xf16>
    llvm.store volatile %b, %arg0 : vector<2xf16>, !llvm.ptr<1>
    %next = llvm.load volatile %arg0 : !llvm.ptr<1> -> vector<2xf16>
    %l1 = llvm.extractelement %next[%c0 : i32] : vector<2xf16>
    %h1 = llvm.extractelement %next[%c1 : i32] : vector<2xf16>
    %s = llvm.load volatile %arg0 : !llvm.ptr<1> -> i32
    %p = llvm.icmp "slt" %s, %c0 : i32
    llvm.cond_br %p, ^bb1(%l1, %h1 : f16, f16), ^bb2
  ^bb2:
    llvm.return`;
  const made = instructions(`(%arg0: !llvm.ptr<1>) attributes {nvvm.kernel = 1 : ui1} {${body}
}`);
  expect(made.filter((line) => line.includes("%rs"))).toEqual([]);
});
