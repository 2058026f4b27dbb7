import type { AddOnDeploymentConfigSpec } from '@outrigger/api';
import type { Json, JsonObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { credentialMounts } from '../render/credentials.js';
import { render } from '../render/render.js';
import { RENDERERS, type Renderer, rendererOf } from '../render/renderers.js';
import { compileTemplate } from '../render/template.js';
import { existingJobs, withExistingPodTemplate } from './existing-jobs.js';

function job(container: JsonObject = {}, podSpec: JsonObject = {}): JsonObject {
  const containers = [{ name: 'job', image: 'example.com/team/job:1', env: [{ name: 'LEVEL', value: 'info' }], ...container }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'migrate', namespace: 'n' },
    spec: { backoffLimit: 1, template: { spec: { restartPolicy: 'Never', containers, ...podSpec } } },
  };
}

const SETTINGS: Readonly<Record<string, AddOnDeploymentConfigSpec>> = {
  'no settings': {},
  proxy: { proxyConfig: { httpsProxy: 'http://p', noProxy: '.svc', caBundle: 'Y2E=' } },
  'node placement': { nodePlacement: { nodeSelector: { pool: 'infra' }, tolerations: [{ operator: 'Exists' }] } },
  registries: { registries: [{ source: 'example.com', mirror: 'mirror.example.com/x' }] },
  'any registry': { registries: [{ mirror: 'mirror.example.com' }] },
  resources: { resourceRequirements: [{ containerID: '*:*:*', resources: { limits: { cpu: '1m' } } }] },
};

function rendered(renderer: Renderer, settings: AddOnDeploymentConfigSpec, manifest: JsonObject = job()): JsonObject {
  const template = compileTemplate([manifest]);
  if ('problems' in template) throw new Error(JSON.stringify(template));
  const registration = [
    { type: 'KubeClient' },
    { type: 'CustomSigner', customSigner: { signerName: 'example.com/s', signingCA: { name: 'ca' } } },
  ] as const;
  const credentials = credentialMounts('hello', registration);
  const result = render({
    renderer,
    addOnName: 'hello',
    clusterName: 'c1',
    template,
    credentials,
    installNamespace: undefined,
    settings,
    clusterRegistries: [],
  });
  const [first] = 'manifests' in result ? result.manifests : [];
  if (!first) throw new Error(JSON.stringify(result));
  return first;
}

const existing = (manifest: JsonObject): ReadonlyMap<string, JsonObject> =>
  new Map(existingJobs([manifest]).map(({ id, podTemplate }) => [id, podTemplate]));
const podTemplate = (manifest: JsonObject): Json | undefined => (manifest['spec'] as JsonObject)['template'];

describe('a Job that exists on the cluster', () => {
  const cases = RENDERERS.flatMap((from) =>
    RENDERERS.flatMap((to) =>
      Object.entries(SETTINGS).flatMap(([before, a]) =>
        Object.entries(SETTINGS).map(([after, b]) => ({
          name: `${before} by ${from.number}, then ${after} by ${to.number}`,
          from,
          a,
          to,
          b,
        })),
      ),
    ),
  );
  it.each(cases)('keeps its pod template: $name', ({ from, a, to, b }) => {
    const old = rendered(from, a);
    const next = withExistingPodTemplate(
      rendered(to, b, { ...job(), spec: { ...(job()['spec'] as JsonObject), backoffLimit: 3 } }),
      existing(old),
    );
    expect(podTemplate(next)).toEqual(podTemplate(old));
    expect((next['spec'] as JsonObject)['backoffLimit'], 'the rest of the Job follows the template').toBe(3);
  });

  it.each([
    ['another image', job({ image: 'example.com/team/job:2' })],
    ['another variable', job({ env: [{ name: 'LEVEL', value: 'debug' }] })],
    ['a volume', job({}, { volumes: [{ name: 'data', emptyDir: {} }] })],
    ['another restart policy', job({}, { restartPolicy: 'OnFailure' })],
    [
      'a second container',
      job(
        {},
        {
          containers: [
            { name: 'a', image: 'a' },
            { name: 'b', image: 'b' },
          ],
        },
      ),
    ],
  ])('gets the pod template of its author: %s', (_, changed) => {
    const newest = rendererOf(2);
    const next = rendered(newest, {}, changed);
    expect(withExistingPodTemplate(next, existing(rendered(newest, {})))).toBe(next);
  });

  it('with another name, and workloads of other kinds, stay as rendered', () => {
    const deployment = { ...job(), kind: 'Deployment', apiVersion: 'apps/v1' };
    const jobs = existing(rendered(rendererOf(1), {}));
    expect(withExistingPodTemplate(deployment, jobs)).toBe(deployment);
    const other = { ...job(), metadata: { name: 'other', namespace: 'n' } };
    expect(withExistingPodTemplate(other, jobs)).toBe(other);
  });
});
