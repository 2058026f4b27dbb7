import { describe, expect, it } from 'vitest';
import { judgeCertificates } from './certificates.js';
import type { Stored } from './log.js';

const approved = { conditions: [{ type: 'Approved', status: 'True' }] };
const request = (username: string, annotations: Readonly<Record<string, string>> = {}): Stored => ({
  metadata: {
    name: 'csr',
    labels: { 'open-cluster-management.io/cluster-name': 'c1', 'open-cluster-management.io/addon-name': 'beta' },
    annotations,
  },
  spec: { username, groups: [username.replace(/:agent$/, '')] },
  status: approved,
});
const addOn = (rotated: string): Stored => ({
  metadata: { namespace: 'c1', name: 'beta' },
  status: {
    conditions: [
      { type: 'RegistrationApplied', status: 'True', reason: 'SetPermissionApplied' },
      { type: 'ClusterCertificateRotated', status: rotated, reason: 'Any' },
    ],
  },
});
const hub = (rotated: string): { readonly initial: ReadonlyMap<string, ReadonlyMap<string, Stored>> } => ({
  initial: new Map([
    ['managedclusters', new Map([['c1', { metadata: { name: 'c1' } }]])],
    ['managedclusteraddons', new Map([['c1/beta', addOn(rotated)]])],
  ]),
});
const count = (...requests: readonly Stored[]): number => judgeCertificates(hub('True'), requests).length;

describe('certificate requests at the end', () => {
  it('may be approved for the agent of their own cluster only', () => {
    expect(count(request('system:open-cluster-management:c1:agent'))).toBe(0);
    expect(count(request('system:open-cluster-management:c10:agent'))).toBe(1);
    expect(count({ ...request('system:open-cluster-management:c10:agent'), status: {} })).toBe(0);
  });

  it('may be approved for the join token of their cluster if they are for no add-on', () => {
    const join = (account: string, labels: Readonly<Record<string, string>>): Stored => {
      const asked = request(`system:serviceaccount:outrigger-join:${account}`);
      return { ...asked, metadata: { ...asked.metadata, labels } };
    };
    expect(count(join('c1', { 'open-cluster-management.io/cluster-name': 'c1' }))).toBe(0);
    expect(count(join('c2', { 'open-cluster-management.io/cluster-name': 'c1' }))).toBe(1);
    expect(count(request('system:serviceaccount:outrigger-join:c1'))).toBe(1);
  });

  it('may not be approved if they are marked as wrong', () => {
    expect(count(request('system:open-cluster-management:c1:agent', { 'sim.outrigger.dev/wrong': 'usages' }))).toBe(1);
  });

  it('have led to a certificate for every add-on with rights', () => {
    const denied = (username: string): Stored => ({ ...request(username, { 'sim.outrigger.dev/wrong': 'subject' }), status: {} });
    expect(judgeCertificates(hub('False'), [denied('system:open-cluster-management:c2:agent')])).toHaveLength(1);
    expect(judgeCertificates(hub('False'), [denied('system:open-cluster-management:c1:agent')])).toEqual([]);
    expect(judgeCertificates(hub('False'), [])).toEqual([{ rule: 'certificates', message: 'c1/beta has no certificate: Any' }]);
    expect(judgeCertificates(hub('False'), [], new Set(['c2']))).toHaveLength(1);
  });

  it('need not lead to a certificate on a cluster that was detached, because no machine joined under its name again', () => {
    expect(judgeCertificates(hub('False'), [], new Set(['c1']))).toEqual([]);
  });
});
