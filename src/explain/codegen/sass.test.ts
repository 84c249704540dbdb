import { expect, test } from "vitest";
import { instructionOnLine } from "./instruction-line.js";
import { readSass } from "./sass.js";

const NVDISASM = `	.headerflags	@"EF_CUDA_SM80"
//--------------------- .text.vecadd              --------------------------
	.section	.text.vecadd,"ax",@progbits
        .type           vecadd,@function
vecadd:
.text.vecadd:
	//## File ".nv_debug_ptx_txt", line 18
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/                   NOP ;
	//## File ".nv_debug_ptx_txt", line 48
        /*0020*/              @!P0 LDG.E.128 R12, [R2.64] ;
.L_x_0:
        /*0030*/                   BRA \`(.L_x_0);
        /*0040*/                   NOP;
`;

test("machine code is read with the lines of PTX that it is from; NOPs at the end are padding", () => {
  expect(readSass(NVDISASM)).toEqual([
    { text: "vecadd:" },
    { text: "/*0000*/ MOV R1, c[0x0][0x28] ;", ptx: 18 },
    { text: "/*0010*/ NOP ;", ptx: 18 },
    { text: "/*0020*/ @!P0 LDG.E.128 R12, [R2.64] ;", ptx: 48 },
    { text: ".L_x_0:" },
    { text: "/*0030*/ BRA `(.L_x_0);", ptx: 48 },
  ]);
});

test("cuobjdump's listing has no places, and encodings are left out", () => {
  const listing =
    "\t\tFunction : add\n        /*0000*/                   MOV R1, R2 ;     /* 0x00000a0000017a02 */\n                                     /* 0x003fde0000000f00 */\n";
  expect(readSass(listing)).toEqual([{ text: "add:" }, { text: "/*0000*/ MOV R1, R2 ;" }]);
});

test("an instruction is explained with its operands, in PTX, machine code and inline assembly", () => {
  const load = instructionOnLine("\t@%p1 ld.global.v4.b32 { %r8, %r9 }, [ %rd3 + 0 ];");
  expect(load?.title).toBe("ld.global.v4.b32");
  expect(load?.lines).toContain("Only where %p1 holds.");
  expect(load?.lines).toContain("  [address]        [ %rd3 + 0 ]");
  expect(load?.lines.at(-1)).toContain("PTX ISA: Data Movement");
  const machine = instructionOnLine("/*0020*/ @!P0 LDG.E.128 R12, [R2.64] ;");
  expect(machine?.title).toBe("LDG.E.128");
  expect(machine?.lines).toContain("Only where not P0 holds.");
  expect(machine?.lines).toContain("  [address]        [R2.64]");
  expect(machine?.lines.at(-1)).toContain("Load/Store Instructions: LDG");
  expect(
    instructionOnLine('%1 = llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0}, {$1}, {$2}, {$3};"')?.title,
  ).toMatch(/^mma/);
  for (const none of ["\t// begin inline asm", ".L_x_0:", "{", "\t.reg .b32 \t%r<32>;", "/*0000*/ XYZZY R1 ;"])
    expect(instructionOnLine(none)).toBeUndefined();
});
