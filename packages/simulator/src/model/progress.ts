import type { LogEntry, ObjectHistory, Violation } from './log.js';
import { KIND, conditionOf, statusOf } from './reading.js';

interface WorkStatus {
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly observedGeneration?: number }[];
  readonly resourceStatus: {
    readonly manifests?: readonly {
      readonly statusFeedback?: {
        readonly values?: readonly { readonly name: string; readonly fieldValue: { readonly integer?: number } }[];
      };
    }[];
  };
}

/** addons.md §4: an add-on is done only when its agent has reported on the current content of the work and its workload has rolled out. */
export function judgeDone(history: ObjectHistory, { kind, id, pass, before, after, index }: LogEntry): readonly Violation[] {
  if (kind !== KIND.addOns || pass?.controller !== 'addon' || conditionOf(after, 'Progressing')?.reason !== 'Succeed') return [];
  if (conditionOf(before, 'Progressing')?.reason === 'Succeed') return [];
  const [cluster = '', addOn = ''] = id.split('/');
  const work = history.get(KIND.works, `${cluster}/addon-${addOn}-deploy-0`, pass.seen[KIND.works]);
  const { conditions = [], resourceStatus } = statusOf<WorkStatus>(work);
  const isApplied = conditions.some(
    ({ type, status, observedGeneration }) => type === 'Applied' && status === 'True' && observedGeneration === work?.metadata.generation,
  );
  const values = resourceStatus?.manifests?.[0]?.statusFeedback?.values ?? [];
  const isRolledOut = values.find(({ name }) => name === 'AvailableReplicas')?.fieldValue.integer === 1;
  if (work && isApplied && isRolledOut) return [];
  return [{ rule: 'done', message: `${id} is reported as done before its agent has reported that`, index }];
}
