// The pages show what the commands print for the same fleet, because both use the manager's rules.
import { isDeepStrictEqual } from 'node:util';
import { ADDON_GROUP, type AddOnRollout, type ManagedClusterAddOn, clusterManagementAddOns } from '@outrigger/api';
import { installSamples } from '@outrigger/cli';
import { loadConnection } from '@outrigger/kube/node';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../../packages/cli/src/console/start.js';
import { declareSlow } from '../cli/honest-stories.js';
import { type CliWorld, startCliWorld } from '../cli/world.js';
import { type } from '../examples/readme.js';
import { launch, openPage } from './harness/browser.js';

let world: CliWorld;
let console_: RunningConsole;
let browser: Browser;
let page: Page;
let problems: string[];
let origin: string;

beforeAll(async () => {
  [world, browser] = await Promise.all([startCliWorld(3), launch()]);
  const env = { KUBECONFIG: world.kubeconfig };
  const { connection } = await loadConnection({ env });
  [console_, { page, problems }] = await Promise.all([
    startConsole({ runtime: world.runtime, connection, env, hubName: 'test', port: 0 }),
    openPage(browser),
    installSamples(world.fleet.hub),
  ]);
  origin = `http://127.0.0.1:${console_.port}`;
});
// This is a separate hook, so that the first rollouts have a time limit of their own.
beforeAll(async () => {
  await Promise.all([
    page.goto(console_.address()),
    run('rollout', 'status', 'hello', '--watch', '--timeout', '60'),
    run('rollout', 'status', 'metrics', '--watch', '--timeout', '60'),
  ]);
});
afterAll(async () => {
  expect(problems).toEqual([]);
  await browser?.close();
  await console_?.stop();
  await world?.stop();
});

async function run(...args: string[]): Promise<string> {
  return (await world.outrigger(...args)).out;
}

async function json<T>(...args: string[]): Promise<T> {
  return JSON.parse(await run(...args, '-o', 'json')) as T;
}

interface Why {
  readonly state: string;
  readonly links: readonly { readonly type: string; readonly text: string }[];
  readonly cause?: { readonly text: string };
}

/** The parts of a plan that the dialog of a rollback shows. */
interface Planned {
  readonly entries: readonly {
    readonly name: string;
    readonly groups: readonly { readonly moving: readonly string[]; readonly unchanged: readonly string[] }[];
    readonly waves: readonly { readonly group: string | number; readonly clusters: readonly string[] }[];
  }[];
  readonly inTheWay: readonly { readonly message: string; readonly clusters: readonly string[] }[];
  readonly notKnown: readonly string[];
}

