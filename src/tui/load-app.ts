/** React and Ink with our components: a bundle beside the command's, loaded when something is drawn. */
export type AppModule = typeof import("./app.js");

/** Loaded as the command's own scripts are (`bin/load.js`), with its compiled code. */
export async function loadApp(): Promise<AppModule> {
  const app = (module as unknown as { readonly load: (name: string) => AppModule }).load("app.cjs");
  await app.ready;
  return app;
}
