import { atomicList, enumeration, integer, intOrString, object, optional, required, string, withDefault } from '../../schema/builders.js';
import { conditions, labelSelector, QUALIFIED_NAME_PATTERN, selectorRequirements } from '../../schema/common.js';
import { AGE, type KindVersion } from '../../schema/kind.js';
import type { FieldDefinition } from '../../schema/types.js';

const claimSelector = object('ClaimSelector', 'Conditions on the claims of a cluster.', {
  matchExpressions: optional('The conditions; the key is the name of the claim.', selectorRequirements),
});

const selectors: Readonly<Record<string, FieldDefinition>> = {
  labelSelector: optional('Labels of the ManagedCluster.', labelSelector),
  claimSelector: optional('Claims of the cluster.', claimSelector),
};

const clusterSelector = object('PlacementClusterSelector', 'The clusters that match all parts.', {
  ...selectors,
  celSelector: optional(
    'Expressions about the cluster.',
    object('CelSelector', 'Expressions about the cluster.', {
      celExpressions: optional('All must be true; `managedCluster` is the cluster.', atomicList(string())),
    }),
  ),
});

const predicate = object('PlacementPredicate', 'One way to be chosen.', {
  requiredClusterSelector: optional('The conditions that the cluster must meet.', clusterSelector),
});

const scoreCoordinate = object(
  'ScoreCoordinate',
  'The source of a score.',
  {
    type: required('`BuiltIn` computes it, `AddOn` reads an AddOnPlacementScore.', withDefault(enumeration('BuiltIn', 'AddOn'), 'BuiltIn')),
    builtIn: optional('`Balance`, `Steady`, `ResourceAllocatableCPU` or `ResourceAllocatableMemory`.', string()),
    addOn: optional(
      'Score of an add-on.',
      object('AddOnScore', 'Score of an add-on.', {
        resourceName: required("Name of the AddOnPlacementScore in the cluster's namespace.", string()),
        scoreName: required('Name of the score in it.', string()),
      }),
    ),
  },
  [
    {
      rule: "self.type != 'AddOn' || has(self.addOn)",
      message: 'addOn is required with type AddOn',
      reason: 'FieldValueRequired',
      fieldPath: '.addOn',
    },
  ],
);

const prioritizer = object('PrioritizerConfig', 'A score and its weight.', {
  scoreCoordinate: required('The score.', scoreCoordinate),
  weight: optional('The weight of the score; 0 disables it.', withDefault(integer({ format: 'int32', minimum: -10, maximum: 10 }), 1)),
});

const prioritizerPolicy = object('PrioritizerPolicy', 'Which clusters are preferred.', {
  mode: optional(
    '`Additive` adds to the defaults, `Exact` uses only what is listed.',
    withDefault(enumeration('Exact', 'Additive', ''), 'Additive'),
  ),
  configurations: optional('The scores.', atomicList(prioritizer, { maxItems: 64 })),
});

const spreadConstraint = object('SpreadConstraint', 'How evenly clusters are spread over a topology.', {
  topologyKey: required(
    'The label or claim that contains the topology.',
    string({
      maxLength: 316,
      pattern: QUALIFIED_NAME_PATTERN,
    }),
  ),
  topologyKeyType: required('Whether the key is a label or a claim.', enumeration('Label', 'Claim')),
  maxSkew: optional('The largest difference between two topologies.', withDefault(integer({ format: 'int32', minimum: 1 }), 1)),
  whenUnsatisfiable: optional(
    'What to do if the constraint cannot be satisfied.',
    withDefault(enumeration('DoNotSchedule', 'ScheduleAnyway'), 'ScheduleAnyway'),
  ),
});

const toleration = object('ClusterToleration', 'A cluster taint that the Placement tolerates.', {
  key: optional(
    'Key of the taint. Empty with `Exists` means every taint.',
    string({
      maxLength: 316,
      pattern: '^(([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]))?$',
    }),
  ),
  operator: optional('`Equal` compares the value, `Exists` only the key.', withDefault(enumeration('Equal', 'Exists'), 'Equal')),
  value: optional('Value of the taint, with `Equal`.', string({ maxLength: 1024 })),
  effect: optional('Effect of the taint. If absent, every effect.', enumeration('NoSelect', 'PreferNoSelect', 'NoSelectIfNew')),
  tolerationSeconds: optional('How long the taint is tolerated. If absent, without a limit.', integer()),
});

