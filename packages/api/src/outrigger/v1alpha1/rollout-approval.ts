import { enumeration, integer, object, optional, required, string, time } from '../../schema/builders.js';
import { subdomain } from '../../schema/common.js';
import { AGE, type KindVersion } from '../../schema/kind.js';

const GATE_PATTERN = '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/([a-z0-9]([-a-z0-9]*[a-z0-9])?|onFailure)$';

const spec = object(
  'RolloutApprovalSpec',
  'A decision of a user about one gate, for one revision of one entry. It is immutable.',
  {
    addOn: required('Name of the ClusterManagementAddOn.', subdomain()),
    entry: required('Name of the entry, as the AddOnRollout lists it.', string({ minLength: 1, maxLength: 320 })),
    revision: required('The revision that the decision is about. It does not apply to other revisions.', integer({ minimum: 1 })),
    gate: required(
      '`<policy>/<name>` of the window, approval or analysis; `<policy>/onFailure` names an automatic rollback.',
      string({ minLength: 3, maxLength: 320, pattern: GATE_PATTERN }),
    ),
    group: optional(
      'The group that the gate is before or after; absent for gates of the whole rollout.',
      string({ minLength: 1, maxLength: 63 }),
    ),
    decision: required(
      '`Approved` counts for its gate. `Rejected` beats it and rejects the revision. `Overridden` opens a window or analysis until `expires`. `Retried` lifts a rejection.',
      enumeration('Approved', 'Rejected', 'Overridden', 'Retried'),
    ),
    comment: optional('The reason; required for `Overridden`.', string({ maxLength: 1024 })),
    expires: optional('When an override ends: at most 24 hours after the creation.', time()),
    by: required('The user who decides; must be the user who writes the object.', string({ minLength: 1, maxLength: 1024 })),
  },
  [
    { rule: 'self == oldSelf', message: 'a decision cannot be changed; delete it, or write another one' },
    {
      rule: "self.decision != 'Overridden' || (has(self.comment) && self.comment.trim() != '')",
      message: 'an override needs a comment that says why',
      fieldPath: '.comment',
    },
    {
      rule: "has(self.expires) == (self.decision == 'Overridden')",
      message: 'an override, and only an override, has `expires`',
      fieldPath: '.expires',
    },
  ],
);

export const rolloutApproval: KindVersion = {
  version: 'v1alpha1',
  typeName: 'RolloutApproval',
  description: 'A decision of a user about a gate of a RolloutPolicy. Owned by the AddOnRollout of the add-on.',
  spec: required('The decision.', spec),
  columns: [
    { name: 'ADD-ON', type: 'string', jsonPath: '.spec.addOn' },
    { name: 'REVISION', type: 'integer', jsonPath: '.spec.revision' },
    { name: 'GATE', type: 'string', jsonPath: '.spec.gate' },
    { name: 'GROUP', type: 'string', jsonPath: '.spec.group' },
    { name: 'DECISION', type: 'string', jsonPath: '.spec.decision' },
    { name: 'BY', type: 'string', jsonPath: '.spec.by' },
    AGE,
  ],
};
