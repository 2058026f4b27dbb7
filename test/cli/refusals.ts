import { subjectAccessReviews } from '@outrigger/api';
import { ROLES_FOR_PEOPLE } from '@outrigger/cli';
import type { KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import type { PeopleWorld } from './people.js';
import { type Reader, Readers } from './readers.js';

/** One user for each role. A role for one namespace is bound in that namespace. */
const READERS: Readonly<Record<string, Reader>> = Object.fromEntries(
  ROLES_FOR_PEOPLE.map((role) => {
    const namespace = { 'outrigger:cluster-owner': 'cluster1', 'outrigger:joiner': 'outrigger-join' }[role];
    return [role, [{ role, ...(namespace === undefined ? {} : { namespace }) }]];
  }),
);

/** Commands that make changes, which are refused for a user without any role. */
const CHANGES = [
  'upgrade metrics --to v1',
  'upgrade metrics --to v1 --cluster cluster1',
  'enable metrics --cluster cluster1',
  'disable metrics --cluster cluster1 --force',
  'rollback metrics',
  'rollout pause metrics',
  'rollout resume metrics',
  'rollout confirm metrics',
  'pause --all',
  'config set metrics LEVEL=debug',
  'config set metrics LEVEL=debug --cluster cluster1',
  'accept cluster1',
  'join edge1',
  'detach cluster1 --yes',
];

/** Commands that only read, except those that need no hub. */
const READS = [
  'get addons',
  'get addons metrics',
  'get addons --cluster cluster1',
  'get clusters',
  'get rollouts',
  'get revisions',
  'get templates',
  'get placements',
  'get clustersets',
  'get policies',
  'get works',
  'get works --cluster cluster1',
  'get events',
  'get events --cluster cluster1',
  'why metrics',
  'why metrics --cluster cluster1',
  'tree',
  'tree --cluster cluster1',
  'render metrics --cluster cluster1',
  'diff metrics --to v1 --cluster cluster1',
  'diff metrics --revisions 1..1',
  'rollout status metrics',
  'rollout history metrics',
  'plan metrics --revision 1',
  'config get metrics',
  'config get metrics --cluster cluster1',
  'doctor',
  'version',
];

/** Commands that report what the user may not read, instead of failing. */
const ANSWERS_WITHOUT_RIGHTS = /^(doctor|version|plan)\b/;

const REFUSAL = /User "[^"]*" cannot (\S+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]*)")?/;

/** A user without any role types each command. Every refusal names exactly the roles whose users may send the refused request. */
export async function refusalsNameTheRoles(world: PeopleWorld): Promise<void> {
  const readers = await Readers.create(world);
  try {
    const users = await usersOf(world, readers);
    for (const line of [...CHANGES, ...READS.filter((one) => !ANSWERS_WITHOUT_RIGHTS.test(one))]) {
      const { code, note } = await readers.type([], 'outrigger', line.split(' '));
      expect({ line, code, note }).toMatchObject({ line, code: 1 });
      const named = ROLES_FOR_PEOPLE.filter((role) => new RegExp(`${role}(?![\\w-])`).test(note));
      const [, verb = '', resource = '', group = '', namespace] = REFUSAL.exec(note) ?? [];
      if (verb === '')
        expect({ line, note }).toEqual({ line, note: expect.stringMatching(/your rights .*ask an administrator/s) as string });
      else {
        const granting = await allowedUsers(world.hub, users, { verb, resource, group, namespace });
        expect({ line, note, named: [...named].sort() }).toEqual({ line, note, named: [...granting].sort() });
        if (granting.length === 0) expect(note).toContain('none of the roles');
      }
    }
  } finally {
    await readers.close();
  }
}

/**
 * For each role, a user runs each read-only command. The command either succeeds or names the roles that would allow it.
 */
export async function readsWithinRights(world: PeopleWorld): Promise<void> {
  const readers = await Readers.create(world);
  try {
    await usersOf(world, readers);
    for (const [role, reader] of Object.entries(READERS)) {
      for (const line of READS) {
        const { code, out, note } = await readers.type(reader, 'outrigger', line.split(' '));
        const isExplained = code === 0 || code === 5 || /docs\/guides\/roles\.md|your rights/.test(note);
        expect({ role, line, code, note, isExplained }).toMatchObject({ role, line, isExplained: true });
        expect({ role, line, out }).toEqual({ role, line, out: expect.not.stringContaining('is forbidden') as string });
        if (role === 'outrigger:viewer' && !/works|render|diff|doctor/.test(line))
          expect({ line, code, note }).toMatchObject({ line, code: 0 });
      }
    }
  } finally {
    await readers.close();
  }
}

/** Returns the name of each role's user, after the API server has aggregated all roles. */
async function usersOf({ hub, eventually }: PeopleWorld, readers: Readers): Promise<ReadonlyMap<string, string>> {
  const users = new Map<string, string>();
  for (const [role, reader] of Object.entries(READERS)) users.set(role, await readers.userOf(reader));
  await eventually('all roles are aggregated', async () => {
    const joiner = { verb: 'create', resource: 'serviceaccounts/token', group: '', namespace: 'outrigger-join' };
    const owner = { verb: 'list', resource: 'manifestworks', group: 'work.open-cluster-management.io', namespace: 'cluster1' };
    const others = { verb: 'list', resource: 'managedclusters', group: 'cluster.open-cluster-management.io', namespace: undefined };
    const found = new Set((await Promise.all([joiner, owner, others].map((right) => allowedUsers(hub, users, right)))).flat());
    return found.size === users.size ? true : undefined;
  });
  return users;
}

interface Right {
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
  readonly namespace: string | undefined;
}

async function allowedUsers(hub: Client, users: ReadonlyMap<string, string>, right: Right): Promise<readonly string[]> {
  const [resource = '', subresource = ''] = right.resource.split('/');
  const answers = await Promise.all(
    [...users].map(async ([role, user]) => {
      const review = await hub.create(subjectAccessReviews, {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: {},
        spec: {
          user,
          resourceAttributes: { verb: right.verb, group: right.group, resource, subresource, name: '', namespace: right.namespace ?? '' },
        },
      });
      return (review as KubeObject & { readonly status?: { readonly allowed?: boolean } }).status?.allowed === true ? [role] : [];
    }),
  );
  return answers.flat();
}
