import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './world.js';

const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const fixtures = (kind: string): string => fileURLToPath(new URL(`../fixtures/${kind}/`, import.meta.url));
const HEAD = 'apiVersion: addon.open-cluster-management.io/v1alpha1\n';
const template = (name: string, addOn: string, text: string): string =>
  `${HEAD}kind: AddOnTemplate\nmetadata: { name: ${name}, labels: { open-cluster-management.io/addon-version: v1 } }\nspec: { addonName: ${addOn}, agentSpec: { workload: { manifests: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: x }, data: { k: "${text}" } }] } } }\n`;
const addOn = (name: string, spec: string): string => `${HEAD}kind: ClusterManagementAddOn\nmetadata: { name: ${name} }\nspec: ${spec}\n`;

describe('lint without a hub', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-lint-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function lint(text: string, ...more: readonly string[]): Promise<{ code: number; out: string; note: string }> {
    const file = join(folder, 'input.yaml');
    await writeFile(file, text);
    return runCommand(['lint', '-f', file, ...more], runtime);
  }

  it.each(readdirSync(fixtures('invalid')))('finds what is wrong with %s', async (name) => {
    const { code } = await runCommand(['lint', '-f', join(fixtures('invalid'), name)], runtime);
    expect(code).toBe(5);
  });

  it.each([
    {
      name: 'an undefined variable, with the one that was meant',
      text: template('t', 'hello', '{{CLUSTER_NAM}}'),
      says: 'spec.agentSpec.workload.manifests[0].data.k: the variable CLUSTER_NAM is not defined: did you mean {{CLUSTER_NAME}}?',
    },
    {
      name: 'a cycle of dependencies',
      text: `${addOn('a', '{ dependencies: [{ name: b }] }')}---\n${addOn('b', '{ dependencies: [{ name: a }] }')}`,
      says: 'a -> b -> a',
    },
    { name: 'two templates of one version', text: `${template('t1', 'hello', 'x')}---\n${template('t2', 'hello', 'x')}`, says: 't1' },
    { name: 'braces that do not close', text: template('t', 'hello', '{{NAME'), says: 'manifests[0].data.k' },
    {
      name: 'the line of a field in the second document',
      text: `${template('t', 'hello', 'x')}---\n${addOn('h', '{ typo: 1 }')}`,
      says: 'input.yaml:9: ClusterManagementAddOn h: spec.typo',
    },
    {
      name: 'an object that a template contains twice, with both positions',
      text: template('t', 'hello', 'x').replace('] } }', ', { apiVersion: v1, kind: ConfigMap, metadata: { name: x } }] } }'),
      says: 'spec.agentSpec.workload.manifests[0] and [1] are the same object',
    },
    { name: 'text that is not YAML', text: 'a: [', says: '' },
  ])('$name', async ({ text, says }) => {
    const { code, out } = await lint(text);
    expect(code).not.toBe(0);
    expect(out).toContain(says);
  });

  it.each([
    {
      name: 'a variable of a configuration beside it',
      text: `${template('t', 'hello', '{{COLOR}}')}---\n${HEAD}kind: AddOnDeploymentConfig\nmetadata: { name: c, namespace: default }\nspec: { customizedVariables: [{ name: COLOR, value: red }] }\n`,
    },
    { name: 'kinds of others', text: 'apiVersion: example.com/v1\nkind: Deploymnt\nmetadata: { name: x }\n' },
  ])('reports nothing about $name', async ({ text }) => expect(await lint(text)).toMatchObject({ code: 0, out: '' }));

  const deployed = `${HEAD}kind: AddOnTemplate\nmetadata: { name: t, labels: { open-cluster-management.io/addon-version: v1 } }\nspec: { addonName: hello, agentSpec: { workload: { manifests: [{ apiVersion: apps/v1, kind: Deployment, metadata: { name: a, namespace: home }, spec: { selector: { matchLabels: { a: b } }, template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: c, image: i }] } } } }] } } }\n`;
  const config = (spec: string): string => `${HEAD}kind: AddOnDeploymentConfig\nmetadata: { name: c, namespace: default }\nspec: ${spec}\n`;
  const ADC = 'group: addon.open-cluster-management.io, resource: addondeploymentconfigs';
  const using = addOn('hello', `{ supportedConfigs: [{ ${ADC}, defaultConfig: { name: c, namespace: default } }] }`);
  it.each([
    {
      name: 'a configuration that moves an agent only because its namespace was left out',
      text: `${deployed}---\n${config('{}')}---\n${using}`,
      says: 'set agentInstallNamespace: ""',
    },
    {
      name: 'a kind that is not supported',
      text: addOn(
        'h',
        '{ installStrategy: { type: ClusterLabelSelector, labelSelector: {}, configs: [{ group: x.io, resource: things, name: one }] } }',
      ),
      says: 'things.x.io is not among the supportedConfigs',
    },
    {
      name: 'a namespace left out',
      text: addOn('h', `{ supportedConfigs: [{ ${ADC}, defaultConfig: { name: c } }] }`),
      says: 'names no namespace',
    },
    {
      name: 'a template of another add-on',
      text: `${deployed}---\n${addOn('h', '{ supportedConfigs: [{ group: addon.open-cluster-management.io, resource: addontemplates, defaultConfig: { name: t } }] }')}`,
      says: 'is of the add-on hello (spec.addonName), not of h',
    },
  ])('warns about $name, as a hub would, and continues', async ({ text, says }) => {
    const { code, out, note } = await lint(text);
    expect(out).toContain('warning: ClusterManagementAddOn');
    expect(out).toContain(says);
    expect({ code, note }).toEqual({ code: 0, note: expect.stringMatching(/, [12] warnings?/) as string });
  });

  const policy = (spec: string): string =>
    `apiVersion: outrigger.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: { name: p }\nspec:\n  addOns: { selector: {} }\n${spec}`;
  const groups = `  approvals: [{ name: go, before: Group, groups: [{ groupName: rest }, { groupName: prod }] }]\n`;
  const placement = (group: string): string =>
    `apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: { name: all, namespace: default }\nspec: { decisionStrategy: { groupStrategy: { decisionGroups: [{ groupName: ${group}, groupClusterSelector: {} }] } } }\n`;
  const everywhere = `apiVersion: addon.open-cluster-management.io/v1alpha1\nkind: ClusterManagementAddOn\nmetadata: { name: hello }\nspec: { installStrategy: { type: Placements, placements: [{ namespace: default, name: all }] } }\n`;
  const night = `{ name: nights, effect: Allow, schedule: 0 22 * * *, duration: 2h }`;
  it.each([
    {
      name: 'a group that no Placement has',
      text: `${policy(groups)}---\n${placement('production')}`,
      says: 'has a group prod; there are production',
    },
    {
      name: 'windows that never open',
      text: policy(`  windows: [${night}, { name: dark, effect: Deny, schedule: 0 21 * * *, duration: 4h }]\n`),
      says: 'p/nights and p/dark never open for Upgrade in the next two years: no cluster can be admitted',
    },
    {
      name: 'a window that never opens for clusters with a label',
      text: policy(
        `  windows: [{ name: eu, effect: Deny, from: 2026-01-01T00:00, until: 2098-01-01T00:00, clusters: { matchLabels: { region: eu } } }]\n`,
      ),
      says: 'p/eu never opens for Upgrade in the next two years: no cluster with region=eu can be admitted',
    },
    {
      name: 'RollBack under strategy All and no analysis',
      text: `${policy('  onFailure: { action: RollBack }\n')}---\n${everywhere}`,
      says: 'spec.onFailure: hello default/all never goes back by itself: strategy All counts no failures',
    },
    {
      name: 'names of no add-on',
      text: `${policy('').replace('selector: {}', 'names: [other]')}---\n${everywhere}`,
      says: 'spec.addOns: selects no add-on that these files declare',
    },
    {
      name: 'a query without variables',
      text: policy('  analysis: [{ name: a, provider: p, query: up, interval: 1m, count: 1, success: "result < 1.0" }]\n'),
      says: 'spec.analysis[0].query: has none of {{ADDON}}, {{REVISION}} and {{ENTRY}}',
    },
    {
      name: 'starts that overlap',
      text: policy(`  windows: [{ name: often, effect: Allow, schedule: 0 * * * *, duration: 2h }]\n`),
      says: 'overlapping windows unite',
    },
  ])('warns about a policy with $name', async ({ text, says }) => {
    const { code, out } = await lint(text);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(says) as string });
  });

  it.each([
    {
      name: 'a schedule that never fires',
      text: policy(`  windows: [{ name: w, effect: Deny, schedule: 0 0 31-31 4-4 *, duration: 2h }]\n`),
      says: 'input.yaml:6: RolloutPolicy p: spec.windows[0].schedule',
    },
    {
      name: 'an unknown zone',
      text: policy(`  windows: [{ name: w, effect: Deny, schedule: 0 0 * * *, duration: 2h, timeZone: Europe/Atlantis }]\n`),
      says: 'spec.windows[0].timeZone',
    },
  ])('refuses a policy with $name', async ({ text, says }) => {
    const { code, out } = await lint(text);
    expect({ code, out }).toEqual({ code: 5, out: expect.stringContaining(says) as string });
  });

  it('accepts a policy whose groups exist, or whose Placement is not in the files', async () => {
    expect(await lint(`${policy(groups)}---\n${placement('prod')}`)).toMatchObject({ code: 0, out: '' });
    expect(await lint(policy(groups))).toMatchObject({ code: 0, out: '' });
  });

  it('does not warn about a namespace that was left empty on purpose', async () => {
    expect(await lint(`${deployed}---\n${config('{ agentInstallNamespace: "" }')}---\n${using}`)).toMatchObject({ code: 0, out: '' });
  });

  it('accepts variables that are defined in other objects', async () => {
    expect((await lint(template('t', 'hello', '{{COLOR}}'), '--variables', 'COLOR')).code).toBe(0);
  });
});
