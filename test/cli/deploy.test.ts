import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { parseYaml } from '@outrigger/core/yaml';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { describe, expect, it } from 'vitest';
import { runCommand } from './world.js';

const deploy = new URL('../../deploy/', import.meta.url);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const IMAGE = 'outrigger:0.1.0';

/** Checks that a kustomize base equals the output of `outrigger install`. UPDATE_GOLDEN=1 rewrites the bases; review the difference. */
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
  it('hub is the output of `outrigger install hub`, without the kinds', () => check('hub/hub.yaml', ['install', 'hub', '--image', IMAGE]));
  it('agent is the output of `outrigger install agent`', () =>
    check('agent/agent.yaml', ['install', 'agent', '--image', IMAGE, '--cluster-name', 'cluster1']));
  it('names every kind', () => {
    const [kustomization] = parseYaml(readFileSync(new URL('kustomization.yaml', deploy), 'utf8')) as [{ resources: string[] }];
    expect(kustomization.resources.filter((path) => path.startsWith('crds/'))).toEqual(
      readdirSync(new URL('crds/', deploy))
        .filter((name) => name.endsWith('.yaml'))
        .sort()
        .map((name) => `crds/${name}`),
    );
  });
  it('gives the manager no permission that leads to more permissions', async () => {
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

describe('Dockerfile', () => {
  const root = new URL('../../', import.meta.url);
  const lines = readFileSync(new URL('Dockerfile', root), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const of = (instruction: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
  const sources = of('COPY')
    .filter((line) => !line.startsWith('--from'))
    .flatMap((line) => line.split(' ').slice(0, -1));

  it('copies only files that exist and that .dockerignore does not exclude', () => {
    expect(sources.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
    const ignored = readFileSync(new URL('.dockerignore', root), 'utf8').split('\n');
    expect(sources.filter((path) => ignored.includes(path))).toEqual([]);
  });
  it('runs scripts it has copied', () => {
    const scripts = of('RUN').flatMap((line) => [...line.matchAll(/node (\S+)/g)].map(([, path = '']) => path));
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) {
      expect(existsSync(new URL(script, root))).toBe(true);
      expect(sources.some((source) => script === source || script.startsWith(`${source}/`))).toBe(true);
    }
  });
  it('has everything a locked install needs', () => {
    const { workspaces } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { readonly workspaces: readonly string[] };
    for (const needed of ['package.json', 'package-lock.json', ...workspaces.map((path) => path.replace('/*', ''))])
      expect(sources).toContain(needed);
  });
  it('runs as an unprivileged user, by the exec form, so that signals reach the process', () => {
    expect(of('USER').at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    for (const line of [...of('ENTRYPOINT'), ...of('CMD')]) expect(JSON.parse(line)).toBeInstanceOf(Array);
  });
});
