import { readFile, writeFile } from 'node:fs/promises';
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
import { installSamples } from '@outrigger/cli';
import { type Runtime, findCondition } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import { type Block, ROOT, type TypedLine, blocksIn, exitCodeOf, isEndless } from './guide-commands.js';
import type { Readers } from './readers.js';
import type { Ran } from './world.js';

/** A hub with the samples on these clusters, and the users who run the commands of the guides. */
export interface GuideWorld {
  readonly hub: Client;
  readonly runtime: Runtime;
  readonly clusterNames: readonly string[];
  readonly readers: Readers;
  /** A folder for the files that commands write. */
  readonly scratch: string;
  /** Whether to compare the output of the commands with the output in the pages, which comes from the fleet of `npm start`. */
  readonly comparesScreens: boolean;
  /** The exit codes of commands whose result on this hub differs from that on the hub of `npm start`. */
  readonly exitCodes?: Readonly<Record<string, number>>;
  eventually(what: string, look: () => Promise<true | undefined>): Promise<unknown>;
}

/** The pages whose commands run against the fleet that `npm start` creates. The examples have their own test. */
export const GUIDE_PAGES: readonly string[] = [
  // This page runs before the pages that upgrade hello to v2, because no gate holds a target that has completed before.
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
  // This page runs last, because it deletes hello.
  'docs/guides/starting-over',
];

/** Runs the commands of guides one after the other, each as the reader of its guide. */
export class GuideTypist {
  readonly #world: GuideWorld;

  constructor(world: GuideWorld) {
    this.#world = world;
  }

  /** Runs the commands of one page. If an environment variable requests an update, writes the current output into the page. */
  async page(page: string): Promise<void> {
    const { readers, comparesScreens, exitCodes = {} } = this.#world;
    await this.startOver();
    if (page === 'docs/guides/starting-over') await readers.type(undefined, 'outrigger', ['join', 'edge7']);
    const text = await readFile(`${ROOT}${page}.md`, 'utf8');
    let shown = text;
    for (const block of blocksIn(text)) {
      for (const one of block.commands) {
        const { line, typist } = one;
        const want = exitCodes[line] ?? exitCodeOf(line);
        const { code, note } = await this.typed(one);
        expect({ line, typist, code, note: code === want ? '' : note }).toEqual({ line, typist, code: want, note: '' });
      }
      if (comparesScreens)
        shown = shown.replace(`\`\`\`text\n${block.screen}\`\`\``, `\`\`\`text\n${await this.#screenAfter(block)}\`\`\``);
    }
    if (process.env['UPDATE_GOLDEN'] && comparesScreens) await writeFile(`${ROOT}${page}.md`, shown);
  }

  /** Waits before the next command until the manager has observed every declaration and nothing changes any more. */
  async settled(): Promise<void> {
    const { hub, clusterNames, eventually } = this.#world;
    await eventually('everything has settled', async () => {
      const declared = (await hub.list(clusterManagementAddOns)).items;
      const rollouts = new Map((await hub.list(addOnRollouts)).items.map((rollout) => [rollout.metadata.name, rollout]));
      // Clusters that a page only mentions are skipped, because they have no agent and their add-ons never settle.
      const addOns = (await hub.list(managedClusterAddOns)).items.filter(({ metadata }) => clusterNames.includes(metadata.namespace ?? ''));
      const isSeen = declared.every((managementAddOn) => isRecorded(managementAddOn, rollouts.get(managementAddOn.metadata.name)));
      const isStill = addOns.every(({ status }) => findCondition(status?.conditions, 'Progressing')?.reason === 'Succeed');
      return addOns.length > 0 && isSeen && isStill ? true : undefined;
    });
  }

  /** Restores the state that `npm start` creates. */
  async startOver(): Promise<void> {
    const { hub, clusterNames, eventually } = this.#world;
    const own = new Set(clusterNames);
    for (const { metadata } of (await hub.list(managedClusters)).items)
      if (!own.has(metadata.name ?? '')) await hub.delete(managedClusters, { name: metadata.name ?? '' });
    await eventually('what the page before deleted is gone', async () => {
      const declared = (await hub.list(clusterManagementAddOns)).items;
      const isDeleting = declared.some(({ metadata }) => metadata.deletionTimestamp !== undefined);
      return isDeleting || (await hub.list(managedClusters)).items.length > own.size ? undefined : true;
    });
    await installSamples(hub);
    await this.settled();
    for (const policy of (await hub.list(rolloutPolicies)).items) await hub.delete(rolloutPolicies, { name: policy.metadata.name ?? '' });
    await hub.patch(addOnRollouts, { name: 'hello' }, { type: 'merge', patch: { spec: { pinnedRevision: null, paused: null } } });
    const first = { group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } };
    await hub.patch(clusterManagementAddOns, { name: 'hello' }, { type: 'merge', patch: { spec: { supportedConfigs: [first] } } });
    const annotations = { [DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION]: null };
    await hub.patch(managedClusters, { name: 'cluster1' }, { type: 'merge', patch: { metadata: { annotations } } });
    await this.settled();
  }

  async typed({ line, typist }: TypedLine): Promise<Ran> {
    const { readers, scratch } = this.#world;
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
    await this.settled();
    return ran;
  }

  /** Repeats the last command until its output equals the one that the page shows below it. */
  async #screenAfter({ commands, screen }: Block): Promise<string> {
    const command = commands.at(-1);
    if (screen === '' || !command) return '';
    let last = '';
    const look = async (): Promise<true | undefined> => {
      last = timeless((await this.typed(command)).out);
      return last === timeless(screen) ? true : undefined;
    };
    const { eventually, runtime } = this.#world;
    if (!process.env['UPDATE_GOLDEN']) {
      await eventually(`\`${command.line}\` shows what the page shows`, look).catch(() => expect(last).toBe(timeless(screen)));
      return screen;
    }
    // The manager needs some time to process the last change.
    await runtime.timers.sleep(2_000);
    return (await this.typed(command)).out;
  }
}

/** Removes ages and times from the output, and the column widths that depend on them. */
export function timeless(screen: string): string {
  return screen
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, '<time>')
    .replace(/(?<=\s)\d+[smh](\d+[smh])?(?=\s|$)/gm, '<age>')
    .replace(/ +/g, ' ')
    .replace(/ +$/gm, '');
}

/** Whether the rollout's status describes the declared content or the pinned revision. */
function isRecorded({ spec }: ClusterManagementAddOn, rollout: AddOnRollout | undefined): boolean {
  const { history = [], entries = [], observedGeneration } = rollout?.status ?? {};
  const template = spec.supportedConfigs?.find(({ resource }) => resource === 'addontemplates')?.defaultConfig?.name;
  const wanted =
    rollout?.spec?.pinnedRevision ?? history.find(({ configs = [] }) => configs.some(({ name }) => name === template))?.revision;
  const isWanted = entries.every(({ targetRevision }) => targetRevision === wanted);
  return rollout !== undefined && observedGeneration === rollout?.metadata.generation && isWanted;
}
