import type { Deployment } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { upstreamIn } from './detect.js';

const deployment = (name: string, replicas?: number): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'open-cluster-management-hub' },
  spec: replicas === undefined ? {} : { replicas },
});

describe('upstream on the hub', () => {
  it('is detected by the Deployments of its operator', () => {
    const names = [
      'cluster-manager-addon-manager-controller',
      'cluster-manager-registration-controller',
      'cluster-manager-placement-controller',
    ];
    expect(upstreamIn(names.map((name) => deployment(name)))).toEqual({
      addOnManager: 'open-cluster-management-hub/cluster-manager-addon-manager-controller',
      registration: 'open-cluster-management-hub/cluster-manager-registration-controller',
      placement: 'open-cluster-management-hub/cluster-manager-placement-controller',
    });
  });
  it('that was scaled to zero is not detected', () =>
    expect(upstreamIn([deployment('cluster-manager-addon-manager-controller', 0)])).toEqual({}));
  it('is not taken for ours', () => expect(upstreamIn([deployment('outrigger-hub')])).toEqual({}));
});
