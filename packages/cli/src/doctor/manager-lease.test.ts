import type { Lease } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { cluster } from '../../../rules/src/why/fixtures.js';
import { managerLease, managerPods } from './manager-lease.js';

const lease = (namespace: string, renewTime?: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'outrigger-hub', namespace },
  ...(renewTime === undefined ? {} : { spec: { holderIdentity: 'pod-1_abc', renewTime } }),
});
const EARLY = '2026-01-01T00:00:00.000000Z';
const LATE = '2026-01-02T00:00:00.000000Z';

describe('the Lease of the manager', () => {
  it.each<[string, readonly Lease[], string | undefined]>([
    ['is in any namespace', [lease('team-a', LATE)], 'team-a'],
    ['is the one that was renewed last', [lease('open-cluster-management-hub', EARLY), lease('team-a', LATE)], 'team-a'],
    ['is not one that no manager has held', [lease('team-a'), lease('team-b', EARLY)], 'team-b'],
    ['is not one in the namespace of a cluster', [lease('team-a', EARLY), lease('c1', LATE)], 'team-a'],
    ['may be missing', [lease('c1', LATE)], undefined],
  ])('%s', (_, found, namespace) => expect(managerLease(found, [cluster('c1')])?.metadata.namespace).toBe(namespace));

  it('names the namespace in which to look for its pods', () => {
    expect(managerPods(lease('team-a'))).toBe('kubectl get pods -n team-a -l app.kubernetes.io/name=outrigger-hub');
    expect(managerPods(undefined)).toContain('-n open-cluster-management-hub ');
  });
});
