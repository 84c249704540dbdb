import { expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

test("a counter and its next value, which pipelining keeps both, are one counter", () => {
  /** The additions in a loop of three numbers that starts with these and goes on with those. */
  const loop = (start: string, next: string): string[] => {
    const lines = instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %n: i32",
        `%c64 = llvm.mlir.constant(-64 : i32) : i32
         %c128 = llvm.mlir.constant(-128 : i32) : i32
         %n1 = llvm.add %n, %c64 : i32
         llvm.br ^bb1(${start} : i32, i32, i32)
       ^bb1(%a: i32, %b: i32, %c: i32):
         %d = llvm.add %c, %c64 : i32
         llvm.store volatile %a, %arg0 : i32, !llvm.ptr<1>
         llvm.store volatile %b, %arg0 : i32, !llvm.ptr<1>
         llvm.store volatile %c, %arg0 : i32, !llvm.ptr<1>
         llvm.br ^bb1(${next} : i32, i32, i32)`,
      ).replace("\nllvm.return", ""),
    );
    return lines
      .slice(lines.findIndex((l) => l.startsWith("$L")))
      .filter((l) => /^(add|mov)/.test(l))
      .map((l) => l.replace(/%r\d+/g, "%"));
  };
  // One after the other: a is c + 64, and b is c.
  const one = ["add.s32 %, %, -64;", "add.s32 %, %, 64;", "mov.b32 %, %;"];
  expect(loop("%n, %n1, %n1", "%b, %d, %d")).toEqual(one);
  expect(loop("%c64, %c128, %c128", "%b, %d, %d")).toEqual(one);
  // The first a is another number.
  expect(loop("%n1, %n1, %n1", "%b, %d, %d")).toEqual(["add.s32 %, %, -64;", "mov.b32 %, %;", "mov.b32 %, %;"]);
});

test("a counter in steps of a power of two is put together with the lane: all addresses have one base", () => {
  const loads = (step: number): string[] =>
    instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %n: i32",
        `%c0 = llvm.mlir.constant(0 : i32) : i32
         %c1 = llvm.mlir.constant(1 : i32) : i32
         %step = llvm.mlir.constant(${step} : i32) : i32
         %tid = nvvm.read.ptx.sreg.tid.x : i32
         %lane = llvm.shl %tid, %c1 : i32
         %next = llvm.or disjoint %lane, %c1 : i32
         llvm.br ^bb1(%c0 : i32)
       ^bb1(%i: i32):
         %a = llvm.add %i, %lane : i32
         %b = llvm.add %i, %next : i32
         %p = llvm.getelementptr %arg0[%a] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
         %q = llvm.getelementptr %arg0[%b] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
         llvm.store %a, %p : i32, !llvm.ptr<1>
         llvm.store %a, %q : i32, !llvm.ptr<1>
         %j = llvm.add %i, %step : i32
         %d = llvm.icmp "slt" %j, %n : i32
         llvm.cond_br %d, ^bb1(%j : i32), ^bb2
       ^bb2:`,
      ),
    )
      .filter((l) => /^(st|mad)/.test(l))
      .map((l) => l.replace(/%r\d+/g, "%r").replace(/%rd\d+/g, "%rd"));
  expect(loads(256)).toEqual(["mad.wide.s32 %rd, %r, 4, %rd;", "st.global.b32 [%rd], %r;", "st.global.b32 [%rd+4], %r;"]);
  // Here the sum of a counter and a lane has carries.
  expect(loads(101).filter((l) => l.startsWith("mad"))).toHaveLength(2);
});
