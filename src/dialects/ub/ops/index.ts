export * from "./poison.js";
