// Finds Chromium for the console's tests and benchmark, and installs Debian's package if it is missing and apt-get may run. The path can be
// set in OUTRIGGER_CHROMIUM. Without a browser it fails with the reason, because a suite that did not run must not look like one that passed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Returns the path of the browser, or undefined if there is none. */
export function findChromium() {
  const given = process.env.OUTRIGGER_CHROMIUM;
  if (given) return existsSync(given) ? given : undefined;
  return PLACES.find((place) => existsSync(place));
}

function installChromium() {
  if (process.env.OUTRIGGER_CHROMIUM) return `OUTRIGGER_CHROMIUM names ${process.env.OUTRIGGER_CHROMIUM}, which does not exist`;
  if (process.getuid?.() !== 0) return 'Chromium is not installed, and only root may install it with apt-get';
  const step = (...args) => spawnSync('apt-get', args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  const update = step('update', '-q');
  if (update.error) return `Chromium is not installed, and apt-get cannot run: ${update.error.message}`;
  const { status } = step('install', '-y', '-q', '--no-install-recommends', 'chromium', 'fonts-liberation');
  return status === 0 ? undefined : `apt-get install chromium failed with status ${status}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problem = findChromium() === undefined ? installChromium() : undefined;
  if (problem !== undefined || findChromium() === undefined) {
    process.stderr.write(`The tests of the console did not run: ${problem ?? 'Chromium was not found after its installation'}.\n`);
    process.exit(1);
  }
}
