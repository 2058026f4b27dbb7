import { type KubeObject, parseTime } from '@outrigger/core';
import type { Identity } from '../handle/contract.js';
import type { Store } from '../store/contract.js';
import { storageKey } from '../store/key.js';
import { equalInConstantTime, secretText } from './base64.js';
import { withAuthenticated } from './identities.js';

interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Returns the identity for a bootstrap token `<id>.<secret>`, which is stored in the Secret `bootstrap-token-<id>` in kube-system, or
 * undefined if the token is not valid. The token becomes invalid as soon as the Secret is deleted or expires.
 */
export function bootstrapTokenIdentity(store: Store, token: string, nowMs: number): Identity | undefined {
  const [, id, secret] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const key = storageKey({ group: '', plural: 'secrets', namespace: 'kube-system', name: `bootstrap-token-${id}` });
  const stored: Secret | undefined = store.get(key)?.object;
  if (stored?.type !== 'bootstrap.kubernetes.io/token' || stored.metadata.deletionTimestamp !== undefined) return undefined;

  const field = (name: string): string => secretText(stored.data, name);
  if (!equalInConstantTime(field('token-secret'), secret) || field('token-id') !== id) return undefined;
  if (field('usage-bootstrap-authentication') !== 'true' || isExpired(field('expiration'), nowMs)) return undefined;
  const groups = extraGroups(field('auth-extra-groups'));
  return groups && { user: `system:bootstrap:${id}`, groups: withAuthenticated(['system:bootstrappers', ...groups]) };
}

/** Whether a token has expired. An expiry that cannot be parsed counts as passed, so that a typo does not make a token valid forever. */
function isExpired(expiration: string, nowMs: number): boolean {
  if (expiration === '') return false;
  const at = parseTime(expiration);
  return at === undefined || at <= nowMs;
}

/** Returns the groups in a comma-separated list, or undefined if any of them lacks the prefix that is reserved for bootstrap tokens. */
function extraGroups(list: string): string[] | undefined {
  if (list === '') return [];
  const groups = list.split(',');
  return groups.every((group) => /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/.test(group)) ? groups : undefined;
}
