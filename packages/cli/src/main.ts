#!/usr/bin/env node
import { processContext } from './process-context.js';
import { runProgram } from './program.js';

const { context, end } = processContext();
runProgram(process.argv.slice(2), context).then(end, (error: unknown) => {
  process.stderr.write(`outrigger: ${String(error)}\n`);
  end(1);
});
