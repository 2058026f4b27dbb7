import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
import { EXAMPLES, installSamples } from '@outrigger/cli';
import { findCondition } from '@outrigger/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type } from '../examples/readme.js';
import { type CliWorld, type Ran, startCliWorld } from './world.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The commands of each page run against the fleet that `npm start` creates. The examples have their own test. */
const PAGES = [
  // Before the pages that upgrade hello to v2: no gate holds a target that completed before.
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
];

/** Commands that this test cannot run, and the test that runs them instead. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^npm (start|test)\b/, 'test/cli/process.test.ts runs the command npm start runs'],
  [/^npm (pack|install)\b/, 'test/kube/cli-package.test.ts'],
  [/^(export|alias) /, 'the world has its kubeconfig'],
  [/^outrigger (up|down)\b/, 'test/cli/process.test.ts'],
  [/--kubeconfig fleet\/kubeconfig/, 'test/cli/process.test.ts'],
  [/^outrigger install hub .*--apply/, 'test/kube/cli.test.ts'],
  [/^outrigger uninstall .*--apply/, 'test/kube/cli.test.ts'],
  [/--cluster-context/, 'test/kube/cli.test.ts'],
  [/^outrigger (hub|agent)\b/, 'test/kube/cli.test.ts'],
  [/^source /, 'test/cli/completion.test.ts'],
];

/** Commands that are documented to exit with a code other than 0. */
const CODES: Readonly<Record<string, number>> = {
  'outrigger diff hello --to v2 --cluster cluster1': 5,
  // No removal waits for a confirmation in this fleet.
  'outrigger rollout confirm hello': 1,
};

function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) =>
      line
        .replace(/\s+#.*$/, '')
        .replace(/^npx /, '')
        .trim(),
    )
    .filter((line) => line !== '' && !ELSEWHERE.some(([pattern]) => pattern.test(line)));
}

interface Block {
  readonly commands: readonly string[];
  /** The screen that the page shows after the block; empty if it shows none. */
  readonly screen: string;
}

/** The blocks of commands, each with the block of plain text that follows it directly. */
function blocksIn(text: string): readonly Block[] {
  return [...text.matchAll(/^```sh\n[\s\S]*?^```\n(?:\n```text\n([\s\S]*?)^```)?/gm)].map(([block, screen = '']) => ({
    commands: commandsIn(block),
    screen,
  }));
}

/** Without ages, times and the widths that follow from them. */
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
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'outrigger-docs-'));
    world = await startCliWorld(3);
    await installSamples(world.fleet.hub);
    await settled();
  });
  afterAll(async () => {
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
      const isSeen = declared.every((addOn) => isRecorded(addOn, rollouts.get(addOn.metadata.name)));
      const isStill = addOns.every(({ status }) => findCondition(status?.conditions, 'Progressing')?.reason === 'Succeed');
      return addOns.length > 0 && isSeen && isStill ? true : undefined;
    });
  }

  /** Restores the state that `npm start` creates. */
  async function startOver(): Promise<void> {
    const { hub } = world.fleet;
    for (const policy of (await hub.list(rolloutPolicies)).items) await hub.delete(rolloutPolicies, { name: policy.metadata.name ?? '' });
    await hub.patch(addOnRollouts, { name: 'hello' }, { type: 'merge', patch: { spec: { pinnedRevision: null, paused: null } } });
    const first = { group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } };
    await hub.patch(clusterManagementAddOns, { name: 'hello' }, { type: 'merge', patch: { spec: { supportedConfigs: [first] } } });
    const annotations = { [DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION]: null };
    await hub.patch(managedClusters, { name: 'cluster1' }, { type: 'merge', patch: { metadata: { annotations } } });
    await settled();
  }

  async function typed(line: string): Promise<Ran> {
    const [command = '', file] = line.split(' > ');
    const here = command.replace('--bundle support', `--bundle ${join(scratch, 'support')}`).replace(/ examples\//g, ` ${ROOT}examples/`);
    const ran = command.startsWith('kubectl')
      ? await type(world, command)
      : await world.outrigger(
          ...here
            .split(/\s+/)
            .slice(1)
            .filter((word) => !isEndless(command, word)),
        );
    if (file !== undefined) expect(ran.out).not.toBe('');
    await settled();
    return ran;
  }

  /** `get --watch` runs until it is interrupted; test/cli/watch.test.ts tests it. */
  const isEndless = (command: string, word: string): boolean =>
    command.startsWith('outrigger get') && (word === '--watch' || word === '-w');

  it('every guide is one of the pages', async () => {
    const guides = (await readdir(`${ROOT}docs/guides`)).map((name) => `docs/guides/${name.replace('.md', '')}`);
    const withCommands = await Promise.all(
      guides.map(async (page) => ({ page, has: commandsIn(await readFile(`${ROOT}${page}.md`, 'utf8')).length > 0 })),
    );
    expect(withCommands.filter(({ page, has }) => has && !PAGES.includes(page))).toEqual([]);
  });

  it.each(PAGES)('%s', { timeout: 120_000 }, async (page) => {
    await startOver();
    const text = await readFile(`${ROOT}${page}.md`, 'utf8');
    let shown = text;
    for (const block of blocksIn(text)) {
      for (const line of block.commands) {
        const { code, note } = await typed(line);
        expect({ line, code, note: code === (CODES[line] ?? 0) ? '' : note }).toEqual({ line, code: CODES[line] ?? 0, note: '' });
      }
      shown = shown.replace(`\`\`\`text\n${block.screen}\`\`\``, `\`\`\`text\n${await screenAfter(block)}\`\`\``);
    }
    if (process.env['UPDATE_GOLDEN']) await writeFile(`${ROOT}${page}.md`, shown);
  });

  /** Compares the screen that a page shows below its commands with that of the last command, which is typed until it shows it. */
  async function screenAfter({ commands, screen }: Block): Promise<string> {
    const command = commands.at(-1) ?? '';
    if (screen === '') return '';
    let last = '';
    const look = async (): Promise<true | undefined> => {
      last = timeless((await typed(command)).out);
      return last === timeless(screen) ? true : undefined;
    };
    if (!process.env['UPDATE_GOLDEN']) {
      await world.eventually(`\`${command}\` shows what the page shows`, look).catch(() => expect(last).toBe(timeless(screen)));
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
    const lines = [...new Set(Object.values(EXAMPLES).flat())].filter(
      (line) => !ELSEWHERE.some(([pattern]) => pattern.test(line)) && !changing.test(line),
    );
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      const { code, note } = await typed(line);
      expect({ line, code, note: code === (CODES[line] ?? 0) ? '' : note }).toEqual({ line, code: CODES[line] ?? 0, note: '' });
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
  return observedGeneration === rollout?.metadata.generation && isWanted;
}
