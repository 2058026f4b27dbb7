// `npm run screenshots`: writes screenshots of every page of the console into docs/console, from `outrigger up` with an upgrade under way
// and, for the heat map, from a synthetic fleet. Review them before committing.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launch } from '../../test/console/harness/browser.js';
import { startLocalFleet } from '../../test/console/harness/local-fleet.js';
import { startSyntheticServer } from '../../test/console/harness/synthetic-server.js';
import { ROOT } from '../check/root.js';
import { APP, buildConsoleApp } from '../console-app.mjs';

const FOLDER = join(ROOT, 'docs/console');
const PAGES = [
  { name: 'fleet', path: '/' },
  { name: 'rollout', path: '/addons/hello/rollout' },
  { name: 'add-on', path: '/addons/metrics' },
  { name: 'cluster', path: '/clusters/cluster1' },
  { name: 'reason', path: '/clusters/cluster1/addons/metrics' },
  { name: 'activity', path: '/activity' },
  { name: 'object', path: '/objects/addon.open-cluster-management.io/v1alpha1/clustermanagementaddons/metrics' },
] as const;

async function picture(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.bones').waitFor({ state: 'detached' });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
}

await buildConsoleApp();
const [browser, fleet, large] = await Promise.all([
  launch(),
  startLocalFleet(5),
  startSyntheticServer(APP, { clusters: 3_000, addOns: 12 }),
]);
const context = await browser.newContext({ viewport: { width: 1200, height: 720 }, colorScheme: 'light' });
const page = await context.newPage();
await page.goto(fleet.address);
await page.locator('.grid a[data-state=available]').first().waitFor();
await fleet.outrigger('upgrade', 'hello', '--to', 'v2');
for (const { name, path } of PAGES) await picture(page, fleet.origin + path, name);
await page.setViewportSize({ width: 1200, height: 1240 });
await picture(page, `${large.origin}/`, 'fleet-of-3000');
await page.setViewportSize({ width: 1200, height: 720 });
await page.emulateMedia({ colorScheme: 'dark' });
await picture(page, `${fleet.origin}/`, 'fleet-dark');
await browser.close();
await Promise.all([fleet.stop(), large.close()]);
process.exit(0);
