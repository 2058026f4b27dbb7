import { ApiError, type KubeObject, type ObjectKey } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { expect, it } from 'vitest';
import { requireOneManager } from './one-manager.js';

const account = { kind: 'ServiceAccount', name: 'outrigger-hub', namespace: 'ops' };

/** Returns a hub with a binding of these subjects, and with the manager's Deployment in these namespaces. */
function hub(subjects: readonly object[] | undefined, managers: readonly string[]): Client {
  return {
    get: async ({ kind }: { readonly kind: string }, { name, namespace = '' }: ObjectKey): Promise<KubeObject> => {
      const exists = name === 'outrigger-hub' && (kind === 'Deployment' ? managers.includes(namespace) : subjects !== undefined);
      if (!exists) throw new ApiError('NotFound', 'no such object');
      return { apiVersion: 'v1', kind, metadata: { name }, subjects } as unknown as KubeObject;
    },
  } as unknown as Client;
}

it.each([
  { name: 'a hub without a manager', subjects: undefined, managers: [] },
  { name: 'the namespace of the manager', subjects: [{ ...account, namespace: 'here' }], managers: ['here'] },
  { name: 'permissions that an interrupted uninstallation left', subjects: [account], managers: [] },
  { name: 'an account of another program', subjects: [{ ...account, name: 'other' }], managers: ['ops'] },
  { name: 'a binding without subjects', subjects: [], managers: ['ops'] },
])('accepts $name', async ({ subjects, managers }) => {
  await expect(requireOneManager(hub(subjects, managers), 'here')).resolves.toBeUndefined();
});

it('names the namespace of a manager that is elsewhere', async () => {
  await expect(requireOneManager(hub([account], ['ops']), 'here')).rejects.toThrow(
    'the manager of this hub is in the namespace ops, not in here: add --namespace ops',
  );
});
