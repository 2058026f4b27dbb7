/** Bundles the command and the console's app; the file to run. */
export function bundle(outdir?: string, sourcemap?: boolean): Promise<string>;
