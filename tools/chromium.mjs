// Finds Chromium for the console's tests and benchmark, and installs Debian's package if it is missing and apt-get may run. The path can be
// set in OUTRIGGER_CHROMIUM. Without a browser it fails with the reason, because a suite that did not run must not look like one that passed.
// The headless shell comes first: Chromium itself also draws the window around each page, and the same tests take twice as long in it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

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
  // Older releases of Debian have no package of the headless shell.
  const packages = ['chromium-headless-shell', 'chromium'];
  const isInstalled = (name) => step('install', '-y', '-q', '--no-install-recommends', name, 'fonts-liberation').status === 0;
  return packages.some(isInstalled) ? undefined : `apt-get installed none of ${packages.join(', ')}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problem = findChromium() === undefined ? installChromium() : undefined;
  if (problem !== undefined || findChromium() === undefined) {
    process.stderr.write(`The tests of the console did not run: ${problem ?? 'Chromium was not found after its installation'}.\n`);
    process.exit(1);
  }
}
