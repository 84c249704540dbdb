/** Where spaces lie in generic addresses. Global memory lies above 2^36. */
export const WINDOWS: Readonly<Record<string, number>> = { shared: 2 ** 32, local: 2 * 2 ** 32, param: 3 * 2 ** 32 };

/** Shared addresses below it are the CTA's own; above it each CTA of the cluster has as many, as `mapa` gives them. */
export const CTA_WINDOW = 2 ** 24;
