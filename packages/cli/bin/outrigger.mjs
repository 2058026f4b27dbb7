#!/usr/bin/env node
// The command in a clone, for `npx outrigger`. A file of the repository, because npm links only what is there when it installs; the bundle comes later.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bundled = new URL('../dist/bundle/main.js', import.meta.url);
if (!existsSync(fileURLToPath(bundled))) await (await import('../../../tools/bundle.mjs')).bundle();
await import(bundled.href);
