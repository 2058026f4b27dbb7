import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AddOnRolloutStatus, InFlightCluster } from '@outrigger/api';
import { parseYaml } from '@outrigger/core/yaml';
import { describe, expect, it } from 'vitest';
import { type Answer, eventually } from '../conformance/api.js';
import { connectBeforeAll } from '../conformance/subject.js';
import { startRealServer } from './connect.js';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CRD_FILE = fileURLToPath(new URL('../../deploy/crds/outrigger.dev_addonrollouts.yaml', import.meta.url));
const TIME = '2026-11-16T12:00:00Z';

/** Returns a record with this number of clusters in flight. The names of the clusters have 20 characters. */
function record(count: number, revision = 1): AddOnRolloutStatus {
  const names = Array.from({ length: count }, (_, i) => `cluster-${String(i).padStart(12, '0')}`);
  const inFlight = names.map((cluster): InFlightCluster => ({ cluster, revision, admittedAt: TIME }));
  return { formatVersion: 1, entries: [{ name: 'default/all', inFlight, members: names, moves: { 'cluster-moved': `${revision}+1` } }] };
}

interface Definition {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec: { readonly group: string };
}

/** The shipped CRD, in a separate group. */
function definition(group: string): Definition {
  const [crd] = parseYaml(readFileSync(CRD_FILE, 'utf8')) as readonly Definition[];
  if (!crd) throw new Error(`${CRD_FILE} has no definition`);
  return { ...crd, metadata: { ...crd.metadata, name: `addonrollouts.${group}` }, spec: { ...crd.spec, group } };
}

/** The CRD with lists that are keyed by cluster, as in earlier versions. */
function keyed(crd: Definition): Definition {
  return JSON.parse(JSON.stringify(crd), (key, value: Record<string, unknown>) => {
    if (key === 'inFlight') return { ...value, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['cluster'] };
    return key === 'moves' && 'additionalProperties' in value ? { ...value, 'x-kubernetes-map-type': 'granular' } : value;
  }) as Definition;
}

describe('the size of an AddOnRollout, on kube-apiserver', () => {
  const subject = connectBeforeAll(() => startRealServer({ controllerManager: false }));

  /** Creates a definition, and then one object of its kind as soon as the API server serves it. Returns the path of the object. */
  const establish = async (crd: Definition): Promise<string> => {
    const created = await subject.admin.post(CRDS, crd);
    expect(created.status, created.body.message).toBe(201);
    const path = `/apis/${crd.spec.group}/v1alpha1/addonrollouts`;
    const object = { apiVersion: `${crd.spec.group}/v1alpha1`, kind: 'AddOnRollout', metadata: { name: 'one' }, spec: {} };
    await eventually(async () => expect((await subject.admin.post(path, object)).status).toBe(201));
    return `${path}/one`;
  };

  const writeStatus = (path: string, status: AddOnRolloutStatus): Promise<Answer> =>
    subject.admin.patch('merge', `${path}/status`, { status });

  const owners = ({ body }: Answer): string | undefined => body.metadata.managedFields && JSON.stringify(body.metadata.managedFields);

  it('leaves space for the owners of its fields with 10,000 clusters in flight, which keyed lists did not', async () => {
    const old = await writeStatus(await establish(keyed(definition('keyed.outrigger.dev'))), record(10_000));
    // The API server drops `managedFields` from an object that would otherwise be too large for etcd.
    expect([old.status, owners(old)]).toEqual([200, undefined]);
    const stored = await writeStatus(await establish(definition('atomic.outrigger.dev')), record(10_000));
    expect(stored.status, stored.body.message).toBe(200);
    expect(owners(stored)).toMatch(/"f:inFlight":\{\}/);
  });

  it('does not contain the owner of each cluster after an upgrade from keyed lists', async () => {
    const shipped = definition('upgraded.outrigger.dev');
    const path = await establish(keyed(shipped));
    expect(owners(await writeStatus(path, record(2)))).toMatch(/k:\{.*cluster-000000000001.*f:cluster-moved/);
    const { body } = await subject.admin.get(`${CRDS}/${shipped.metadata.name}`);
    const { resourceVersion } = body.metadata;
    const replaced = await subject.admin.put(`${CRDS}/${shipped.metadata.name}`, {
      ...shipped,
      metadata: { ...shipped.metadata, resourceVersion },
    });
    expect(replaced.status, replaced.body.message).toBe(200);
    let revision = 1;
    await eventually(async () => {
      revision++;
      const answer = await writeStatus(path, record(2, revision));
      expect(answer.status).toBe(200);
      expect(answer.body.status).toEqual(record(2, revision));
      expect(owners(answer)).toMatch(/"f:inFlight":\{\}/);
      expect(owners(answer)).not.toContain('cluster-');
    });
  });
});
