import { describe, expect, it } from 'vitest';
import { ownNamespace, type Subject, unique } from './subject.js';

interface KindCase {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced?: boolean;
  readonly spec: object;
  readonly name?: () => string;
  /** The metadata that a write to the status cannot change. */
  readonly kept: readonly ('labels' | 'annotations' | 'finalizers')[];
}

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const workload = { selector: { matchLabels: { a: 'b' } }, template };
const nothing = { apiGroups: ['none.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] };
const METADATA = ['labels', 'annotations', 'finalizers'] as const;

const KINDS: readonly KindCase[] = [
  { group: 'apps/v1', plural: 'deployments', kind: 'Deployment', namespaced: true, spec: workload, kept: ['labels'] },
  { group: 'apps/v1', plural: 'replicasets', kind: 'ReplicaSet', namespaced: true, spec: workload, kept: [] },
  { group: 'v1', plural: 'services', kind: 'Service', namespaced: true, spec: { clusterIP: 'None', ports: [{ port: 1 }] }, kept: [] },
  {
    group: 'admissionregistration.k8s.io/v1',
    plural: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    spec: { validations: [{ expression: 'true' }], matchConstraints: { resourceRules: [nothing] } },
    kept: METADATA,
  },
  {
    group: 'apiregistration.k8s.io/v1',
    plural: 'apiservices',
    kind: 'APIService',
    spec: { group: 'none.example.com', version: 'v9', groupPriorityMinimum: 1, versionPriority: 1, service: { name: 'x', namespace: 'x' } },
    name: () => 'v9.none.example.com',
    kept: METADATA,
  },
  {
    group: 'flowcontrol.apiserver.k8s.io/v1',
    plural: 'flowschemas',
    kind: 'FlowSchema',
    spec: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 9000 },
    kept: METADATA,
  },
  {
    group: 'flowcontrol.apiserver.k8s.io/v1',
    plural: 'prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
    kept: METADATA,
  },
  {
    group: 'storage.k8s.io/v1',
    plural: 'volumeattachments',
    kind: 'VolumeAttachment',
    spec: { attacher: 'x', nodeName: 'n', source: { persistentVolumeName: 'p' } },
    kept: METADATA,
  },
  {
    group: 'resource.k8s.io/v1',
    plural: 'resourceclaims',
    kind: 'ResourceClaim',
    namespaced: true,
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
    kept: METADATA,
  },
];

/**
 * Tests which metadata a write to the subresource `status` changes and owns. The permission to write a status does not include the
 * permission to write the object.
 */
export function statusWrites(subject: Subject): void {
  describe('a write to the status', () => {
    const ns = ownNamespace(subject, 'status');
    const pathOf = ({ group, plural, namespaced }: KindCase): string =>
      `/${group === 'v1' ? 'api' : 'apis'}/${group}${namespaced ? `/namespaces/${ns.name}` : ''}/${plural}`;
    const written = { labels: { written: 'x' }, annotations: { written: 'x' }, finalizers: ['example.com/written'] };

    it.each(KINDS.map((row) => [row.kind, row.kept.join(', ') || 'nothing', row] as const))(
      'of a %s keeps %s of its metadata',
      async (_, __, row) => {
        const name = row.name?.() ?? unique('status');
        const path = `${pathOf(row)}/${name}`;
        const created = await subject.admin.create(pathOf(row), { metadata: { name, labels: { own: 'y' } }, spec: row.spec });

        const patched = await subject.admin.patch('merge', `${path}/status?fieldManager=patcher`, { metadata: written });
        const applied = await subject.admin.patch('apply', `${path}/status?fieldManager=applier&force=true`, {
          apiVersion: row.group,
          kind: row.kind,
          metadata: { name, labels: { applied: 'x' }, annotations: { applied: 'x' } },
        });
        // Delete the object before the expectations are checked, so that no object is left if a check fails.
        await subject.admin.patch('merge', path, { metadata: { finalizers: null } });
        await subject.admin.delete(path);

        expect([patched.status, applied.status]).toEqual([200, 200]);
        const owned = applied.body.metadata.managedFields
          .filter(({ manager }) => manager === 'patcher' || manager === 'applier')
          .flatMap(({ fieldsV1 }) => Object.keys(fieldsV1['f:metadata'] ?? {}));
        for (const field of METADATA) {
          const isWritten = JSON.stringify(applied.body.metadata[field] ?? '').includes('written');
          expect([field, isWritten, owned.includes(`f:${field}`)]).toEqual([field, !row.kept.includes(field), !row.kept.includes(field)]);
        }
        expect(applied.body.metadata.generation).toBe(created.metadata.generation);
      },
    );
    it('of a Pod does not change its owners', async () => {
      const name = unique('status');
      const spec = { serviceAccountName: 'default', automountServiceAccountToken: false, containers: template.spec.containers };
      await subject.admin.create(ns.path('pods'), { metadata: { name }, spec });
      const metadata = { labels: { written: 'x' }, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'x', uid: 'u' }] };
      const { status, body } = await subject.admin.patch('merge', `${ns.path('pods')}/${name}/status`, { metadata });
      expect([status, body.metadata.labels]).toEqual([200, { written: 'x' }]);
      expect(body.metadata).not.toHaveProperty('ownerReferences');
      expect(JSON.stringify(body.metadata.managedFields)).not.toContain('f:ownerReferences');
    });
    it('of a Deployment does not count its annotations as a change of the object', async () => {
      const path = `/apis/apps/v1/namespaces/${ns.name}/deployments`;
      await subject.admin.create(path, { metadata: { name: 'counted' }, spec: workload });
      const annotate = (to: string): Promise<number> =>
        subject.admin.patch('merge', to, { metadata: { annotations: { a: unique('a') } } }).then(({ body }) => body.metadata.generation);
      expect(await annotate(`${path}/counted/status`)).toBe(1);
      expect(await annotate(`${path}/counted`)).toBe(2);
    });
  });
}
