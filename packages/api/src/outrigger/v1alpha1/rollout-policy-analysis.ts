import { enumeration, integer, object, optional, required, string, withDefault } from '../../schema/builders.js';
import { NAMESPACE_PATTERN } from '../../schema/common.js';
import type { FieldDefinition, TypeDefinition } from '../../schema/types.js';
import { duration } from './rollout-policy-parts.js';

/** Returns the type of a decimal number. The type is a string, because clients encode fractions differently. */
const decimal = (pattern: string): TypeDefinition => string({ maxLength: 32, pattern });

const compare: TypeDefinition = object('AnalysisComparison', 'Compares moved clusters with those still on the old revision.', {
  worse: required('The direction that is worse.', enumeration('Higher', 'Lower')),
  tolerance: required("The shift, in the metric's unit, that counts as equal, such as `0.01`.", decimal('^[0-9]+([.][0-9]+)?$')),
  confidence: optional('1 minus the rate of false alarms of a whole rollout.', withDefault(decimal('^0[.][0-9]+$'), '0.95')),
  minSamples: optional('The minimum number of clusters for a decision.', withDefault(integer({ minimum: 1, maximum: 10_000 }), 3)),
});

/** Returns the schema of an analysis: measurements of a metric that a group must pass. */
export function analysis(name: FieldDefinition): TypeDefinition {
  return object(
    'PolicyAnalysis',
    'A measurement that a group of clusters must pass before it counts as complete.',
    {
      name,
      provider: required(
        'Name of the metrics provider, as a flag of the manager defines it.',
        string({ minLength: 1, maxLength: 63, pattern: NAMESPACE_PATTERN }),
      ),
      query: required(
        'PromQL. `{{ADDON}}`, `{{REVISION}}` and `{{ENTRY}}` are replaced, escaped for a quoted string.',
        string({ minLength: 1, maxLength: 4096 }),
      ),
      clusterFrom: optional(
        'The label of a series that names the cluster. Without it the query must return one value.',
        string({ minLength: 1, maxLength: 253, pattern: '^[a-zA-Z_][_a-zA-Z0-9]*$' }),
      ),
      interval: required('The time between two measurements, such as `1m`.', duration()),
      count: required('How many measurements a group takes.', integer({ minimum: 1, maximum: 1000 })),
      initialDelay: optional('The time between the last admission of a group and its first measurement.', withDefault(duration(), '5m')),
      failureLimit: optional('How many measurements may fail.', withDefault(integer({ minimum: 0, maximum: 1000 }), 0)),
      inconclusiveLimit: optional(
        'After this many inconclusive measurements the rollout halts.',
        withDefault(integer({ minimum: 1, maximum: 1000 }), 3),
      ),
      success: optional(
        'CEL over `result`, the value measured; for each moved cluster if `clusterFrom` is set.',
        string({ minLength: 1, maxLength: 1024 }),
      ),
      compare: optional('Judges whether the metric got worse on moved clusters. Needs `clusterFrom`.', compare),
      mode: optional('`Observe` records results and holds nothing.', withDefault(enumeration('Enforce', 'Observe'), 'Enforce')),
    },
    [
      { rule: 'has(self.success) || has(self.compare)', message: 'set `success`, `compare`, or both' },
      { rule: '!has(self.compare) || has(self.clusterFrom)', message: '`compare` needs `clusterFrom`', fieldPath: '.clusterFrom' },
    ],
  );
}
