import type { AddOnDeploymentConfigSpec } from '@outrigger/api';
import type { Json } from '@outrigger/core';
import { type CompiledTemplate, compileTemplate, credentialMounts, NEWEST_RENDERER, render, rendererOf } from '@outrigger/rules/render';

/**
 * Measures for how many clusters one process renders manifests per second of processor time, from a template of five manifests: with the
 * template compiled each time, and compiled once as the manager does. Prints one JSON line per result.
 *
 *   node --import tsx --conditions=source benchmarks/render.ts
 */

const labels = { app: 'hello' };
const container = { name: 'agent', image: 'registry.example.com/hello:1', args: ['--cluster={{CLUSTER_NAME}}', '--level={{LEVEL}}'] };
const pods = { metadata: { labels }, spec: { serviceAccountName: 'hello', containers: [container], initContainers: [container] } };
const place = { namespace: 'hello' };
const MANIFESTS: readonly Json[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hello' } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'hello', ...place } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'hello-{{CLUSTER_NAME}}' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'ServiceAccount', name: 'hello', ...place }],
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello', ...place }, data: Object.fromEntries(lines(40)) },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'hello', ...place },
    spec: { selector: { matchLabels: labels }, template: pods },
  },
];

const SETTINGS: AddOnDeploymentConfigSpec = {
  agentInstallNamespace: 'agents',
  customizedVariables: [{ name: 'LEVEL', value: '4' }],
  nodePlacement: { nodeSelector: { 'kubernetes.io/os': 'linux' }, tolerations: [{ operator: 'Exists' }] },
  registries: [{ source: 'registry.example.com', mirror: 'mirror.example.com' }],
  proxyConfig: { httpsProxy: 'http://proxy:3128', noProxy: '.svc' },
};
const CREDENTIALS = credentialMounts('hello', [{ type: 'KubeClient' }]);

function lines(count: number): [string, string][] {
  return Array.from({ length: count }, (_, i) => [`key-${i}`, `value ${i} of {{CLUSTER_NAME}}`]);
}

function compiled(): CompiledTemplate {
  const template = compileTemplate(MANIFESTS);
  if ('problems' in template) throw new Error(JSON.stringify(template.problems));
  return template;
}

function renderFor(cluster: number, template: CompiledTemplate): number {
  const rendered = render({
    renderer: rendererOf(NEWEST_RENDERER),
    addOnName: 'hello',
    clusterName: `cluster-${cluster}`,
    template,
    credentials: CREDENTIALS,
    installNamespace: undefined,
    settings: SETTINGS,
    clusterRegistries: [],
  });
  if ('problems' in rendered) throw new Error(JSON.stringify(rendered.problems));
  return rendered.manifests.length;
}

/** Returns how often the work runs per second of processor time, after a warm-up. The result does not depend on the load of the machine. */
function perSecond(work: (i: number) => void): number {
  for (let i = 0; i < 500; i++) work(i);
  const before = process.cpuUsage();
  const spent = (): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000_000;
  };
  let count = 0;
  while (spent() < 1) for (let i = 0; i < 100; i++) work(count++);
  return Math.round(count / spent());
}

const shared = compiled();
const results = [
  { name: 'render, template compiled each time', value: perSecond((i) => renderFor(i, compiled())), unit: 'renders/s' },
  { name: 'render, template compiled once', value: perSecond((i) => renderFor(i, shared)), unit: 'renders/s', budget: 3000 },
];
for (const result of results) console.log(JSON.stringify(result));