const decisionGroup = object('DecisionGroupConfig', 'A group of the selected clusters.', {
  groupName: required('Name of the group.', string({ pattern: '^[a-zA-Z0-9][-A-Za-z0-9_.]{0,61}[a-zA-Z0-9]$' })),
  groupClusterSelector: required(
    'The clusters of the group.',
    object('GroupClusterSelector', 'The clusters that match all parts.', selectors),
  ),
});

const decisionStrategy = object('DecisionStrategy', 'How the selected clusters are grouped.', {
  groupStrategy: optional(
    'How the selected clusters are grouped.',
    object('GroupStrategy', 'Groups of the selected clusters.', {
      decisionGroups: optional(
        'Groups in order. A cluster belongs to the first group that matches it.',
        atomicList(decisionGroup, { maxItems: 64 }),
      ),
      clustersPerDecisionGroup: optional(
        'Maximum size of a group, as a number or a percentage of all clusters.',
        withDefault(intOrString({ pattern: '^((100|[1-9][0-9]?)%|[1-9][0-9]*)$' }), '100%'),
      ),
    }),
  ),
});

const spec = object('PlacementSpec', 'Which clusters are selected.', {
  clusterSets: optional(
    "Cluster sets to select from. If absent, every set that is bound to the Placement's namespace.",
    atomicList(string()),
  ),
  numberOfClusters: optional('How many clusters to select. If absent, all that match.', integer({ format: 'int32' })),
  predicates: optional(
    'Predicates, of which a cluster must match at least one. If absent, every cluster matches.',
    atomicList(predicate, { maxItems: 64 }),
  ),
  prioritizerPolicy: optional('Which clusters are preferred.', prioritizerPolicy),
  spreadPolicy: optional(
    'How evenly clusters are spread. It is stored but has no effect.',
    object('SpreadPolicy', 'How evenly clusters are spread.', {
      spreadConstraints: optional('The constraints.', atomicList(spreadConstraint, { maxItems: 8 })),
    }),
  ),
  tolerations: optional('Cluster taints that the Placement tolerates.', atomicList(toleration)),
  decisionStrategy: optional('How the selected clusters are grouped.', decisionStrategy),
  sortBy: optional(
    'The order in which decisions are listed. It is stored but has no effect.',
    withDefault(enumeration('ClusterName', 'Score'), 'ClusterName'),
  ),
  scoreRateLimit: optional(
    'How often a change of scores alone may change the decisions. It is stored but has no effect.',
    withDefault(string(), '1m'),
  ),
});

const decisionGroupStatus = object('DecisionGroupStatus', 'One group of the selected clusters.', {
  decisionGroupIndex: required('Index of the group, from 0.', integer({ format: 'int32' })),
  decisionGroupName: optional('Name of the group; empty for clusters that no named group matches.', string()),
  decisions: optional('Names of the PlacementDecisions of the group.', atomicList(string())),
  clusterCount: required('How many clusters are in the group.', withDefault(integer({ format: 'int32' }), 0)),
});

const status = object('PlacementStatus', 'What was chosen.', {
  numberOfSelectedClusters: optional('How many clusters are selected.', integer({ format: 'int32' })),
  decisionGroups: optional('The groups of the selected clusters.', atomicList(decisionGroupStatus)),
  conditions: optional('`PlacementSatisfied` and `PlacementMisconfigured`.', conditions),
  lastScoreUpdateTime: optional('When a change of scores last changed the decisions.', string({ format: 'date-time' })),
});

export const placement: KindVersion = {
  version: 'v1beta1',
  typeName: 'Placement',
  description: 'Selects clusters by labels, claims, taints and scores. PlacementDecisions list the selected clusters.',
  spec: required('The desired state.', spec),
  status: optional('The observed selection. Written by the placement controller.', status),
  columns: [
    { name: 'SUCCEEDED', type: 'string', jsonPath: '.status.conditions[?(@.type=="PlacementSatisfied")].status' },
    { name: 'REASON', type: 'string', jsonPath: '.status.conditions[?(@.type=="PlacementSatisfied")].reason' },
    { name: 'SELECTEDCLUSTERS', type: 'integer', jsonPath: '.status.numberOfSelectedClusters' },
    AGE,
  ],
};
