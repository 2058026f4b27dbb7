#!/usr/bin/env node
// Runs the command in a clone, for `npx outrigger`. It is a file in the repository, because npm links only files that exist when it
// installs, and the bundle is built later.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bundled = new URL('../dist/bundle/main.js', import.meta.url);
if (!existsSync(fileURLToPath(bundled))) await (await import('../../../tools/bundle.mjs')).bundle();
await import(bundled.href);
