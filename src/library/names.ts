/** Passes, ops, encodings and instructions in words. */
export { attributeText, explainedNames, instructionText, type NameText, nameText, opText, passText } from "../explain/texts/index.js";
