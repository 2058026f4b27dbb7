// Performs every action of the console with the keyboard alone, on a desktop, and by touch, on a phone. Each dialog is accessible in both
// themes.
import type { Action, OfferedAction } from '@outrigger/console-contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { APP } from '../../tools/console-app.mjs';
import { expectAccessibleInBothThemes, fetched, launch, loaded, openPage } from './harness/browser.js';
import { type SyntheticServer, startSyntheticServer } from './harness/synthetic-server.js';

const ROLLOUT = '/addons/metrics/rollout';
const GATE = { addOn: 'metrics', entry: 'default/all', revision: 3, gate: 'careful/go' };
const REASON = 'tested on the canaries';

interface Case {
  readonly label: string;
  readonly action: Action;
  readonly reason?: OfferedAction['reason'];
}

/** One example of each action that a page can offer. */
const OFFERS: readonly Case[] = [
  { label: 'Pause', action: { action: 'pause', addOn: 'metrics' } },
  { label: 'Resume', action: { action: 'resume', addOn: 'metrics' } },
  { label: 'Roll back to v1', action: { action: 'roll-back', addOn: 'metrics', revision: 1 } },
  { label: 'Follow the declaration', action: { action: 'follow', addOn: 'metrics' } },
  { label: 'Confirm removal', action: { action: 'confirm-removal', addOn: 'metrics', count: 3 } },
  { label: 'Approve', action: { action: 'decide', verb: 'approve', ...GATE }, reason: 'optional' },
  { label: 'Reject', action: { action: 'decide', verb: 'reject', ...GATE }, reason: 'optional' },
  { label: 'Override', action: { action: 'decide', verb: 'override', ...GATE, hours: 1 }, reason: 'required' },
  { label: 'Retry', action: { action: 'decide', verb: 'retry', ...GATE }, reason: 'optional' },
  { label: 'Resume all', action: { action: 'resume-all' } },
];
const STOP: Case = { label: 'Stop rollouts', action: { action: 'pause-all' } };

let browser: Browser;
let server: SyntheticServer;
let page: Page;
let problems: string[];

beforeAll(async () => {
  browser = await launch();
  server = await startSyntheticServer(APP, { clusters: 12, addOns: 3 });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});
afterEach(async () => {
  await page.unrouteAll({ behavior: 'wait' });
  await page.context().close();
  expect(problems).toEqual([]);
});

/** Opens the page of a rollout that offers exactly the given actions. */
async function openRollout(offers: readonly Case[], width: number, hasTouch: boolean): Promise<void> {
  ({ page, problems } = await openPage(browser, { viewport: { width, height: 780 }, hasTouch }));
  server.actions.length = 0;
  await page.route(`**/api${ROLLOUT}`, async (route) => {
    const response = await fetched(route);
    const answer = (await response.json()) as { data: object };
    const actions = offers.map((offer) => ({ ...offer, command: `outrigger ${offer.label}`, question: `${offer.label}?` }));
    await route.fulfill({ response, json: { ...answer, data: { ...answer.data, actions, entries: [], history: [] } } });
  });
  await page.goto(server.origin + ROLLOUT);
  await page.getByRole('heading', { level: 1, name: 'metrics to' }).waitFor();
}

/** Returns the name of the focused element: its text, or that of its label. */
const FOCUSED = `(({ labels, textContent }) => (labels?.[0]?.textContent || textContent).trim())(document.activeElement)`;

async function tabTo(name: RegExp | string): Promise<void> {
  const isHere = (text: string): boolean => (typeof name === 'string' ? text === name : name.test(text));
  const passed: string[] = [];
  while (passed.length < 60) {
    await page.keyboard.press('Tab');
    const focused = String(await page.evaluate(FOCUSED));
    if (isHere(focused)) return;
    passed.push(focused);
  }
  throw new Error(`the Tab key does not reach ${String(name)}, only ${passed.join(' | ')}`);
}

const sent = ({ action, reason }: Case): Action =>
  reason === undefined || action.action !== 'decide' ? action : { ...action, comment: REASON };

