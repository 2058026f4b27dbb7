import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { parseYaml } from '@outrigger/core/yaml';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { describe, expect, it } from 'vitest';
import { runCommand } from './world.js';

const deploy = new URL('../../deploy/', import.meta.url);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const IMAGE = 'outrigger:latest';

/** Bases for kustomize are what `outrigger install` prints. UPDATE_GOLDEN=1 rewrites them; read the difference. */
async function check(file: string, args: readonly string[]): Promise<void> {
  const { code, out } = await runCommand(args, runtime);
  expect(code).toBe(0);
  const isKind = (object: unknown): boolean => (object as { kind: string }).kind === 'CustomResourceDefinition';
  const text = file.startsWith('hub')
    ? out
        .split('---\n')
        .filter((part) => part !== '' && !isKind(parseYaml(part)[0]))
        .map((part) => `---\n${part}`)
        .join('')
    : out;
  if (process.env['UPDATE_GOLDEN']) writeFileSync(new URL(file, deploy), text);
  expect(readFileSync(new URL(file, deploy), 'utf8')).toBe(text);
}

describe('deploy/', () => {
  it('hub is what `outrigger install hub` prints, without the kinds', () => check('hub/hub.yaml', ['install', 'hub', '--image', IMAGE]));
  it('agent is what `outrigger install agent` prints', () =>
    check('agent/agent.yaml', ['install', 'agent', '--image', IMAGE, '--cluster-name', 'cluster1']));
  it('names every kind there is', () => {
    const [kustomization] = parseYaml(readFileSync(new URL('kustomization.yaml', deploy), 'utf8')) as [{ resources: string[] }];
    expect(kustomization.resources.filter((path) => path.startsWith('crds/'))).toEqual(
      readdirSync(new URL('crds/', deploy))
        .filter((name) => name.endsWith('.yaml'))
        .sort()
        .map((name) => `crds/${name}`),
    );
  });
  it('gives the manager no way to more rights than it has', async () => {
    const { out } = await runCommand(['install', 'hub', '--image', IMAGE], runtime);
    const rules = (
      parseYaml(out) as {
        kind: string;
        rules?: { verbs: string[]; resources?: string[]; apiGroups?: string[] }[];
        metadata: { name: string };
      }[]
    )
      .filter(({ kind }) => kind === 'ClusterRole')
      .flatMap(({ rules: all = [] }) => all);
    expect(
      rules.some(
        ({ verbs }) => verbs.includes('escalate') || verbs.includes('bind') || verbs.includes('impersonate') || verbs.includes('*'),
      ),
    ).toBe(false);
    expect(rules.some(({ resources = [] }) => resources.includes('secrets') || resources.includes('*'))).toBe(false);
    expect(rules.some(({ apiGroups = [] }) => apiGroups.includes('*'))).toBe(false);
  });
});
