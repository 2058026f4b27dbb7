// `npm start`: installs if needed, bundles the command and runs it in this process, so that signals reach it and nothing is left behind.
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { bundle, CLI_ENTRY } from './bundle.mjs';
import { install } from './install.mjs';

install();
if (existsSync(CLI_ENTRY)) {
  const file = await bundle();
  const args = process.argv.slice(2);
  process.argv = [process.argv[0], file, ...(args.length > 0 ? args : ['up'])];
  await import(pathToFileURL(file).href);
} else {
  process.stdout.write(
    '`npm start` will run `outrigger up`: a hub, simulated clusters and the console on this machine. The command is not there yet.\n',
  );
}
