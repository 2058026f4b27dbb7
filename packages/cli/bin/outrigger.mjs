#!/usr/bin/env node
// Runs the command in a clone, for `npx outrigger`. It is a file in the repository, because npm links only files that exist when it
// installs, and the bundle is built later. The bundle is built again after a `git pull`, a checkout or a commit. It is not compared with
// the sources, because that takes a third of the time of a command.
import { statSync } from 'node:fs';

const bundled = new URL('../dist/bundle/main.js', import.meta.url);
const isBuilt = changedAt(bundled) > changedAt(new URL('../../../.git/logs/HEAD', import.meta.url));
if (!isBuilt) await (await import('../../../tools/bundle.mjs')).bundle();
await import(bundled.href);

function changedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
