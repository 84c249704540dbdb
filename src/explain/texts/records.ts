/** The records that explanations are made of. They are text alone, so that they can be read without the compiler. */

/** A pass in words. Its options, counters and source file are in its definition. */
export interface PassText {
  /** The effect of the pass, and the use of it. */
  readonly purpose: string;
  /** The passes that must run before, and why the pass has its place in the pipeline. */
  readonly place: string;
  /** When it leaves the IR, or a part of it, as it is. */
  readonly declines: string;
}

/** An op in words. Its operands, attributes and results are in its definition. */
export interface OpText {
  readonly meaning: string;
  /** Its lowered form: on all targets, or one entry for each kind of target. */
  readonly becomes: string | Readonly<Record<string, string>>;
}

/** An instruction of PTX in words. */
export interface InstructionText {
  /** The opcode, with the modifiers that make it another instruction. */
  readonly name: string;
  readonly meaning: string;
  /** Its operands in order, with their sizes. */
  readonly operands: string;
  /** The heading of the chapter of NVIDIA's "Parallel Thread Execution ISA" that defines it. */
  readonly section: string;
  /** First compute capability that has it; all have it by default. */
  readonly since?: number;
}
