// Tests every action that the console offers: a fleet admin clicks it in a real browser, and the test reads its effect from the hub.
import {
  ADDON_GROUP,
  type RolloutEntry,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  rolloutApprovals,
  rolloutPolicies,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeopleWorld } from '../cli/people.js';
import type { Ran } from '../cli/world.js';

export interface ActionsWorld {
  readonly world: () => PeopleWorld;
  readonly origin: string;
  /** The name by which the API server knows the fleet admin. */
  readonly user: string;
  /** Opens a page on which the fleet admin is signed in. `problems` contains the errors that the page logs. */
  readonly signIn: () => Promise<{ readonly page: Page; readonly problems: readonly string[] }>;
  /** Runs a command as the administrator of the hub. */
  readonly outrigger: (...args: readonly string[]) => Promise<Ran>;
}

const GATE = 'careful/go';

/** Defines the tests. They require hello v2 on cluster1, no rollout in flight, and the policy `careful` with the approval `go`. */
export function describeActions({ world, origin, user, signIn, outrigger }: ActionsWorld): void {
  let page: Page;
  let problems: readonly string[];
  const path = `${origin}/addons/hello/rollout`;

  const rollout = () => world().hub.get(addOnRollouts, { name: 'hello' });
  const entryNow = async (): Promise<RolloutEntry | undefined> =>
    (await rollout()).status?.entries?.find(({ selected = 0 }) => selected > 0);
  const versionNow = async (): Promise<string | undefined> =>
    (await world().hub.get(managedClusterAddOns, { namespace: 'cluster1', name: 'hello' })).status?.currentVersion;
  const expectVersion = (version: string) =>
    world().eventually(`hello ${version} is on cluster1 and its rollout has ended`, async () => {
      const entry = await entryNow();
      return (await versionNow()) === version && entry?.state === 'Completed' && (entry.waitingFor ?? []).length === 0 ? true : undefined;
    });
  /** Publishes a version of hello, declares it, and waits until the gate holds the cluster. */
  const upgradeInto = async (version: string, gate: string): Promise<number> => {
    const { apiVersion, kind, spec } = await world().hub.get(addOnTemplates, { name: 'hello-v2' });
    const metadata = { name: `hello-${version}`, labels: { 'open-cluster-management.io/addon-version': version } };
    const text = JSON.stringify({ apiVersion, kind, metadata, spec }).replaceAll('hello:v2', `hello:${version}`);
    await world().hub.create(addOnTemplates, JSON.parse(text) as KubeObject);
    const { targetRevision } = (await entryNow()) ?? {};
    expect((await outrigger('upgrade', 'hello', '--to', version)).code).toBe(0);
    let revision = 0;
    await world().eventually(`${gate} holds hello ${version}`, async () => {
      const entry = await entryNow();
      if (entry?.targetRevision === targetRevision || !entry?.waitingFor?.some(({ name }) => name === gate)) return undefined;
      revision = entry.targetRevision ?? 0;
      return true;
    });
    return revision;
  };
  const decisions = async () => (await world().hub.list(rolloutApprovals)).items.map(({ spec }) => spec);
  const door = (gate: string): Locator => page.locator(`[data-gate="${gate}"]`);

  /** Clicks the button, confirms it in the dialog, and waits for the text that reports the stored change. */
  const confirm = async (button: Locator, says: RegExp | string, reason?: string): Promise<void> => {
    const name = (await button.innerText()).trim();
    await button.click();
    const dialog = page.getByRole('dialog');
    if (reason !== undefined) await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name, exact: true }).click();
    await dialog.getByRole('status').getByText(says).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  describe('a fleet admin clicks every action', () => {
    beforeAll(async () => {
      ({ page, problems } = await signIn());
    });
    afterAll(async () => {
      await page?.context().close();
      expect(problems).toEqual([]);
    });

    test('Pause and Resume', async () => {
      await page.goto(path);
      await confirm(page.getByRole('button', { name: 'Pause', exact: true }), 'hello is paused');
      expect((await rollout()).spec?.paused).toBe(true);
      await confirm(page.getByRole('button', { name: 'Resume', exact: true }), 'hello goes on');
      expect((await rollout()).spec?.paused).toBeUndefined();
      await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    });

    test('Reject', async () => {
      const revision = await upgradeInto('v3', GATE);
      await page.goto(path);
      await confirm(door(GATE).getByRole('button', { name: 'Reject' }), `${GATE} is rejected for revision ${revision}`, 'too early');
      expect(await decisions()).toContainEqual(
        expect.objectContaining({ by: user, decision: 'Rejected', revision, gate: GATE, comment: 'too early' }),
      );
      await door(GATE).getByRole('button', { name: 'Retry' }).waitFor();
      expect(await door(GATE).getByRole('button').allInnerTexts()).toEqual(['Retry']);
      expect(await versionNow()).toBe('v2');
    });

    test('Retry', async () => {
      await confirm(door(GATE).getByRole('button', { name: 'Retry' }), `${GATE} is asked again`, 'the fix is in');
      expect(await decisions()).toContainEqual(expect.objectContaining({ by: user, decision: 'Retried', gate: GATE }));
      await door(GATE).getByRole('button', { name: 'Approve' }).waitFor();
    });

    test('Approve', async () => {
      await confirm(door(GATE).getByRole('button', { name: 'Approve' }), `${GATE} is approved`);
      await expectVersion('v3');
    });

    test('Override', async () => {
      const window = { name: 'freeze', effect: 'Deny', from: '2026-01-01T00:00', until: '2098-12-31T00:00' };
      const spec = { approvals: null, windows: [window] };
      await world().hub.patch(rolloutPolicies, { name: 'careful' }, { type: 'merge', patch: { spec } });
      const revision = await upgradeInto('v4', 'careful/freeze');
      await page.goto(path);
      const button = door('careful/freeze').getByRole('button', { name: 'Override' });
      await confirm(button, `careful/freeze is open for revision ${revision}`, 'security fix');
      const expires = expect.any(String) as string;
      expect(await decisions()).toContainEqual(
        expect.objectContaining({ by: user, decision: 'Overridden', revision, comment: 'security fix', expires }),
      );
      await expectVersion('v4');
    });

    test('Roll back', async () => {
      await world().hub.delete(rolloutPolicies, { name: 'careful' });
      const { revision = 0 } = (await rollout()).status?.history?.find(({ version }) => version === 'v3') ?? {};
      await page.goto(path);
      await confirm(
        page.getByRole('button', { name: `Roll back to revision ${revision}`, exact: true }),
        `hello goes to revision ${revision} and is pinned there`,
      );
      expect((await rollout()).spec?.pinnedRevision).toBe(revision);
      await expectVersion('v3');
    });

    test('Follow the declaration', async () => {
      await confirm(page.getByRole('button', { name: 'Follow the declaration' }), 'hello follows its declaration again');
      expect((await rollout()).spec?.pinnedRevision).toBeUndefined();
      await expectVersion('v4');
    });

    test('Confirm removal, from the list of what needs attention', async () => {
      const { hub, eventually } = world();
      const clusters = ['spare1', 'spare2', 'spare3'];
      for (const name of clusters)
        await hub.create(managedClusters, {
          apiVersion: 'cluster.open-cluster-management.io/v1',
          kind: 'ManagedCluster',
          metadata: { name, labels: { spare: 'yes' } },
          spec: { hubAcceptsClient: true },
        });
      await hub.create(clusterManagementAddOns, {
        apiVersion: `${ADDON_GROUP}/v1alpha1`,
        kind: 'ClusterManagementAddOn',
        metadata: { name: 'spare' },
        spec: {
          supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } }],
          installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { spare: 'yes' } } },
        },
      });
      await eventually('spare is on its clusters', async () => {
        const { items } = await hub.list(managedClusterAddOns);
        return items.filter(({ metadata }) => metadata.name === 'spare').length === clusters.length ? true : undefined;
      });
      const none = { spec: { installStrategy: { labelSelector: { matchLabels: { spare: 'no' } } } } };
      await hub.patch(clusterManagementAddOns, { name: 'spare' }, { type: 'merge', patch: none });
      await page.goto(origin);
      const item = page.locator('section[aria-labelledby=attention] li').filter({ hasText: 'spare: the removal from 3 of 3 clusters' });
      await item.waitFor();
      await confirm(item.getByRole('button', { name: 'Confirm removal' }), 'spare will be removed from 3 clusters');
      expect((await hub.get(addOnRollouts, { name: 'spare' })).spec?.confirmRemoval).toBe(3);
      await item.waitFor({ state: 'detached' });
    });
  });
}
