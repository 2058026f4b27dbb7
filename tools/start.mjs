// `npm start` installs the packages if needed, bundles the command and runs it in this process, so that it gets the signals and no other
// process remains. Arguments after `--` are a command line of `outrigger`: `npm start -- get addons`. Options alone are options of `up`:
// `npm start -- --clusters 5`.
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { install } from './install.mjs';

install();
const file = await bundle();
const args = process.argv.slice(2);
const isOptionsOnly = args[0]?.startsWith('-') && !['-h', '--help', '-V', '--version', '--kubeconfig', '--context'].includes(args[0]);
process.argv = [process.argv[0], file, ...(args.length === 0 || isOptionsOnly ? ['up'] : []), ...args];
await import(pathToFileURL(file).href);
