import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { parseYaml } from '@outrigger/core/yaml';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { describe, expect, it } from 'vitest';
import { runCommand } from './world.js';

const deploy = new URL('../../deploy/', import.meta.url);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const IMAGE = 'outrigger:0.1.0';

interface Scrape {
  readonly kubernetes_sd_configs: readonly { readonly namespaces: { readonly names: readonly string[] } }[];
  readonly relabel_configs: readonly { readonly source_labels: readonly string[]; readonly regex: string; readonly action: string }[];
}
interface ManagerDeployment {
  readonly kind: string;
  readonly metadata: { readonly namespace: string };
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly { readonly ports: readonly { readonly name: string }[] }[] };
    };
  };
}

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
  it('the scrape configuration of the monitoring guide keeps the metrics port of every manager', () => {
    const guide = readFileSync(new URL('../../docs/guides/monitoring.md', import.meta.url), 'utf8');
    const [, yaml = ''] = /```yaml\n(scrape_configs:[^`]*)```/.exec(guide) ?? [];
    const [found] = parseYaml(yaml) as unknown as { scrape_configs: Scrape[] }[];
    const [scrape] = found?.scrape_configs ?? [];
    const manager = (parseYaml(readFileSync(new URL('hub/hub.yaml', deploy), 'utf8')) as unknown as ManagerDeployment[]).find(
      ({ kind }) => kind === 'Deployment',
    );
    const { metadata, spec } = manager?.spec.template ?? { metadata: { labels: {} }, spec: { containers: [] } };
    const labels = Object.entries(metadata.labels).map(([name, value]) => [
      `__meta_kubernetes_pod_label_${name.replaceAll(/[^a-zA-Z0-9_]/g, '_')}`,
      value,
    ]);
    const isKept = (port: string): boolean => {
      const meta: Readonly<Record<string, string>> = {
        ...(Object.fromEntries(labels) as Record<string, string>),
        __meta_kubernetes_pod_container_port_name: port,
      };
      return (scrape?.relabel_configs ?? []).every(({ source_labels: [label = ''], regex, action }) => {
        expect(action).toBe('keep');
        return new RegExp(`^(?:${regex})$`).test(meta[label] ?? '');
      });
    };
    const ports = spec.containers.flatMap((container) => container.ports.map(({ name }) => name));
    expect(ports.filter(isKept)).toEqual(['metrics']);
    expect(scrape?.kubernetes_sd_configs[0]?.namespaces.names).toEqual([manager?.metadata.namespace]);
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
