import { atomicList, enumeration, integer, intOrString, object, optional, string, withDefault } from '../schema/builders.js';
import type { FieldDefinition, TypeDefinition } from '../schema/types.js';

/** Matches a number of clusters, or a percentage of them. */
const COUNT_OR_PERCENT = '^((100|[0-9]{1,2})%|[0-9]+)$';
const DURATION = '^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$';
const DEADLINE = '^(([0-9]+[hms])+|None)$';

const common: Readonly<Record<string, FieldDefinition>> = {
  minSuccessTime: optional(
    'How long a cluster must stay healthy after its move before it has succeeded and the next one may start.',
    withDefault(string({ pattern: DURATION }), '0'),
  ),
  progressDeadline: optional(
    'How long a cluster may take before it counts as failed, such as `10m`; `None` means no limit.',
    withDefault(string({ pattern: DEADLINE }), 'None'),
  ),
  maxFailures: optional(
    'How many clusters, or what percentage of them, may fail before the rollout halts.',
    withDefault(intOrString({ pattern: COUNT_OR_PERCENT, minimum: 0 }), 0),
  ),
};

const mandatoryDecisionGroup = object('MandatoryDecisionGroup', 'A decision group of the Placement, by name or by index.', {
  groupName: optional('Name of the decision group. If it is set, the index is ignored.', string()),
  groupIndex: optional('Index of the decision group.', integer({ format: 'int32' })),
});

const mandatoryDecisionGroups = optional(
  'Decision groups that must succeed completely, in this order, before any other cluster is admitted.',
  atomicList(mandatoryDecisionGroup),
);

const all = object('RolloutAll', 'Every cluster at once.', common);

const progressive = object('RolloutProgressive', 'A limited number of clusters at a time.', {
  ...common,
  mandatoryDecisionGroups,
  maxConcurrency: optional(
    "How many clusters, or what percentage of them, may be in flight at the same time. Defaults to the Placement's clustersPerDecisionGroup.",
    intOrString({ pattern: COUNT_OR_PERCENT, minimum: 0 }),
  ),
});

const progressivePerGroup = object('RolloutProgressivePerGroup', 'One decision group of the Placement after another.', {
  ...common,
  mandatoryDecisionGroups,
});

/** The rollout strategy of one entry of the install strategy. */
export const rolloutStrategy: TypeDefinition = object(
  'RolloutStrategy',
  'How a change of version, configuration or content is rolled out to the selected clusters.',
  {
    type: optional(
      'All clusters at once, a limited number at a time, or one decision group after another.',
      withDefault(enumeration('All', 'Progressive', 'ProgressivePerGroup'), 'All'),
    ),
    all: optional('Settings of type `All`.', all),
    progressive: optional('Settings of type `Progressive`.', progressive),
    progressivePerGroup: optional('Settings of type `ProgressivePerGroup`.', progressivePerGroup),
  },
);
