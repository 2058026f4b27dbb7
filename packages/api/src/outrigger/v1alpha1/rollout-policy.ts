import {
  atomicList,
  enumeration,
  integer,
  intOrString,
  mapList,
  object,
  optional,
  required,
  string,
  withDefault,
} from '../../schema/builders.js';
import { NAMESPACE_PATTERN, labelSelector, subdomain } from '../../schema/common.js';
import { AGE, type KindVersion } from '../../schema/kind.js';
import type { FieldDefinition, TypeDefinition } from '../../schema/types.js';
import { analysis } from './rollout-policy-analysis.js';
import { window } from './rollout-policy-window.js';
import { duration } from './rollout-policy-parts.js';

/** The name of a window, approval or analysis. A RolloutApproval names a gate as `<policy>/<name>`. */
export const gateName: FieldDefinition = required(
  'Name of the gate, unique within the policy. RolloutApprovals name it as `<policy>/<name>`.',
  string({ minLength: 1, maxLength: 63, pattern: NAMESPACE_PATTERN }),
);

const addOns: TypeDefinition = object(
  'GovernedAddOns',
  'The add-ons that a policy governs: those named, and those whose ClusterManagementAddOn the selector selects.',
  {
    names: optional('Names of ClusterManagementAddOns.', atomicList(subdomain(), { maxItems: 256 })),
    selector: optional('Labels of ClusterManagementAddOns; `{}` selects all of them.', labelSelector),
  },
  [{ rule: 'has(self.names) || has(self.selector)', message: 'name add-ons in `names`, select them by `selector`, or both' }],
);

const policyGroup: TypeDefinition = object(
  'PolicyGroup',
  'A decision group of the Placement, by name or by index; `rest` is the group of clusters that are in no decision group the strategy orders.',
  {
    groupName: optional('Name of the decision group.', string({ minLength: 1, maxLength: 63 })),
    groupIndex: optional('Index of the decision group.', integer({ format: 'int32', minimum: 0 })),
  },
  [{ rule: 'has(self.groupName) != has(self.groupIndex)', message: 'name the group by groupName or by groupIndex, not both' }],
);

const place = enumeration('Rollout', 'Group');
const approval: TypeDefinition = object(
  'PolicyApproval',
  'A gate that RolloutApprovals open, or that opens by itself after a time.',
  {
    name: gateName,
    before: optional('Holds the start of the whole rollout of an entry, or the start of the groups.', place),
    after: optional('Holds the end of the rollout of an entry, or what follows the groups.', place),
    groups: optional('The groups that it is about; all of them if empty.', atomicList(policyGroup, { maxItems: 64 })),
    required: optional('How many people must approve.', withDefault(integer({ minimum: 1, maximum: 16 }), 1)),
    wait: optional('The gate opens by itself this long after the rollout has reached it, such as `2h`.', duration()),
  },
  [
    { rule: 'has(self.before) != has(self.after)', message: 'set `before` or `after`, not both' },
    {
      rule: "!has(self.groups) || size(self.groups) == 0 || (has(self.before) && self.before == 'Group') || (has(self.after) && self.after == 'Group')",
      message: '`groups` belongs to `before: Group` or `after: Group`',
      fieldPath: '.groups',
    },
  ],
);

const onFailure: TypeDefinition = object('FailureAction', 'The reaction to a rollout that fails.', {
  action: optional(
    '`Halt` admits no further cluster. `RollBack` goes back to the latest earlier target that completed, and rejects the content; without one it halts.',
    withDefault(enumeration('Halt', 'RollBack'), 'Halt'),
  ),
  maxConcurrency: optional(
    'How many clusters, or what percentage of them, move back at the same time. Defaults to that of the entry.',
    intOrString({ pattern: '^((100|[1-9][0-9]?)%|[1-9][0-9]*)$', minimum: 1 }),
  ),
});

const notification: TypeDefinition = object('PolicyNotification', 'A signed webhook that is called when a rollout changes.', {
  url: required(
    'Name of the address, as a flag of the manager defines it.',
    string({ minLength: 1, maxLength: 63, pattern: NAMESPACE_PATTERN }),
  ),
  on: optional(
    'The changes that it is called for; all of them if absent.',
    atomicList(enumeration('Waiting', 'Halted', 'RolledBack', 'Completed'), { minItems: 1, maxItems: 4 }),
  ),
});

const spec: TypeDefinition = object(
  'RolloutPolicySpec',
  'When clusters may be admitted to a revision, who must approve, and what is measured.',
  {
    addOns: required('The add-ons that the policy governs.', addOns),
    windows: optional(
      'When clusters may be admitted. Allow windows: one of them must be open. Deny windows: none may be open.',
      mapList(window(gateName), ['name'], { maxItems: 32 }),
    ),
    approvals: optional('Gates that people open.', mapList(approval, ['name'], { maxItems: 16 })),
    analysis: optional(
      'Measurements that a group must pass before the next one starts.',
      mapList(analysis(gateName), ['name'], { maxItems: 16 }),
    ),
    onFailure: optional('The reaction to a rollout that fails. If several policies govern an add-on, one of them decides.', onFailure),
    notify: optional('Webhooks that are called when a rollout changes.', mapList(notification, ['url'], { maxItems: 8 })),
  },
  [
    {
      rule: '!has(self.windows) || !has(self.approvals) || self.approvals.all(gate, !self.windows.exists(other, other.name == gate.name))',
      message: 'a window has the name of an approval: names are unique within the policy',
      fieldPath: '.approvals',
    },
    {
      rule: '!has(self.analysis) || (!has(self.windows) || self.analysis.all(gate, !self.windows.exists(other, other.name == gate.name))) && (!has(self.approvals) || self.analysis.all(gate, !self.approvals.exists(other, other.name == gate.name)))',
      message: 'a window or an approval has the name of an analysis: names are unique within the policy',
      fieldPath: '.analysis',
    },
  ],
);

export const rolloutPolicy: KindVersion = {
  version: 'v1alpha1',
  typeName: 'RolloutPolicy',
  description:
    'Gates for the rollouts of add-ons: windows, approvals and measurements. Gates of all policies that govern an add-on add up; a gate only prevents admissions.',
  spec: required('The gates, and the add-ons that they govern.', spec),
  columns: [
    { name: 'ADD-ONS', type: 'string', jsonPath: '.spec.addOns.names' },
    { name: 'ON FAILURE', type: 'string', jsonPath: '.spec.onFailure.action' },
    AGE,
  ],
};
