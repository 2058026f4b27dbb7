import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addOnTemplates, clusterManagementAddOns } from '@outrigger/api';
import { parseYamlDocuments } from '@outrigger/core/yaml';
import { createEndpoints } from '@outrigger/kube';
import { createPrometheusMetrics, serveEndpoints } from '@outrigger/kube/node';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Prometheus, findPrometheus } from '../../tools/prometheus/prometheus.js';
import { addCluster, install, templateOf } from '../integration/addon/objects.js';
import { startPrometheus } from './prometheus-server.js';
import { type AddOnWorld, startWorld, stopWorlds } from '../integration/addon/world.js';

const run = promisify(execFile);
const MONITORING = fileURLToPath(new URL('../../deploy/monitoring/', import.meta.url));
const GUIDE = fileURLToPath(new URL('../../docs/guides/monitoring.md', import.meta.url));
const METRICS = fileURLToPath(new URL('../../docs/metrics.md', import.meta.url));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}
interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

async function alerts(): Promise<readonly Rule[]> {
  const documents = parseYamlDocuments(await readFile(join(MONITORING, 'rules.yaml'), 'utf8'));
  return documents.flatMap(({ value }) => (value as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules));
}

async function dashboard(): Promise<Dashboard> {
  return JSON.parse(await readFile(join(MONITORING, 'dashboard.json'), 'utf8')) as Dashboard;
}

describe('monitoring, with a real Prometheus', () => {
  let tools: Prometheus;
  const stops: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    tools = await findPrometheus();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    await stopWorlds();
  });

  it('promtool accepts the alerts, and each fires on the series that mean trouble', async () => {
    const check = await run(tools.promtool, ['check', 'rules', 'rules.yaml'], { cwd: MONITORING });
    expect(check.stdout).toContain('SUCCESS');
    const test = await run(tools.promtool, ['test', 'rules', 'rules.test.yaml'], { cwd: MONITORING });
    expect(test.stdout).toContain('SUCCESS');
  });

  it('every alert has a section in the guide, and every expression names metrics that exist', async () => {
    const guide = await readFile(GUIDE, 'utf8');
    const known = new Set([...(await readFile(METRICS, 'utf8')).matchAll(/^\| `(outrigger_\w+)` \|/gm)].map(([, name]) => name));
    const rules = await alerts();
    expect(rules.filter(({ alert }) => !guide.includes(`### ${alert}\n`)).map(({ alert }) => alert)).toEqual([]);
    expect(rules.filter(({ alert, annotations }) => annotations.runbook !== `docs/guides/monitoring.md#${alert.toLowerCase()}`)).toEqual(
      [],
    );
    const { panels } = await dashboard();
    const expressions = [...rules.map(({ expr }) => expr), ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))];
    const named = expressions.flatMap((expr) => expr.match(/outrigger_\w+/g) ?? []);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('scrapes a hub: its numbers are those of the fleet, and every panel of the dashboard can be drawn', async () => {
    const metrics = createPrometheusMetrics();
    const world = await startWorld({ metrics, hasClusters: true, agent: undefined, hasRealClock: true });
    const endpoints = createEndpoints({ runtime: world.runtime, health: [], readiness: [], metrics: () => metrics.scrape() });
    const served = await serveEndpoints(endpoints, world.runtime, { port: 0, host: '127.0.0.1' });
    stops.push(() => served.close());
    const url = await startPrometheus(tools.prometheus, served.port, { rule_files: [join(MONITORING, 'rules.yaml')] }, stops);
    const query: Query = async (expr) =>
      (await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr }).toString()}`)).json() as Promise<Answer>;

    for (const name of ['cluster1', 'cluster2']) await addCluster(world, name);
    await world.hub.create(clusterManagementAddOns, {
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'hello' },
      spec: {},
    });
    await world.hub.create(addOnTemplates, templateOf('hello', { version: 'v1' }));
    await install(world, 'cluster1', 'hello');

    await shows(world, query, 'sum by (state) (outrigger_clusters)', { 'not-joined': 2 });
    await shows(world, query, 'sum by (state) (outrigger_addons{addon="hello",version="v1"})', { progressing: 1 });
    await install(world, 'cluster2', 'hello', { installVersion: 'v9' });
    await shows(world, query, 'sum by (state) (outrigger_addons{addon="hello"})', { progressing: 1, failed: 1 });
    for (const { title, targets } of (await dashboard()).panels) {
      for (const { expr } of targets) {
        const { status } = await query(expr.replaceAll('$addon', '.*'));
        expect(status, `${title}: ${expr}`).toBe('success');
      }
    }
  });
});

interface Answer {
  readonly status: string;
  readonly data?: {
    readonly result: readonly { readonly metric: { readonly state?: string }; readonly value: readonly [number, string] }[];
  };
}
type Query = (expr: string) => Promise<Answer>;

/** Waits until the query returns the expected values by state. Prometheus scrapes once a second. */
async function shows(world: AddOnWorld, query: Query, expr: string, want: Readonly<Record<string, number>>): Promise<void> {
  await world.eventually(expr, async () => {
    const { data } = await query(expr);
    const got = Object.fromEntries((data?.result ?? []).map(({ metric, value }) => [metric.state ?? '', Number(value[1])]));
    expect(got).toEqual(want);
    return true;
  });
}
