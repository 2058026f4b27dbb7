// Tests the app with synthetic fleets: every page in both themes, the states that are hard to reach on a real hub, and large fleets.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { APP } from '../../tools/console-app.mjs';
import { expectAccessibleInBothThemes, launch, loaded, openPage } from './harness/browser.js';
import { type SyntheticServer, startSyntheticServer } from './harness/synthetic-server.js';

const PAGES = [
  { name: 'Fleet', path: '/', heading: '7 add-ons on 40 clusters' },
  { name: 'Fleet by region', path: '/?group=region', heading: '7 add-ons' },
  { name: 'Fleet as a heat map', path: '/?zoom=map', heading: '7 add-ons' },
  { name: 'Fleet without a match', path: '/?q=cluster%3Anone', heading: '7 add-ons' },
  { name: 'Rollout', path: '/addons/metrics/rollout', heading: 'metrics to v1.1.0' },
  { name: 'Replay of an earlier rollout', path: '/addons/metrics/rollout?record=record-2', heading: 'metrics to v0.9.0' },
  { name: 'Add-on', path: '/addons/metrics', heading: 'Metrics' },
  { name: 'Cluster', path: '/clusters/cluster-00004', heading: 'cluster-00004' },
  { name: 'One add-on on one cluster', path: '/clusters/cluster-00004/addons/backup', heading: 'backup on cluster-00004' },
  { name: 'Activity', path: '/activity', heading: 'Activity' },
  { name: 'Object', path: '/objects/core/v1/configmaps/default/settings', heading: 'default/settings' },
  { name: 'no page', path: '/nowhere', heading: 'No such page' },
] as const;

let browser: Browser;
let server: SyntheticServer;
let page: Page;
let problems: string[];

beforeAll(async () => {
  browser = await launch();
  server = await startSyntheticServer(APP, { clusters: 40, addOns: 7 });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});
beforeEach(async () => {
  ({ page, problems } = await openPage(browser));
});
afterEach(async () => {
  await page.context().close();
  expect(problems).toEqual([]);
});

const heading = (text: string | RegExp) => page.getByRole('heading', { level: 1 }).filter({ hasText: text });
const cell = (name: RegExp) => page.locator('.grid').getByRole('link', { name });

const VIEWS = ['fleet', 'summary', 'rollout', 'add-on', 'cluster', 'cell', 'activity', 'object', 'replay'] as const;

/** Expects the page to be accessible in both themes, and not to scroll sideways on a phone. */
async function expectUsable(): Promise<void> {
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 360, height: 720 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
}

describe.each(PAGES)('$name', ({ path, heading: text }) => {
  test('is accessible in both themes, and fits on 360 pixels', async () => {
    await page.goto(server.origin + path);
    await heading(text).waitFor();
    await loaded(page);
    await expectUsable();
  });
});

describe.each(PAGES.filter(({ name }) => !name.startsWith('Fleet ') && name !== 'no page'))('$name whose views fail', ({ path }) => {
  afterEach(() => {
    for (const view of VIEWS) server.refuse(view, undefined);
  });

  test('says so, is accessible, and fits on 360 pixels', async () => {
    for (const view of VIEWS) server.refuse(view, { code: 'failed', message: `the ${view} cannot be computed` });
    await page.goto(server.origin + path);
    await page
      .getByText(/the [a-z-]+ cannot be computed/)
      .first()
      .waitFor();
    await expectUsable();
  });
});

/**
 * Changes cells and returns the text of the grid. Tests poll this function, because a page whose event stream is not open yet misses a
 * change.
 */
function afterAChange(): Promise<string> {
  server.change(60);
  return page.locator('.grid').innerText();
}

