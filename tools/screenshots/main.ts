// `npm run screenshots` writes screenshots of every page of the console into docs/console: from `outrigger up` with this repository's
// examples (a halted rollout, one that gates hold, one in waves) and, for the heat map, from a synthetic fleet. Review them before
// committing.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { launch } from '../../test/console/harness/browser.js';
import { type LocalFleet, startLocalFleet } from '../../test/console/harness/local-fleet.js';
import { startSyntheticServer } from '../../test/console/harness/synthetic-server.js';
import { bundle } from '../bundle.mjs';
import { ROOT } from '../check/root.js';
import { APP, buildConsoleApp } from '../console-app.mjs';
import { findKubectl } from '../kube-binaries/kubectl.js';

const FOLDER = join(ROOT, 'docs/console');
const CLUSTERS = 12;
const SIZE = { width: 1200, height: 760 };
const PAGES = [
  { name: 'gates', path: '/addons/hello/rollout' },
  { name: 'add-on', path: '/addons/shop' },
  { name: 'cluster', path: '/clusters/cluster1' },
  { name: 'reason', path: '/clusters/cluster1/addons/shaky' },
  { name: 'activity', path: '/activity' },
  { name: 'object', path: '/objects/addon.open-cluster-management.io/v1alpha1/clustermanagementaddons/metrics' },
] as const;

/** Prepares the fleet: an upgrade that fails and halts, one that a gate holds for an approval, and one that is in progress. */
async function prepare({ kubeconfig, outrigger }: LocalFleet): Promise<void> {
  const kubectl = await findKubectl();
  const examples = ['rollback', 'dependencies', 'configuration', 'canary', 'safe-rollout'];
  const files = examples.flatMap((name) => ['-f', join(ROOT, 'examples', name)]);
  await promisify(execFile)(kubectl, ['apply', ...files], { env: { ...process.env, KUBECONFIG: kubeconfig } });
  for (const addOn of ['shaky', 'wave']) await outrigger('rollout', 'status', addOn, '--watch', '--timeout', '120');
  for (const addOn of ['shaky', 'hello', 'wave']) await outrigger('upgrade', addOn, '--to', 'v2');
}

async function picture(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.bones').waitFor({ state: 'detached' });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
}

await buildConsoleApp();
const [browser, fleet, large] = await Promise.all([
  launch(),
  startLocalFleet(await bundle(), CLUSTERS),
  startSyntheticServer(APP, { clusters: 3_000, addOns: 12 }),
]);
const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light' });
const page = await context.newPage();
await page.goto(fleet.address);
await page.locator('.grid a[data-state=available]').first().waitFor();
await prepare(fleet);
await page.goto(`${fleet.origin}/addons/wave/rollout`);
await page.getByRole('heading', { level: 1, name: /: [3-9] of 12 done/ }).waitFor({ timeout: 120_000 });
await picture(page, `${fleet.origin}/addons/wave/rollout`, 'rollout');
await picture(page, `${fleet.origin}/`, 'fleet');
await page.emulateMedia({ colorScheme: 'dark' });
await picture(page, `${fleet.origin}/`, 'fleet-dark');
await page.emulateMedia({ colorScheme: 'light' });
for (const { name, path } of PAGES) await picture(page, fleet.origin + path, name);
await page.setViewportSize({ width: SIZE.width, height: 1240 });
await picture(page, `${large.origin}/`, 'fleet-of-3000');
await page.setViewportSize({ width: 360, height: 740 });
await picture(page, `${fleet.origin}/`, 'phone');
await browser.close();
await Promise.all([fleet.stop(), large.close()]);
process.exit(0);
