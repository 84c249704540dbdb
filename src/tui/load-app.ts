/** React and Ink with our components: a bundle beside the command's, loaded when something is drawn. */
export type AppModule = typeof import("./app.js");

/** Code that V8 has cached cannot import in node 20: what loaded the command (`bin/load.js`) does it. */
export function loadApp(): Promise<AppModule> {
  return (module as unknown as { readonly importBundle: (name: string) => Promise<AppModule> }).importBundle("app.js");
}