/** Returns the texts of the elements, with times as the hub writes them, because the page shows times in the reader's time zone. */
async function textsOf(selector: string): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => {
    const copy = element.cloneNode(true);
    for (const time of copy.querySelectorAll('time')) time.replaceWith(time.dateTime);
    return copy.textContent;
  })`);
}

/** Compares the matrix and the page of each cell with the output of the commands, for an add-on on each of its clusters. */
async function cells(addOn: string): Promise<{ readonly shown: unknown; readonly printed: unknown }> {
  const got = await json<ManagedClusterAddOn & { items?: readonly ManagedClusterAddOn[] }>('get', 'addons', addOn);
  const items = got.items ?? [got];
  const shown: unknown[] = [];
  const printed: unknown[] = [];
  await page.goto(origin);
  for (const { metadata, status } of items) {
    const cluster = metadata.namespace ?? '';
    const why = await json<Why>('why', addOn, '--cluster', cluster);
    const cell = page.locator(`.grid a[href="/clusters/${cluster}/addons/${addOn}"]`);
    await cell.waitFor();
    const state = (await cell.getAttribute('data-state')) ?? '';
    const version = (await cell.innerText()).split('→')[0]?.trim();
    const [headline = ''] = (await run('why', addOn, '--cluster', cluster)).split('\n');
    await cell.click();
    const steps = page.locator('.chain li');
    await steps.first().waitFor();
    shown.push({
      cluster,
      version,
      state,
      pill: (await page.locator('.facts .pill').first().innerText()).trim(),
      headline: `${addOn} on ${cluster}: ${await page.locator('.verdict b').innerText()}`,
      links: await textsOf('.chain li .box'),
      cause: await textsOf('.chain li.cause .box'),
    });
    printed.push({
      cluster,
      version: status?.currentVersion === 'unknown' ? '' : (status?.currentVersion ?? ''),
      state: why.state,
      pill: why.state,
      headline,
      links: why.links.map(({ text }) => text),
      cause: why.cause === undefined ? [] : [why.cause.text],
    });
    await page.goBack();
  }
  return { shown, printed };
}

/** Compares the rollout page: the numbers of the record, and the phase of each cluster, which the page computes with the rules. */
async function rollout(addOn: string): Promise<{ readonly shown: unknown; readonly printed: unknown }> {
  const record = await json<AddOnRollout>('rollout', 'status', addOn);
  await page.goto(`${origin}/addons/${addOn}/rollout`);
  const lanes = page.locator('section.lane');
  await lanes.first().waitFor();
  const shown = [];
  for (const lane of await lanes.all()) {
    const count = async (phase: string): Promise<number> => {
      const numbers = await lane.locator(`[data-phase=${phase}] .station-head b`).allInnerTexts();
      return numbers.reduce((sum, text) => sum + Number(text), 0);
    };
    const progressing = (await count('inFlight')) + (await count('soaking')) + (await count('parked'));
    shown.push({
      name: await lane.getByRole('heading').first().innerText(),
      state: (await lane.locator('.pill').first().innerText()).trim(),
      done: await count('done'),
      failed: await count('failed'),
      skipped: await count('skipped'),
      progressing,
      waiting: await count('waiting'),
    });
  }
  const printed = (record.status?.entries ?? [])
    .filter(({ selected = 0 }) => selected > 0)
    .map(({ name, state = '', selected = 0, done = 0, failed = 0, skipped = 0, progressing = 0 }) => ({
      name,
      state: state.toLowerCase(),
      done,
      failed,
      skipped,
      progressing,
      waiting: selected - done - failed - skipped - progressing,
    }));
  return { shown: shown.filter(({ name }) => printed.some((entry) => entry.name === name)), printed };
}

/** Compares the page and the command until they agree, because both change while the fleet changes. */
async function expectSame(look: () => Promise<{ readonly shown: unknown; readonly printed: unknown }>): Promise<void> {
  await expect
    .poll(
      async () => {
        const { shown, printed } = await look();
        return JSON.stringify(shown) === JSON.stringify(printed) ? 'the same' : { shown, printed };
      },
      { timeout: 20_000 },
    )
    .toBe('the same');
}

describe('pages and commands give the same answers', () => {
  const expectAnswers = async (addOn: string): Promise<void> => {
    await expectSame(() => cells(addOn));
    await expectSame(() => rollout(addOn));
  };

  test('for a healthy fleet', async () => {
    await expectAnswers('hello');
    await expectAnswers('metrics');
  });

  test('for a paused rollout', async () => {
    await run('rollout', 'pause', 'hello');
    await run('upgrade', 'hello', '--to', 'v2');
    await world.eventually('hello is paused', async () =>
      (await run('rollout', 'status', 'hello')).includes('Paused') ? true : undefined,
    );
    await expectAnswers('hello');
    await run('rollout', 'resume', 'hello');
  });

  test('for all rollouts paused together', async () => {
    await run('pause', '--all');
    await page.goto(origin);
    await page.getByText('All rollouts of the fleet are paused').waitFor();
    await page.getByRole('button', { name: 'Resume rollouts' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume rollouts' }).click();
    await page.getByRole('dialog').getByRole('status').getByText('rollouts go on').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Stop rollouts' }).waitFor();
  });

  test('for a rollout that fails and halts', async () => {
    await type(world, 'kubectl apply -f examples/rollback');
    await run('rollout', 'status', 'shaky', '--watch', '--timeout', '40');
    await run('upgrade', 'shaky', '--to', 'v2');
    await world.eventually('shaky is halted', async () =>
      (await run('rollout', 'status', 'shaky')).startsWith('shaky: Halted') ? true : undefined,
    );
    await expectAnswers('shaky');
  });

  test('for a rollout that is pinned after the button of the rollout page went back, with the difference shown before', async () => {
    await page.goto(`${origin}/addons/shaky/rollout`);
    await page.getByRole('button', { name: 'Roll back to revision 1' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('image: example.com/shaky:1.0').waitFor();
    await dialog.getByText('outrigger rollback shaky --to-revision 1').waitFor();
    const { entries, inTheWay, notKnown } = await json<Planned>('plan', 'shaky', '--revision', '1');
    await dialog.locator('.forecast').waitFor();
    expect({
      entries: await textsOf('.forecast section > p > b'),
      waves: ((await textsOf('.forecast .waves li')) as string[]).map((wave) => wave.replace(/ from .*$/, '')),
      inTheWay: await textsOf('.forecast > p.tone-bad'),
      isKnown: ((await textsOf('.forecast > p:last-child')) as string[])[0]?.endsWith(`Not known: ${notKnown.join('; ')}.`),
    }).toEqual({
      entries: entries.map(({ name }) => name),
      waves: entries.flatMap(({ waves }) =>
        waves.map(
          ({ group, clusters }) => `group ${group}: ${clusters.length} cluster${clusters.length === 1 ? '' : 's'} (${clusters.join(', ')})`,
        ),
      ),
      inTheWay: inTheWay.map(({ message, clusters }) => expect.stringContaining(`${message} (${clusters.length} `) as unknown),
      isKnown: true,
    });
    const groups = entries.flatMap((entry) => entry.groups);
    const [moving, staying] = [groups.flatMap((group) => group.moving).length, groups.flatMap((group) => group.unchanged).length];
    const counts = /^(\d+) clusters? changes?, (\d+) clusters? ha(?:s|ve) this content/.exec(
      await dialog.locator('.plan [role=status] > p').first().innerText(),
    );
    expect(counts?.slice(1).map(Number)).toEqual([moving, staying]);
    await dialog.getByRole('button', { name: 'Roll back to revision 1' }).click();
    await dialog.getByText('shaky goes to revision 1 and is pinned there').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await run('rollout', 'status', 'shaky', '--watch', '--timeout', '60');
    await expectAnswers('shaky');
    await page.goto(`${origin}/clusters/cluster1/addons/shaky`);
    await page.getByRole('heading', { name: 'Differences' }).waitFor();
  });

  test('for an unreachable cluster', async () => {
    await declareSlow(world.fleet.hub);
    await world.eventually('slow is completed', async () =>
      (await run('rollout', 'status', 'slow')).startsWith('slow: Completed, 1 away') ? true : undefined,
    );
    await expectAnswers('slow');
  });

  test('for a dependency that is missing', async () => {
    await world.fleet.hub.create(clusterManagementAddOns, {
      apiVersion: `${ADDON_GROUP}/v1alpha1`,
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'needy' },
      spec: {
        dependencies: [{ name: 'ghost', type: 'Required' }],
        supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } }],
        installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { region: 'eu' } } },
      },
    });
    await world.eventually('needy is degraded', async () =>
      (await run('get', 'addons', 'needy')).includes('RequiredDependencyNotSatisfied') ||
      (await run('why', 'needy', '--cluster', 'cluster1')).includes('a required add-on is missing')
        ? true
        : undefined,
    );
    await expectAnswers('needy');
  });

  test('for the configuration: the values in force and the layer that sets each', async () => {
    await type(world, 'kubectl apply -f examples/configuration/addon.yaml');
    await run('rollout', 'status', 'greeter', '--watch', '--timeout', '40');
    await type(world, 'kubectl apply --server-side -f examples/configuration/cluster1.yaml');
    await run('config', 'set', 'greeter', '--cluster', 'cluster2', 'GREETING=hej');
    for (const cluster of ['cluster1', 'cluster2', 'cluster3']) await expectSame(() => configuration('greeter', cluster));
  });
});

interface ConfigValues {
  readonly values: readonly { readonly key: string; readonly value: string; readonly layer: string; readonly from: string }[];
}

/** Compares the configuration on the page of a cell with the output of `outrigger config get`. */
async function configuration(addOn: string, cluster: string): Promise<{ readonly shown: unknown; readonly printed: unknown }> {
  const { values } = await json<ConfigValues>('config', 'get', addOn, '--cluster', cluster);
  await page.goto(`${origin}/clusters/${cluster}/addons/${addOn}`);
  await page.getByRole('region', { name: 'Values in force' }).waitFor();
  const table = (await page.evaluate(
    `[...document.querySelectorAll('[aria-label="Values in force"] tbody tr')].map((row) =>
      [...row.cells].map((cell) => cell.textContent.trim()).concat(row.querySelector('a').title))`,
  )) as string[][];
  const inForce = (await page.evaluate(
    `[...document.querySelectorAll('.lines li')].filter((line) => line.querySelector('.since')?.textContent === 'in force').map((line) =>
      [line.querySelector('a').title, line.querySelector('.tag').textContent])`,
  )) as string[][];
  const shown = [
    ...table.map(([path = '', value = '', layer = '', , from = '']) => [path.replace(/^customizedVariables\./, ''), value, layer, from]),
    ...inForce.filter(([from = '']) => !from.startsWith('addondeploymentconfigs ')),
  ];
  const printed = values.flatMap(({ key, value, layer, from }) => {
    const place = from.replace('/', ' ');
    const name = layer.replace(/^declaration$/, 'default').replace(/^override on /, 'cluster ');
    if (!place.startsWith('addondeploymentconfigs ')) return [[place, name]];
    return leaves(key, value).map(([path, leaf]) => [path, leaf, name, place]);
  });
  return { shown: shown.map(String).sort(), printed: printed.map(String).sort() };
}

/** Splits a field that the command prints as JSON into its values with their paths, because the page prints each value with its path. */
function leaves(path: string, text: string): readonly (readonly [string, string])[] {
  if (!text.startsWith('{')) return [[path, text]];
  return Object.entries(JSON.parse(text) as Record<string, unknown>).flatMap(([key, value]) =>
    leaves(`${path}.${key}`, typeof value === 'string' ? value : JSON.stringify(value)),
  );
}

describe('the activity', () => {
  const lines = async (shownBy: Page): Promise<readonly string[]> => {
    await shownBy.locator('ul.log li').first().waitFor();
    return shownBy.locator('ul.log li .grow').allInnerTexts();
  };

  test('filters that are typed are in the address, and the address shows the same to another user', async () => {
    await page.goto(`${origin}/activity`);
    const all = await lines(page);
    await page.getByLabel('Only this add-on').fill('shaky');
    await page.getByLabel('Only this add-on').press('Enter');
    await page.getByLabel('Show').selectOption('warnings');
    await expect.poll(() => page.url()).toBe(`${origin}/activity?addon=shaky&type=Warning`);
    await expect.poll(async () => (await lines(page)).every((line) => line.includes('shaky'))).toBe(true);
    const narrowed = await lines(page);
    expect(narrowed.length).toBeLessThan(all.length);
    expect(narrowed.join('\n')).toContain('halted');
    const { page: other } = await openPage(browser);
    await other.goto(console_.address());
    await other.goto(page.url());
    await expect.poll(async () => isDeepStrictEqual(await lines(other), await lines(page))).toBe(true);
    expect(await other.getByLabel('Only this add-on').inputValue()).toBe('shaky');
    await other.context().close();
    await page.getByLabel('Only this cluster').fill('cluster1');
    await page.getByLabel('Only this cluster').press('Enter');
    await expect.poll(() => page.url()).toContain('cluster=cluster1');
    await page.goBack();
  });

  test('a click on a reference opens what it names: the rollout, the object, and the object that the YAML names', async () => {
    await page.goto(`${origin}/activity?addon=shaky`);
    await lines(page);
    await page.locator('ul.log').getByRole('link', { name: 'shaky', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: /^shaky/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/addons/shaky/rollout');
    await page.goBack();
    await page.locator('ul.log').getByRole('link', { name: 'YAML' }).first().click();
    await page.locator('pre.yaml').waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/objects\/.*\/shaky$/);
    await page.goto(`${origin}/objects/${ADDON_GROUP}/v1alpha1/clustermanagementaddons/shaky`);
    await page.locator('pre.yaml').getByRole('link', { name: 'shaky-v2' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'shaky-v2' }).waitFor();
    await page.locator('pre.yaml').getByText('kind: AddOnTemplate').waitFor();
  });
});
