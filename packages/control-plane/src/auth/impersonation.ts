import { ApiError } from '@outrigger/core';
import type { Attributes, Authorizer, Identity } from '../handle/contract.js';
import { forbidden } from '../authz/forbidden.js';
import { ANONYMOUS, AUTHENTICATED, parseServiceAccountUser, serviceAccountGroups, UNAUTHENTICATED } from './identities.js';

const EXTRA_PREFIX = 'impersonate-extra-';

/** Header lines in order of arrival, with names in lower case. A name may occur several times. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/**
 * Returns the identity that a request impersonates, or the caller's own. Each impersonated part (user, groups, uid, extras) needs its own
 * `impersonate` permission.
 */
export async function impersonate(headers: HeaderLines, caller: Identity, authorize: Authorizer): Promise<Identity> {
  const wanted = requested(headers);
  if (!wanted) return caller;
  for (const check of checksFor(wanted, caller)) {
    const { allowed, reason } = await authorize(check);
    if (!allowed) throw forbidden(check, reason);
  }
  const { user, uid, groups, extra } = wanted;
  return {
    user,
    groups: withStandingGroups(user, impliedGroups(user, groups)),
    ...(uid === undefined ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

interface Wanted {
  readonly user: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

function requested(headers: HeaderLines): Wanted | undefined {
  const values = (name: string): string[] => headers.filter(([key]) => key === name).map(([, value]) => value);
  const user = values('impersonate-user')[0] ?? '';
  const uid = values('impersonate-uid')[0];
  const groups = values('impersonate-group');
  const extra = new Map<string, string[]>();
  for (const [name, value] of headers) {
    if (!name.startsWith(EXTRA_PREFIX)) continue;
    const key = decodeKey(name.slice(EXTRA_PREFIX.length));
    extra.set(key, [...(extra.get(key) ?? []), value]);
  }
  if (user !== '') return { user, uid, groups, extra };
  if (groups.length > 0 || uid !== undefined || extra.size > 0) {
    throw new ApiError('BadRequest', 'requested groups, uid or extra values without impersonating a user: set the Impersonate-User header');
  }
  return undefined;
}

function checksFor(wanted: Wanted, identity: Identity): Attributes[] {
  const base = { identity, verb: 'impersonate', group: '', version: 'v1', subresource: '', namespace: '' };
  const authentication = { ...base, group: 'authentication.k8s.io' };
  const account = parseServiceAccountUser(wanted.user);
  return [
    account ? { ...base, resource: 'serviceaccounts', ...account } : { ...base, resource: 'users', name: wanted.user },
    ...wanted.groups.map((name) => ({ ...base, resource: 'groups', name })),
    ...[...wanted.extra].flatMap(([key, values]) =>
      values.map((name) => ({ ...authentication, resource: 'userextras', subresource: key, name })),
    ),
    ...(wanted.uid === undefined ? [] : [{ ...authentication, resource: 'uids', name: wanted.uid }]),
  ];
}

/** Returns the groups of an impersonated user. If the request lists no groups, the groups of a ServiceAccount follow from its name. */
function impliedGroups(user: string, groups: readonly string[]): readonly string[] {
  const account = parseServiceAccountUser(user);
  return groups.length === 0 && account ? serviceAccountGroups(account.namespace) : groups;
}

function withStandingGroups(user: string, groups: readonly string[]): readonly string[] {
  if (user === ANONYMOUS.user) return groups.includes(UNAUTHENTICATED) ? groups : [...groups, UNAUTHENTICATED];
  return groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
}

function decodeKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded; // The key of the extra is not percent-encoded, so it is used and authorized unchanged.
  }
}
