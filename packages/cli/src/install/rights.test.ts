import { expect, it } from 'vitest';
import { executorChecks } from '../../../api/src/admission/manifest-work.js';
import { hubRights } from './hub.js';
import { AGGREGATED_ROLES, MANAGER_RULES } from './rights.js';

it('a repeated install leaves the rules of aggregated roles to the API server', () => {
  const aggregated = hubRights({}).filter((object) => 'aggregationRule' in object);
  expect(aggregated.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining([...AGGREGATED_ROLES]));
  for (const role of aggregated) expect(role).not.toHaveProperty('rules');
});

it.each([
  {
    name: 'an executor',
    executor: { subject: { type: 'ServiceAccount' as const, serviceAccount: { namespace: 'apps', name: 'deployer' } } },
  },
  { name: 'no executor, where the agent itself counts as one', executor: undefined },
])('the manager may write works with $name where the webhook of another program checks the executor', ({ executor }) => {
  const spec = executor ? { executor } : {};
  const checks = executorChecks({ spec, old: undefined, namespace: 'c1' }, { username: 'manager' }, { checkMissingExecutor: true });
  expect(checks).toHaveLength(1);
  for (const { attributes } of checks) {
    const rule = MANAGER_RULES.find(
      ({ apiGroups, resources, resourceNames, verbs }) =>
        apiGroups?.includes(attributes.group ?? '') &&
        resources?.includes(attributes.resource ?? '') &&
        verbs.includes(attributes.verb) &&
        resourceNames === undefined,
    );
    expect(rule).toBeDefined();
  }
});
