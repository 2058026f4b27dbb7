/** Writes the output files of a build below a folder, each by a rename, and leaves files alone that have their content already. */
export function writeOutputs(outdir: string, files: readonly { readonly path: string; readonly contents: string | Uint8Array }[]): void;
