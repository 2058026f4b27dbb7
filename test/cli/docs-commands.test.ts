import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ADDON_GROUP,
  type AddOnRollout,
  type ClusterManagementAddOn,
  DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION,
  addOnRollouts,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  rolloutPolicies,
} from '@outrigger/api';
import { EXAMPLES, ROLES_FOR_PEOPLE, installSamples } from '@outrigger/cli';
import { findCondition } from '@outrigger/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, ROOT, type TypedLine, blocksIn, exitCodeOf, guides, isEndless, isTypedElsewhere } from './guide-commands.js';
import { Readers } from './readers.js';
import { type CliWorld, type Ran, startCliWorld } from './world.js';

/** The commands of each page run against the fleet that `npm start` creates. The examples have their own test. */
const PAGES = [
  // Runs before the pages that upgrade hello to v2, because no gate holds a target that completed before.
  'docs/guides/safe-rollouts',
  'README',
  'docs/guides/troubleshooting',
  'docs/guides/fleet-admin',
  'docs/guides/waves',
  'docs/guides/gitops',
  'docs/guides/private-registries',
  'docs/guides/addon-author',
  'docs/guides/real-hub',
  'docs/guides/cli',
  'docs/guides/cluster-owner',
  'docs/guides/clusters',
  'docs/guides/roles',
  // Last: it deletes hello.
  'docs/guides/starting-over',
];

/** Removes ages and times from a screen, and the column widths that depend on them. */
function timeless(screen: string): string {
  return screen
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, '<time>')
    .replace(/(?<=\s)\d+[smh](\d+[smh])?(?=\s|$)/gm, '<age>')
    .replace(/ +/g, ' ')
    .replace(/ +$/gm, '');
}

