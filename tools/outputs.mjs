import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes the output files of a build below `outdir`, in the given order. A file that has its content already is left alone, and another is
 * replaced by a rename. So a build does not disturb a process that runs an earlier build of the same folder, and builds of the same
 * sources may run at the same time.
 */
export function writeOutputs(outdir, files) {
  mkdirSync(dirname(outdir), { recursive: true });
  // A draft is beside the folder, because the console's server reads every file in the folder.
  const draft = `${outdir}.${randomUUID()}`;
  for (const { path, contents } of files) {
    if (existsSync(path) && readFileSync(path).equals(Buffer.from(contents))) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, contents);
    renameSync(draft, path);
  }
}
