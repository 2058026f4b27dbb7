import { describe, expect, it } from 'vitest';
import type { Attributes, Identity } from '../handle/contract.js';
import { type HeaderLines, impersonate } from './impersonation.js';

const caller: Identity = { user: 'ann', groups: ['system:authenticated'] };

/**
 * Returns the impersonated identity or the error message, for a caller who may impersonate exactly `allowed`, in the form
 * `<resource>[/<sub>]:<name>`.
 */
async function act(headers: HeaderLines, ...allowed: string[]): Promise<Identity | string> {
  const authorize = ({ verb, resource, subresource, namespace, name }: Attributes) => {
    const what = `${resource}${subresource === '' ? '' : `/${subresource}`}:${namespace === '' ? '' : `${namespace}/`}${name}`;
    return { allowed: verb === 'impersonate' && allowed.includes(what) };
  };
  try {
    return await impersonate(headers, caller, authorize);
  } catch (error) {
    return (error as Error).message;
  }
}

describe('impersonation', () => {
  it('changes nothing without impersonation headers', async () => expect(await act([])).toBe(caller));

  it('impersonates a user with the permission', async () => {
    expect(await act([['impersonate-user', 'bob']], 'users:bob')).toEqual({ user: 'bob', groups: ['system:authenticated'] });
  });

  it('refuses without the permission, with the message of Kubernetes', async () => {
    expect(await act([['impersonate-user', 'bob']])).toBe(
      'users "bob" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  it('needs a permission for every group, and adds no group to anonymous users', async () => {
    const headers: HeaderLines = [
      ['impersonate-user', 'bob'],
      ['impersonate-group', 'a'],
      ['impersonate-group', 'system:unauthenticated'],
    ];
    expect(await act(headers, 'users:bob', 'groups:a')).toContain('groups "system:unauthenticated" is forbidden');
    expect(await act(headers, 'users:bob', 'groups:a', 'groups:system:unauthenticated')).toEqual({
      user: 'bob',
      groups: ['a', 'system:unauthenticated'],
    });
  });

  it('derives the groups of a service account, and checks the right in its namespace', async () => {
    const headers: HeaderLines = [['impersonate-user', 'system:serviceaccount:x:bot']];
    expect(await act(headers, 'serviceaccounts:x/bot')).toEqual({
      user: 'system:serviceaccount:x:bot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:x', 'system:authenticated'],
    });
  });

  it('impersonates extras and uid, each with its permission', async () => {
    const headers: HeaderLines = [
      ['impersonate-user', 'bob'],
      ['impersonate-uid', 'u1'],
      ['impersonate-extra-example.com%2fscope', 'one'],
    ];
    expect(await act(headers, 'users:bob', 'uids:u1', 'userextras/example.com/scope:one')).toEqual({
      user: 'bob',
      uid: 'u1',
      groups: ['system:authenticated'],
      extra: { 'example.com/scope': ['one'] },
    });
  });

  it('refuses groups without a user', async () => {
    expect(await act([['impersonate-group', 'system:masters']], 'groups:system:masters')).toContain('without impersonating a user');
  });
});