describe('commands shown in documents are typed here', () => {
  let world: CliWorld;
  let scratch: string;
  let readers: Readers;
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'outrigger-docs-'));
    world = await startCliWorld(3);
    await installSamples(world.fleet.hub);
    const { runtime, fleet } = world;
    readers = await Readers.create({ runtime, hub: fleet.hub, adminKubeconfig: fleet.kubeconfig });
    await settled();
  });
  afterAll(async () => {
    await readers.close();
    await world.stop();
    await rm(scratch, { recursive: true });
  });

  /** Waits before the next command until the manager has observed every declaration and nothing changes any more. */
  async function settled(): Promise<void> {
    const { hub } = world.fleet;
    await world.eventually('everything has settled', async () => {
      const declared = (await hub.list(clusterManagementAddOns)).items;
      const rollouts = new Map((await hub.list(addOnRollouts)).items.map((rollout) => [rollout.metadata.name, rollout]));
      // Skip clusters that a page only mentions: they have no agent, so their add-ons never settle.
      const addOns = (await hub.list(managedClusterAddOns)).items.filter(({ metadata }) =>
        world.fleet.clusterNames.includes(metadata.namespace ?? ''),
      );
      const isSeen = declared.every((managementAddOn) => isRecorded(managementAddOn, rollouts.get(managementAddOn.metadata.name)));
      const isStill = addOns.every(({ status }) => findCondition(status?.conditions, 'Progressing')?.reason === 'Succeed');
      return addOns.length > 0 && isSeen && isStill ? true : undefined;
    });
  }

  /** Restores the state that `npm start` creates. */
  async function startOver(): Promise<void> {
    const { hub } = world.fleet;
    const own = new Set(world.fleet.clusterNames);
    for (const { metadata } of (await hub.list(managedClusters)).items)
      if (!own.has(metadata.name ?? '')) await hub.delete(managedClusters, { name: metadata.name ?? '' });
    await world.eventually('what the page before deleted is gone', async () => {
      const declared = (await hub.list(clusterManagementAddOns)).items;
      const isDeleting = declared.some(({ metadata }) => metadata.deletionTimestamp !== undefined);
      return isDeleting || (await hub.list(managedClusters)).items.length > own.size ? undefined : true;
    });
    await installSamples(hub);
    await settled();
    for (const policy of (await hub.list(rolloutPolicies)).items) await hub.delete(rolloutPolicies, { name: policy.metadata.name ?? '' });
    await hub.patch(addOnRollouts, { name: 'hello' }, { type: 'merge', patch: { spec: { pinnedRevision: null, paused: null } } });
    const first = { group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } };
    await hub.patch(clusterManagementAddOns, { name: 'hello' }, { type: 'merge', patch: { spec: { supportedConfigs: [first] } } });
    const annotations = { [DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION]: null };
    await hub.patch(managedClusters, { name: 'cluster1' }, { type: 'merge', patch: { metadata: { annotations } } });
    await settled();
  }

  async function typed({ line, typist }: TypedLine): Promise<Ran> {
    const [command = '', file] = line.split(' > ');
    const [program = '', ...words] = command
      .replace('--bundle support', `--bundle ${join(scratch, 'support')}`)
      .replace(/ examples\//g, ` ${ROOT}examples/`)
      .split(/\s+/);
    const ran = await readers.type(
      typist,
      program,
      words.filter((word) => !isEndless(command, word)),
    );
    if (file !== undefined) expect(ran.out).not.toBe('');
    await settled();
    return ran;
  }

  it('every guide is one of the pages', async () => {
    const withCommands = (await guides()).filter(({ text }) => blocksIn(text).some(({ commands }) => commands.length > 0));
    expect(withCommands.map(({ page }) => page).filter((page) => !PAGES.includes(page))).toEqual([]);
  });

  it('every guide names its reader, and a role that exists or an administrator', async () => {
    for (const { page, text } of await guides()) {
      const [, reader = ''] = /^# .*\n\nReader: (.*)$/m.exec(text) ?? [];
      expect({ page, reader }).toEqual({ page, reader: expect.stringMatching(/\w+/) as string });
      const named = [...text.matchAll(/^Reader: .*$/gm)].flatMap(([line]) =>
        [...line.matchAll(/`(outrigger:[\w-]+)`/g)].map(([, role = '']) => role),
      );
      expect({ page, unknown: named.filter((role) => !ROLES_FOR_PEOPLE.includes(role)) }).toEqual({ page, unknown: [] });
    }
  });

  it.each(PAGES)('%s', { timeout: 120_000 }, async (page) => {
    await startOver();
    if (page === 'docs/guides/starting-over') await readers.type(undefined, 'outrigger', ['join', 'edge7']);
    const text = await readFile(`${ROOT}${page}.md`, 'utf8');
    let shown = text;
    for (const block of blocksIn(text)) {
      for (const one of block.commands) {
        const { line, typist } = one;
        const want = exitCodeOf(line);
        const { code, note } = await typed(one);
        expect({ line, typist, code, note: code === want ? '' : note }).toEqual({ line, typist, code: want, note: '' });
      }
      shown = shown.replace(`\`\`\`text\n${block.screen}\`\`\``, `\`\`\`text\n${await screenAfter(block)}\`\`\``);
    }
    if (process.env['UPDATE_GOLDEN']) await writeFile(`${ROOT}${page}.md`, shown);
  });

  /** Repeats the last command until its output is the screen that the page shows below it. */
  async function screenAfter({ commands, screen }: Block): Promise<string> {
    const command = commands.at(-1);
    if (screen === '' || !command) return '';
    let last = '';
    const look = async (): Promise<true | undefined> => {
      last = timeless((await typed(command)).out);
      return last === timeless(screen) ? true : undefined;
    };
    if (!process.env['UPDATE_GOLDEN']) {
      await world.eventually(`\`${command.line}\` shows what the page shows`, look).catch(() => expect(last).toBe(timeless(screen)));
      return screen;
    }
    // The manager needs some time to process the last change.
    await world.runtime.timers.sleep(2_000);
    return (await typed(command)).out;
  }

  it('the examples of each help', { timeout: 180_000 }, async () => {
    await startOver();
    const changing =
      /^outrigger (enable|disable|accept|detach|rollback|upgrade|join|rollout (?:abort|skip|approve|reject|override|retry))\b/;
    const lines = [...new Set(Object.values(EXAMPLES).flat())].filter((line) => !isTypedElsewhere(line) && !changing.test(line));
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      const want = exitCodeOf(line);
      const { code, note } = await typed({ line, typist: undefined });
      expect({ line, code, note: code === want ? '' : note }).toEqual({ line, code: want, note: '' });
    }
  });
});

/** Whether the rollout's status describes the declared content, or the pinned revision. */
function isRecorded({ spec }: ClusterManagementAddOn, rollout: AddOnRollout | undefined): boolean {
  const { history = [], entries = [], observedGeneration } = rollout?.status ?? {};
  const template = spec.supportedConfigs?.find(({ resource }) => resource === 'addontemplates')?.defaultConfig?.name;
  const wanted =
    rollout?.spec?.pinnedRevision ?? history.find(({ configs = [] }) => configs.some(({ name }) => name === template))?.revision;
  const isWanted = entries.every(({ targetRevision }) => targetRevision === wanted);
  return rollout !== undefined && observedGeneration === rollout?.metadata.generation && isWanted;
}