describe('with the keyboard alone', () => {
  test.each([...OFFERS, STOP])('$label', async (offer) => {
    await openRollout(OFFERS, 1280, false);
    await tabTo(offer.label);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    // The focus starts in the field for the reason or, if there is none, on the button that changes nothing.
    expect(await page.evaluate(FOCUSED)).toMatch(offer.reason === undefined ? /^Cancel$/ : /^Reason/);
    await expectAccessibleInBothThemes(page);
    if (offer.reason !== undefined) await page.keyboard.type(REASON);
    await tabTo(offer.label);
    expect(server.actions).toEqual([]);
    await page.keyboard.press('Space');
    await dialog.getByText('was stored.').waitFor();
    expect(server.actions).toEqual([sent(offer)]);
    // The focus stays in the dialog although the button that was pressed is gone.
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('Close');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // The focus returns to the button that opened the dialog.
    await expect.poll(() => page.evaluate(FOCUSED)).toBe(offer.label);
  });

  test('the filter, the order, the groups and the search of the fleet', async () => {
    ({ page, problems } = await openPage(browser));
    await page.goto(server.origin);
    await page.locator('.grid a[data-state]').first().waitFor();
    for (let step = 0; step < 60 && (await page.evaluate('document.activeElement.type')) !== 'search'; step++) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('cluster:cluster-00003');
    await page.getByText('1 of 12 clusters').waitFor();
    await tabTo(/^Group by/);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => new URL(page.url()).searchParams.get('group')).not.toBeNull();
  });

  test('the page that the search opens has the focus', async () => {
    ({ page, problems } = await openPage(browser));
    await page.goto(server.origin);
    await page.locator('.grid a[data-state]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('metrics rollout');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'metrics to' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
  });

  test('the search gets every key, also those that are pressed before the next frame', async () => {
    ({ page, problems } = await openPage(browser));
    await page.goto(server.origin);
    await page.locator('.grid a[data-state]').first().waitFor();
    // All keys are pressed in one task, between two frames.
    await page.evaluate(`(async () => {
      const drawn = async () => { for (let turn = 0; turn < 20; turn++) await undefined; };
      const press = async (key) => {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        await drawn();
      };
      await press('/');
      const field = document.activeElement;
      field.value = 'metrics rollout';
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      await drawn();
      await press('Enter');
    })()`);
    await page.getByRole('heading', { level: 1, name: 'metrics to' }).waitFor();
  });
});

describe('on a phone, with a finger', () => {
  const PHONE = 360;

  test.each(OFFERS.filter(({ label }) => ['Approve', 'Roll back to v1', 'Pause'].includes(label)))('$label', async (offer) => {
    await openRollout(OFFERS, PHONE, true);
    await page.getByRole('button', { name: offer.label, exact: true }).tap();
    const dialog = page.getByRole('dialog');
    if (offer.reason !== undefined) await dialog.getByLabel('Reason').fill(REASON);
    await dialog.getByRole('button', { name: offer.label, exact: true }).tap();
    await dialog.getByText('was stored.').waitFor();
    expect(server.actions).toEqual([sent(offer)]);
  });

  test.each([
    ['/', 'Fleet'],
    [ROLLOUT, 'Rollout'],
    ['/addons/metrics', 'Add-on'],
  ])('%s (%s): texts and buttons stay inside their panels, and the top bar is one line', async (path) => {
    ({ page, problems } = await openPage(browser, { viewport: { width: PHONE, height: 780 }, hasTouch: true }));
    await page.goto(server.origin + path);
    await page.locator('main .panel').first().waitFor();
    await loaded(page);
    const outside = `[...document.querySelectorAll('main button, main h1, main h2, main h3, main .panel, main p, main .command')]
      .filter((one) => one.closest('.grid, .scroll, .map') === null && one.getBoundingClientRect().right > ${PHONE})
      .map((one) => one.textContent)`;
    expect(await page.evaluate(outside)).toEqual([]);
    expect(await page.evaluate(`document.querySelector('.top').getBoundingClientRect().height`)).toBeLessThan(60);
  });

  test('from the fleet to the cause of a failure', async () => {
    ({ page, problems } = await openPage(browser, { viewport: { width: PHONE, height: 780 }, hasTouch: true }));
    await page.goto(server.origin);
    await page.locator('.grid a[data-state=blocked]').first().tap();
    await page.getByRole('heading', { name: 'Why' }).waitFor();
  });
});
