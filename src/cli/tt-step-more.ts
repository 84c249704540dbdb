/**
 * The work of `tt-step` besides compiling an input, printing its IR, and the UI. One part of the command, loaded when some of it is asked for: parts
 * share most of their code, and each more of them makes all that share with it slower to load.
 */
export { completionMain } from "./completion.js";
export { work } from "./second-thread.js";
export { against } from "./tt-step-against.js";
export { againstAll } from "./tt-step-against-all.js";
export { bisectMain } from "./tt-step-bisect.js";
export { captureMain } from "./tt-step-capture.js";
export { codegenText } from "./tt-step-codegen.js";
export { diffText } from "./tt-step-diff.js";
export { explainMain } from "./tt-step-explain.js";
export { findingsText } from "./tt-step-findings.js";
export { learnMain } from "./tt-step-learn.js";
export { limitsMain } from "./tt-step-limits.js";
export { runCommand } from "./tt-step-run.js";
export { snapshotMain } from "./tt-step-snapshot.js";
export { showTarget } from "./tt-step-target.js";
export { namesOfInput, validatingTrace } from "./tt-step-validate.js";
export { whyAndLayout } from "./tt-step-why.js";
