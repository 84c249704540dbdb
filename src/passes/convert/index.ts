export * from "./convert-scf-to-cf.js";
