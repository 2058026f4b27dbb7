import { BINARIES, findBinary } from './binaries.js';

/** Makes sure every binary exists, so that no test waits for a compiler; prints where each one is. */
for (const binary of BINARIES) process.stdout.write(`${binary}: ${await findBinary(binary)}\n`);
