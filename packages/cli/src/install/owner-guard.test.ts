import { ADDON_GROUP, CLUSTER_GROUP, OUTRIGGER_GROUP, type PolicyRule, WORK_GROUP } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { expect, it } from 'vitest';
import { REGISTRATION_RULES, WORK_RULES, acceptedRules } from '../../../hub/src/controllers/clusters/rules.js';
import { ownerGuard } from './owner-guard.js';
import { ROLES_FOR_PEOPLE, rulesOf } from './people.js';
import { MANAGER_RULES } from './rights.js';

const GROUPS = [ADDON_GROUP, CLUSTER_GROUP, OUTRIGGER_GROUP, WORK_GROUP];
/** The exempt kind. The manager updates RolloutApprovals only to make the AddOnRollout their owner. */
const EXCEPTION = `rolloutapprovals.${OUTRIGGER_GROUP}`;

/** Returns the kinds of our groups, as `plural.group`, that the rules let an account update, but not delete. */
function undeletable(rules: readonly PolicyRule[]): readonly string[] {
  const withVerb = (...wanted: readonly string[]): readonly string[] =>
    rules
      .filter(({ verbs }) => wanted.some((verb) => verbs.includes(verb)))
      .flatMap(({ apiGroups = [], resources = [] }) => apiGroups.flatMap((group) => resources.map((one) => `${one}.${group}`)))
      .filter((name) => !name.includes('/') && GROUPS.some((group) => name.endsWith(`.${group}`)));
  const deletable = withVerb('delete');
  return withVerb('update', 'patch').filter((name) => !deletable.includes(name));
}

it('AT-56 every kind that a role of ours may update, but not delete, has its owners guarded', () => {
  const roles = [MANAGER_RULES, [...acceptedRules('c1'), ...REGISTRATION_RULES], WORK_RULES, ...ROLES_FOR_PEOPLE.map(rulesOf)];
  const [policy] = ownerGuard() as readonly (KubeObject & {
    readonly spec: { readonly matchConstraints: { readonly resourceRules: readonly { apiGroups: string[]; resources: string[] }[] } };
  })[];
  const guarded = policy?.spec.matchConstraints.resourceRules.flatMap(({ apiGroups, resources }) =>
    resources.map((one) => `${one}.${apiGroups.join()}`),
  );
  expect([...new Set(roles.flatMap(undeletable))].sort()).toEqual([...(guarded ?? []), EXCEPTION].sort());
});
