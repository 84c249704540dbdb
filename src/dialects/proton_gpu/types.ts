/** Types of proton_gpu. Source: ProtonGPUTypes.td. */
import { type Attribute, defineType } from "../../ir/attribute.js";
import { type TypeConstraint, typeConstraint } from "../../ir/constraints.js";

const GRANULARITIES = [
  "thread",
  "warp",
  "warp_2",
  "warp_4",
  "warp_8",
  "cta",
  "warp_group",
  "warp_group_2",
  "warp_group_4",
  "warp_group_8",
] as const;

export interface SegmentParams {
  /** The bytes of all segments together. */
  readonly nBytes: number;
  readonly memorySpace: Attribute;
  /** The unit that has a segment of its own. */
  readonly granularity: (typeof GRANULARITIES)[number];
  /** Those that are measured; all where it is empty. */
  readonly selectIds: readonly number[];
}

/** `!proton_gpu.segment<384, #smem, warp, [0, 1, 2]>`: the part of the profiler's buffer that a warp writes to. */
export const SegmentType = defineType<SegmentParams>("proton_gpu.segment", {
  summary: "A segment in the internal buffer",
  parse(p) {
    p.punct("<");
    const nBytes = p.int();
    p.punct(",");
    const memorySpace = p.attribute();
    p.punct(",");
    const at = p.pos;
    const word = p.optAnyKeyword();
    const granularity = GRANULARITIES.find((name) => name === word);
    if (granularity === undefined)
      return p.fail(`expected ::mlir::triton::proton::gpu::Granularity to be one of: ${GRANULARITIES.join(", ")}`, at, "parse.enum");
    const selectIds = p.optPunct(",") ? p.list("[", "]", () => p.int()) : [];
    p.punct(">");
    return { nBytes, memorySpace, granularity, selectIds };
  },
  print: ({ nBytes, memorySpace, granularity, selectIds }, p) =>
    `<${nBytes}, ${p.attr(memorySpace)}, ${granularity}${selectIds.length > 0 ? `, [${selectIds.join(", ")}]` : ""}>`,
});
export const Segment: TypeConstraint = {
  ...typeConstraint(SegmentType.summary!, (t) => SegmentType.is(t)),
  stripped: SegmentType.name,
};