describe('the fleet', () => {
  test('a filter that is typed is in the address, and the address shows the same again', async () => {
    await page.goto(server.origin);
    await page.getByLabel('Filter clusters').fill('addon:backup state:failed');
    await page.getByText(/^\d+ of 40 clusters$/).waitFor();
    const shown = await page.locator('.grid tbody a[data-state]').count();
    expect(shown).toBeGreaterThan(0);
    expect(await page.locator('.grid tbody a[data-state]:not([data-state=failed])').count()).toBe(0);
    const { page: other } = await openPage(browser);
    await other.goto(page.url());
    await other.locator('.grid tbody a[data-state]').first().waitFor();
    expect(await other.locator('.grid tbody a[data-state]').count()).toBe(shown);
    await other.context().close();
  });

  test('a change on the hub is on the page within a second', async () => {
    await page.goto(server.origin);
    await cell(/hello on cluster-00002/).waitFor();
    const before = await page.locator('.grid').innerText();
    await expect.poll(() => afterAChange(), { timeout: 1_000, interval: 50 }).not.toBe(before);
  });

  test('a total of the header row narrows the fleet to its cells', async () => {
    await page.goto(server.origin);
    const total = page.locator('.grid thead a.total').first();
    const [, count, state, addOn] = /^(\d+) (\w+) of (\w+)$/.exec((await total.getAttribute('aria-label')) ?? '') ?? [];
    await total.click();
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(`addon:${addOn} state:${state}`);
    await page.getByText(`${count} of 40 clusters`).waitFor();
    expect(await page.locator('.grid tbody a[data-state]').count()).toBe(Number(count));
    expect(await page.locator(`.grid tbody a[data-state=${state}]`).count()).toBe(Number(count));
  });

  test('while a filter is typed, the matrix stays in place', async () => {
    await page.goto(server.origin);
    await cell(/hello on cluster-00001/).waitFor();
    const top = async (): Promise<number | undefined> => (await page.locator('.grid').boundingBox())?.y;
    const before = await top();
    await page.getByLabel('Filter clusters').fill('cluster-0000');
    await page.getByRole('button', { name: 'Save this search' }).waitFor();
    await page.getByText('9 of 40 clusters').waitFor();
    expect(await top()).toBe(before);
  });

  test('the unreachable clusters of the tile are those that its link shows', async () => {
    await page.goto(server.origin);
    const tile = page.locator('.tiles').getByRole('link', { name: /unreachable$/ });
    const count = Number(await tile.locator('b').innerText());
    await tile.click();
    await page.getByText(`${count} of 40 clusters`).waitFor();
  });

  test('failures are grouped by reason; an add-on of a group shows its cells', async () => {
    await page.goto(server.origin);
    const groups = page.locator('.reasons > li');
    await groups.first().waitFor();
    // The fleet changes while the test runs, so each comparison reads one state of the page.
    const shown = (await page.evaluate(
      `[...document.querySelectorAll('.reasons > li')].map((group) => ({
        reason: group.querySelector('.grow > a').innerText,
        total: group.querySelector('.times').innerText,
        addOns: [...group.querySelectorAll('.about a')].map((one) => one.innerText),
        hasMore: group.querySelector('.about > span') !== null,
      }))`,
    )) as { reason: string; total: string; addOns: string[]; hasMore: boolean }[];
    expect(new Set(shown.map(({ reason }) => reason)).size).toBe(shown.length);
    for (const { total, addOns, hasMore } of shown) {
      const sum = addOns.map((text) => Number(text.split(' ')[1])).reduce((all, one) => all + one);
      expect(sum, total).toEqual(
        hasMore ? expect.toSatisfy((one: number) => one < Number.parseInt(total, 10)) : Number.parseInt(total, 10),
      );
    }
    const { reason, addOns } = shown.find((group) => group.addOns.length > 1) ?? { reason: '', addOns: [] };
    const addOn = addOns[0]?.split(' ')[0];
    await page.getByTitle(`${reason} of ${addOn}`, { exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(`addon:${addOn} reason:${reason}`);
    const isSame = `document.querySelector('.shown').innerText === document.querySelector('[title=${JSON.stringify(`${reason} of ${addOn}`)}]').innerText.split(' ')[1] + ' of 40 clusters'`;
    await expect.poll(() => page.evaluate(isSame)).toBe(true);
  });

  test('more than 2,000 rows are a heat map, whose cells open their pages', async () => {
    const large = await startSyntheticServer(APP, { clusters: 2_001, addOns: 3 });
    await page.goto(large.origin);
    const map = page.locator('.map');
    await map.waitFor();
    // With many clusters, the page shows the number of clusters per version above the single problems.
    expect(await page.locator('main h2').allInnerTexts()).toEqual(['Versions', 'Needs attention', 'Failure reasons']);
    await page.locator('.spread-bar a').first().waitFor();
    await map.click({ position: { x: 20, y: 4 } });
    await heading(/^hello on cluster-0000\d$/).waitFor();
    await page.goto(`${large.origin}/?zoom=rows`);
    await page
      .locator('.grid')
      .getByRole('link', { name: /hello on cluster-00002/ })
      .waitFor();
    await large.close();
  });

  test('a tab in the background has no stream, and is current again in the foreground', async () => {
    await page.goto(server.origin);
    await expect.poll(() => server.streams()).toBe(1);
    const setHidden = (isHidden: boolean): Promise<unknown> =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await setHidden(true);
    await expect.poll(() => server.streams()).toBe(0);
    await setHidden(false);
    await expect.poll(() => server.streams()).toBe(1);
    const before = await page.locator('.grid').innerText();
    await expect.poll(() => afterAChange(), { timeout: 5_000, interval: 50 }).not.toBe(before);
  });

  test('keys alone go from cell to cell and open one', async () => {
    await page.goto(server.origin);
    await cell(/hello on cluster-00001/).focus();
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowLeft', 'ArrowRight']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await heading('metrics on cluster-00003').waitFor();
    await page.goBack();
    await cell(/hello on cluster-00001/).waitFor();
  });

  test.each(['/', 'Control+k'])('%s opens the search, which jumps by keys alone', async (key) => {
    await page.goto(server.origin);
    await cell(/hello on cluster-00001/).waitFor();
    await page.keyboard.press(key);
    await page.getByRole('combobox', { name: 'Search' }).fill('logging cluster-00002');
    await page.getByRole('option', { name: 'logging on cluster-00002' }).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('Enter');
    await heading('logging on cluster-00002').waitFor();
  });

  test('the stop button pauses all rollouts, after a confirmation with the command', async () => {
    server.actions.length = 0;
    await page.goto(server.origin);
    await page.getByRole('button', { name: 'Stop rollouts' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('outrigger pause --all').waitFor();
    await expectAccessibleInBothThemes(page);
    expect(server.actions).toEqual([]);
    await dialog.getByRole('button', { name: 'Stop rollouts' }).click();
    await dialog.getByText('pause-all of the fleet was stored.').waitFor();
    expect(server.actions).toEqual([{ action: 'pause-all' }]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('a command of the search asks before it acts, by keys alone', async () => {
    server.actions.length = 0;
    await page.goto(server.origin);
    await cell(/hello on cluster-00001/).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('pause met');
    await page.getByRole('option', { name: 'Pause metrics' }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Pause: metrics' });
    await dialog.getByText('outrigger rollout pause metrics').waitFor();
    expect(server.actions).toEqual([]);
    await dialog.getByRole('button', { name: 'Pause', exact: true }).press('Enter');
    await dialog.getByText('pause of metrics was stored.').waitFor();
    expect(server.actions).toEqual([{ action: 'pause', addOn: 'metrics' }]);
  });

  test('a search that is saved is an address, and is there after a reload', async () => {
    await page.goto(`${server.origin}/?q=state%3Afailed&sort=worst`);
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.goto(server.origin);
    const saved = page.getByRole('link', { name: 'state:failed, sort worst' });
    await saved.click();
    await page.getByText(/^\d+ of 40 clusters$/).waitFor();
    expect(page.url()).toBe(`${server.origin}/?q=state%3Afailed&sort=worst`);
    await page.getByRole('button', { name: 'Forget state:failed, sort worst' }).click();
    await saved.waitFor({ state: 'detached' });
  });
});

describe('needs attention', () => {
  test.each([1440, 1024, 360])('no time and no button of an item is cut off on %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 768 });
    await page.goto(server.origin);
    await page.locator('.attention li').first().waitFor();
    const cut = await page.evaluate(
      `[...document.querySelectorAll('.attention .since, .attention button, .attention .button')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)`,
    );
    expect(cut).toEqual([]);
  });

  test('each item says since when and has one button, and the filter shows the clusters of a combined item', async () => {
    await page.goto(server.origin);
    const items = page.locator('section[aria-labelledby=attention] li');
    await items.first().waitFor();
    for (const item of await items.all()) {
      expect(await item.locator('time').count()).toBe(1);
      expect(await item.locator('button, a.button').count()).toBe(1);
    }
    await page.goto(`${server.origin}/?q=is%3Aunreachable`);
    await page.getByText(/^\d+ of 40 clusters$/).waitFor();
    expect(await page.locator('.grid tbody tr').count()).toBeGreaterThan(0);
  });
});

describe('the rollout', () => {
  test('a roll back shows the difference before it is sent', async () => {
    server.actions.length = 0;
    await page.goto(`${server.origin}/addons/metrics/rollout`);
    await page.getByRole('button', { name: 'Roll back to 2' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Every cluster goes to revision 2 and stays there.').waitFor();
    await dialog.getByText('outrigger rollback metrics --to-revision 2').waitFor();
    await dialog.getByText('image: example.com/metrics:v0.9.0').last().waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(server.actions).toEqual([]);
  });

  test('a roll back can be confirmed only once its forecast is shown', async () => {
    let answer = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/addons/metrics/plan?revision=2', async (route) => {
      await isHeld;
      await route.continue();
    });
    await page.goto(`${server.origin}/addons/metrics/rollout`);
    await page.getByRole('button', { name: 'Roll back to 2' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Computing what changes').waitFor();
    const button = dialog.getByRole('button', { name: 'Roll back to 2' });
    expect(await button.isDisabled()).toBe(true);
    const before = await dialog.boundingBox();
    answer();
    const forecast = dialog.getByRole('region', { name: 'Forecast of default/all' });
    await forecast.getByText(/ends after .* \(half of the runs\) to .* \(nine in ten\)/).waitFor();
    await forecast.getByText('calm/nights').waitFor();
    await dialog.getByRole('region', { name: 'Rights gained' }).getByText('Group agents get secrets').waitFor();
    await button.and(page.locator(':enabled')).waitFor();
    expect(await dialog.boundingBox()).toEqual(before);
    await page.unroute('**/api/addons/metrics/plan?revision=2');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('a gate is a door with its decisions: approve asks for an optional reason, by keys alone', async () => {
    server.actions.length = 0;
    await page.goto(`${server.origin}/addons/metrics/rollout`);
    const door = page.locator('[data-gate="careful/go-live"]');
    await door.getByRole('button', { name: 'Approve' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Approve: metrics' });
    await dialog.getByLabel('Reason (optional)').fill("it's tested");
    await dialog.getByText(`--gate careful/go-live --entry default/all-clusters -m 'it'\\''s tested'`).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('Enter');
    await dialog.getByText('decide of metrics was stored.').waitFor();
    expect(server.actions).toMatchObject([{ action: 'decide', verb: 'approve', gate: 'careful/go-live', comment: "it's tested" }]);
  });

  test('an override needs a reason', async () => {
    server.actions.length = 0;
    await page.goto(`${server.origin}/addons/metrics/rollout`);
    await page.locator('[data-gate="careful/freeze"]').getByRole('button', { name: 'Override' }).click();
    const dialog = page.getByRole('dialog', { name: 'Override: metrics' });
    const send = dialog.getByRole('button', { name: 'Override' });
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').press('Enter');
    expect(server.actions).toEqual([]);
    await dialog.getByLabel('Reason').fill('security fix');
    await dialog.getByLabel('Open for').selectOption('4');
    await dialog.getByText("-m 'security fix' --for 4h").waitFor();
    await send.click();
    await dialog.getByText('decide of metrics was stored.').waitFor();
    expect(server.actions).toMatchObject([{ verb: 'override', comment: 'security fix', hours: 4 }]);
  });

  test('the slider replays what is recorded, by keys alone, and its place is in the address', async () => {
    await page.goto(`${server.origin}/addons/metrics/rollout`);
    const done = async (): Promise<number> =>
      Number(/: (\d+) of/.exec((await page.getByRole('heading', { level: 1 }).innerText()) ?? '')?.[1]);
    await heading('metrics to v1.1.0').waitFor();
    const now = await done();
    const slider = page.getByRole('slider', { name: 'Replay' });
    await slider.press('Home');
    await expect.poll(done).toBe(0);
    for (let step = 0; step < 8; step++) await slider.press('PageUp');
    await expect.poll(done).toBeGreaterThan(0);
    const part = await done();
    expect(part).toBeLessThanOrEqual(now);
    const { page: other } = await openPage(browser);
    await other.goto(page.url());
    await other
      .getByRole('heading', { level: 1 })
      .filter({ hasText: `: ${part} of` })
      .waitFor();
    await other.context().close();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await expect.poll(done).toBe(now);
  });
});

describe('the replay of a target that ended', () => {
  test('starts at its revision, moves by keys alone, and can be shared', async () => {
    await page.goto(`${server.origin}/addons/metrics/rollout`);
    await page.getByRole('link', { name: 'Replay' }).first().click();
    await heading(/^metrics to v0\.9\.0: 4 of/).waitFor();
    const count = (phase: string) => page.locator(`[data-phase=${phase}] .station-head b`);
    await expect.poll(() => count('failed').innerText()).toBe('6');
    const slider = page.getByRole('slider', { name: 'Replay' });
    await slider.press('Home');
    await heading(/^metrics to v0\.9\.0: 0 of/).waitFor();
    expect(await count('failed').count()).toBe(0);
    await expect.poll(() => count('inFlight').innerText()).toBe('1');
    const { page: other } = await openPage(browser);
    await other.goto(page.url());
    await other.locator('[data-phase=inFlight] li').getByRole('link').waitFor();
    await other.context().close();
    await page.getByRole('button', { name: 'Back to the end' }).click();
    await heading(/^metrics to v0\.9\.0: 4 of/).waitFor();
    await page.getByRole('link', { name: 'To the current rollout of metrics' }).click();
    await heading('metrics to v1.1.0').waitFor();
  });

  test('a record that cannot be read leaves the page usable and says what is missing', async () => {
    await page.goto(`${server.origin}/addons/logging/rollout`);
    await page.getByRole('slider', { name: 'Replay' }).press('Home');
    await page.getByText('From the record that the hub stored when this target ended.').waitFor();
    server.refuse('replay', { code: 'forbidden', message: 'this needs the right to list controllerrevisions' });
    await page.reload();
    await page.getByText(/It is not known when .* \(the stored record cannot be read: this needs the right/).waitFor();
    server.refuse('replay', undefined);
  });
});

describe('trouble', () => {
  test('a view that fails shows its own error and leaves the others alone', async () => {
    // The test uses `too-large`, because after other errors the page tries again by itself.
    server.refuse('summary', { code: 'too-large', message: 'The summary is broken today.' });
    await page.goto(server.origin);
    await page.getByText('The summary is broken today.').waitFor();
    await cell(/hello on cluster-00002/).waitFor();
    server.refuse('summary', undefined);
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading('7 add-ons on 40 clusters').waitFor();
  });

  test('a view that fails later keeps its last state, and says that it may be out of date', async () => {
    await page.goto(server.origin);
    await heading('7 add-ons on 40 clusters').waitFor();
    server.refuse('summary', { code: 'not-ready', message: 'The console is still reading the fleet.' });
    await server.close();
    await server.listen();
    await page.getByText('The summary may be out of date').waitFor();
    await heading('7 add-ons on 40 clusters').waitFor();
    server.refuse('summary', undefined);
    await page.getByText('The summary may be out of date').waitFor({ state: 'detached' });
  });

  test.each([
    ['while its stream is open', 1],
    ['while its stream is being opened', 0],
  ])('a page whose server starts again with other data %s shows that data', async (_name, streams) => {
    await page.goto(server.origin);
    await page.reload({ waitUntil: 'commit' });
    await heading('7 add-ons on 40 clusters').waitFor();
    await expect.poll(() => server.streams()).toBeGreaterThanOrEqual(streams);
    await server.close();
    server.change(60);
    await server.listen();
    const { page: other } = await openPage(browser);
    await other.goto(server.origin);
    await other.locator('.grid').waitFor();
    const expected = await other.locator('.grid').innerText();
    await other.context().close();
    await expect.poll(() => page.locator('.grid').innerText()).toBe(expected);
  });

  test('a page without a session goes on when the user gets one in another tab', async () => {
    server.signOut(true);
    await page.goto(`${server.origin}/activity`);
    await page.getByLabel('Token').waitFor();
    server.signOut(false);
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await heading('Activity').waitFor();
  });

  test('without a session it asks for a token, and a wrong one is one clear line', async () => {
    server.signOut(true);
    await page.goto(server.origin);
    await page.getByLabel('Token').fill('wrong');
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The hub does not know this token.').waitFor();
    expect(page.url()).toBe(`${server.origin}/`);
    server.signOut(false);
  });

  test('when the token ends while a page is open, it asks for another and says why', async () => {
    await page.goto(`${server.origin}/addons/metrics`);
    await heading('Metrics').waitFor();
    // The server still accepts requests, because a refused request would make the page show another reason.
    const asks = (): Promise<number> => {
      server.send({ type: 'end', reason: 'token-ended', message: 'Your token has ended: sign in again.' });
      return page.getByLabel('Token').count();
    };
    await expect.poll(asks).toBe(1);
    await page.getByText('Your token has ended: sign in again.').waitFor();
    expect(page.url()).toBe(`${server.origin}/addons/metrics`);
  });

  test('while a view loads, its place is kept and the page is accessible; what arrives moves nothing', async () => {
    let release = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/api\/(summary|fleet)$/, async (route) => {
      await isHeld;
      await route.continue();
    });
    await page.addInitScript(
      `window.moved = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.moved += value; }).observe({ type: 'layout-shift', buffered: true })`,
    );
    await page.goto(server.origin);
    await page.locator('.bones').first().waitFor();
    await expectAccessibleInBothThemes(page);
    release();
    await heading('7 add-ons on 40 clusters').waitFor();
    await loaded(page);
    // 0.1 is the limit below which the Web Vitals call a page stable.
    expect(await page.evaluate('window.moved')).toBeLessThan(0.1);
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('when the server is gone it says since when, keeps the last state, and catches up', async () => {
    await page.goto(server.origin);
    await cell(/hello on cluster-00002/).waitFor();
    await server.close();
    await page.getByText(/has not answered for/).waitFor();
    await page.locator('main.stale').waitFor();
    await expectAccessibleInBothThemes(page);
    expect(await cell(/hello on cluster-00002/).count()).toBe(1);
    await server.listen();
    await page.getByText(/has not answered for/).waitFor({ state: 'detached' });
    const before = await page.locator('.grid').innerText();
    await expect.poll(() => afterAChange(), { timeout: 5_000 }).not.toBe(before);
  });

  test('a view that is too large for a browser says so, and the others are shown', async () => {
    server.refuse('fleet', { code: 'too-large', message: 'this view has 17 MB, more than a browser should load: use outrigger get' });
    await page.goto(server.origin);
    await page.getByText('this view has 17 MB, more than a browser should load: use outrigger get').waitFor();
    await heading('7 add-ons on 40 clusters').waitFor();
    server.refuse('fleet', undefined);
    await page.getByRole('button', { name: 'Try again' }).click();
    await cell(/hello on cluster-00002/).waitFor();
  });

  test('when the hub is gone it says so', async () => {
    await page.goto(server.origin);
    await cell(/hello on cluster-00002/).waitFor();
    const trouble = { since: '2026-01-01T00:00:00Z', message: 'connection refused.' };
    const shownAfter = async (hub?: typeof trouble): Promise<number> => {
      server.send({ type: 'beat', sequence: 1, ...(hub ? { hub } : {}) });
      return page.getByText(/The hub has not answered for .* connection refused/).count();
    };
    await expect.poll(() => shownAfter(trouble), { timeout: 5_000 }).toBe(1);
    await expect.poll(() => shownAfter(), { timeout: 5_000 }).toBe(0);
  });
});
