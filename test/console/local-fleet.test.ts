// Tests the console as a new user starts it: `outrigger up`, its one-time URL, and the real server and hub.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, launch, loaded, openPage } from './harness/browser.js';
import { type LocalFleet, startLocalFleet } from './harness/local-fleet.js';
import { bundle } from '../../tools/bundle.mjs';

let browser: Browser;
let command: string;
let fleet: LocalFleet;
let page: Page;
let problems: string[];

// Each program starts in a separate hook, so that each start has its own time limit.
beforeAll(async () => {
  browser = await launch();
});
beforeAll(async () => {
  command = await bundle();
});
beforeAll(async () => {
  fleet = await startLocalFleet(command, 3);
});
beforeAll(async () => {
  ({ page, problems } = await openPage(browser));
  await page.goto(fleet.address);
});
afterAll(async () => {
  await browser?.close();
  await fleet?.stop();
});

const heading = (text: string) => page.getByRole('heading', { level: 1 }).filter({ hasText: text });
const cell = (addon: string, cluster: string, says: string) =>
  page.locator('.grid').getByRole('link', { name: new RegExp(`^${addon} on ${cluster}: ${says}`) });

test('the one-time address opens the fleet, keeps no token in the address, and works only once', async () => {
  await cell('metrics', 'cluster3', 'available').waitFor();
  expect(page.url()).toBe(`${fleet.origin}/`);
  const { page: stranger } = await openPage(browser);
  await stranger.goto(fleet.address).catch(() => undefined);
  await stranger.goto(fleet.origin);
  await stranger.getByText('This console runs on your machine.').waitFor();
  expect(await stranger.getByLabel('Token').count()).toBe(0);
  await expectAccessible(stranger);
  await stranger.context().close();
  // The browser that first opened the URL is still signed in, so it can open the URL again.
  await page.goto(fleet.address);
  await cell('metrics', 'cluster3', 'available').waitFor();
  expect(page.url()).toBe(`${fleet.origin}/`);
});

test.each([
  ['/', '2 add-ons on 3 clusters'],
  ['/addons/metrics', 'Metrics'],
  ['/addons/metrics/rollout', 'metrics to v1'],
  ['/clusters/cluster1', 'cluster1'],
  ['/clusters/cluster1/addons/metrics', 'metrics on cluster1'],
  ['/activity', 'Activity'],
  ['/objects/addon.open-cluster-management.io/v1alpha1/clustermanagementaddons/metrics', 'metrics'],
])('%s shows the hub and is accessible', async (path, text) => {
  await page.goto(fleet.origin + path);
  await heading(text).waitFor();
  await loaded(page);
  await expectAccessible(page);
});

test('the page gives the reason that outrigger why gives', async () => {
  await page.goto(`${fleet.origin}/clusters/cluster1/addons/metrics`);
  const shown = await page.locator('.chain li .box').first().innerText();
  const why = await fleet.outrigger('why', 'metrics', '--cluster', 'cluster1');
  expect(why.replaceAll(/\s+/g, ' ')).toContain(shown.replace(/\s+\S+$/, ''));
});

test('an upgrade that a person types arrives on the open page', async () => {
  await page.goto(fleet.origin);
  await cell('hello', 'cluster1', 'available, v1').waitFor();
  await fleet.outrigger('upgrade', 'hello', '--to', 'v2');
  await cell('hello', 'cluster1', 'available, v2').waitFor();
});

test('pause and resume by the buttons of the rollout page change the hub', async () => {
  await page.goto(`${fleet.origin}/addons/hello/rollout`);
  for (const label of ['Pause', 'Resume']) {
    await page.getByRole('button', { name: label, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`outrigger rollout ${label.toLowerCase()} hello`).waitFor();
    await dialog.getByRole('button', { name: label, exact: true }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
});

test('no page logged an error', () => {
  expect(problems).toEqual([]);
});
