export * from "./instrument.js";
