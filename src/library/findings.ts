/** The final code: its facts, and what holds the kernel back. */
export { type CodegenFact, codegenFacts } from "../explain/codegen-facts.js";
export { compareFacts, type FactDifference, type FinalFacts, finalFacts } from "../explain/compare-facts.js";
export { FINDING_KINDS, type Finding, type FindingKind, findings, noFindings, placeText } from "../explain/findings.js";
export { type Headline, headlineOf, headlineText } from "../explain/headline.js";
export type { InstructionFacts } from "../explain/instruction-facts.js";
