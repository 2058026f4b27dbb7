import type { Condition } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { reportOf } from './add-on-report.js';

const available = (status: Condition['status'], reason: string): Condition => ({
  type: 'Available',
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('the health in an add-on’s report', () => {
  const table: readonly { name: string; conditions: readonly Condition[]; isUnreported: boolean }[] = [
    { name: 'Available is absent', conditions: [], isUnreported: true },
    { name: 'its works are applied and no workload reports', conditions: [available('Unknown', 'NoProbeResult')], isUnreported: true },
    { name: 'its agent never had a lease', conditions: [available('Unknown', 'ManagedClusterAddOnLeaseNotFound')], isUnreported: true },
    {
      name: 'its agent let its lease run out',
      conditions: [available('False', 'ManagedClusterAddOnLeaseUpdateStopped')],
      isUnreported: false,
    },
    { name: 'its works are not applied', conditions: [available('Unknown', 'WorkNotApplied')], isUnreported: false },
    { name: 'its cluster is silent', conditions: [available('Unknown', 'ManagedClusterLeaseUpdateStopped')], isUnreported: false },
    { name: 'it is down', conditions: [available('False', 'ProbeUnavailable')], isUnreported: false },
    { name: 'it is up', conditions: [available('True', 'ProbeAvailable')], isUnreported: false },
  ];
  it.each(table)('$name', ({ conditions, isUnreported }) => expect(reportOf({ conditions }).isUnreported).toBe(isUnreported));
});
