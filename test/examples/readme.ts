import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { clusterManagementAddOns, managedClusters, rolloutPolicies } from '@outrigger/api';
import { parseApiVersion } from '@outrigger/core';
import { parseYaml } from '@outrigger/core/yaml';
import type { KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import type { CliWorld, Ran } from '../cli/world.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the commands of an example's README, in order, so that the test runs exactly the documented commands. */
export async function commandsOf(example: string): Promise<readonly string[]> {
  const text = await readFile(`${ROOT}/examples/${example}/README.md`, 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.split('\n').filter((line) => line !== ''));
}

/** Returns the first output that an example's README shows. */
export async function screenOf(example: string): Promise<string> {
  const text = await readFile(`${ROOT}/examples/${example}/README.md`, 'utf8');
  return /^```text\n([\s\S]*?)^```/m.exec(text)?.[1] ?? '';
}

/** Runs a command from a README. The test's client performs the few `kubectl` commands that examples use. */
export async function type(world: CliWorld, command: string): Promise<Ran> {
  const [program, verb, ...args] = command.split(' ');
  // Keep `--watch` only for `rollout status`, which ends with the rollout. `get --watch` would run until it is interrupted.
  if (program === 'outrigger') return world.outrigger(...[verb ?? '', ...args].filter((word) => word !== '--watch' || verb === 'rollout'));
  if (program !== 'kubectl') throw new Error(`examples do not use ${program}`);
  if (verb === 'apply') {
    for (const [index, word] of args.entries()) if (word === '-f') await applyFile(world.fleet.hub, args[index + 1] ?? '');
  } else if (verb === 'label' && args[0] === 'managedcluster') {
    const [key = '', value = ''] = (args[2] ?? '').split('=');
    await world.fleet.hub.patch(
      managedClusters,
      { name: args[1] ?? '' },
      { type: 'merge', patch: { metadata: { labels: { [key]: value } } } },
    );
  } else if (verb === 'annotate' && args[0] === 'managedcluster') {
    const [key = '', value = ''] = (args[2] ?? '').split('=');
    await world.fleet.hub.patch(
      managedClusters,
      { name: args[1] ?? '' },
      { type: 'merge', patch: { metadata: { annotations: { [key]: value } } } },
    );
  } else if (verb === 'delete' && args[0] === 'rolloutpolicy') {
    await world.fleet.hub.delete(rolloutPolicies, { name: args[1] ?? '' });
  } else if (verb === 'get') {
    const served = (await world.fleet.hub.discovery.resources()).find(({ plural }) => plural === args[0]);
    if (!served) throw new Error(`the hub serves no ${args[0]}`);
    await world.fleet.hub.list(served);
  } else throw new Error(`documents do not use kubectl ${verb}`);
  return { code: 0, out: '', note: '' };
}

async function applyFile(hub: Client, path: string): Promise<void> {
  if (!path.endsWith('.yaml')) {
    for (const name of (await readdir(`${ROOT}/${path}`)).filter((one) => one.endsWith('.yaml')).sort())
      await applyFile(hub, `${path}/${name}`);
    return;
  }
  const text = await readFile(`${ROOT}/${path}`, 'utf8');
  for (const object of parseYaml(text) as KubeObject[]) {
    const { group, version } = parseApiVersion(object.apiVersion);
    const kind = await hub.discovery.kindOf({ group, version, kind: object.kind });
    if (!kind) throw new Error(`${path}: the hub serves no ${object.apiVersion} ${object.kind}`);
    await hub.apply(kind, object, { fieldManager: 'kubectl', fieldValidation: 'Strict' });
  }
}

export async function removeAddOns(hub: Client, ...names: readonly string[]): Promise<void> {
  for (const name of names) await hub.delete(clusterManagementAddOns, { name });
}
