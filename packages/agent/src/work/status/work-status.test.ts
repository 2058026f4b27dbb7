import type { ManifestWorkStatus } from '@outrigger/api';
import { type Condition, findCondition, mergePatch } from '@outrigger/core';
import { nowAt } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { type Given, condition, given, leftover, manifestState, object, owned, settledManifest, settledStatus } from '../fixtures.js';
import { type Verdict, verdictOf } from '../verdict.js';
import type { ManifestState } from '../state.js';
import { withinLimit } from './status-limit.js';
import { deletingPatch, appliedWorkRefusedPatch, statusPatch } from './work-status.js';

const NOW = nowAt(Date.parse('2026-06-01T00:00:00Z'));
const SETTLED: Verdict = { type: 'settled' };

/** Returns the status after the patch, with the given verdicts or those of `judge`. */
function statusAfter(over: Given, verdicts?: readonly Verdict[]): ManifestWorkStatus {
  const state = given(over);
  const patch = statusPatch(state, verdicts ?? state.manifests.map((manifest) => verdictOf(manifest, state, NOW)), NOW);
  return mergePatch(state.work.status, patch ?? {});
}

const conditionText = ({ type, status, reason, message }: Condition): string => `${type} ${status} ${reason}: ${message}`;

describe('a work', () => {
  const failed: Verdict = { type: 'failed', reason: 'AppliedManifestFailed', message: 'no' };
  const here = (name: string, ordinal = 0): ManifestState => ({ ...settledManifest(name, ordinal), before: undefined });
  const gone = (name: string, ordinal = 0): ManifestState => ({ ...here(name, ordinal), live: { state: 'absent' } });
  const unclear = (name: string, ordinal = 0): ManifestState => ({
    ...here(name, ordinal),
    live: { state: 'unreadable', error: 'broken' },
  });
  const cases: readonly { name: string; manifests: readonly ManifestState[]; verdicts: readonly Verdict[]; want: readonly string[] }[] = [
    {
      name: 'all objects exist',
      manifests: [here('a'), here('b', 1)],
      verdicts: [SETTLED, SETTLED],
      want: [
        'Applied True AppliedManifestWorkComplete: Apply manifest work complete',
        'Available True ResourcesAvailable: All resources are available',
      ],
    },
    {
      name: 'one failed and is absent',
      manifests: [here('a'), gone('b', 1)],
      verdicts: [SETTLED, failed],
      want: [
        'Applied False AppliedManifestWorkFailed: Failed to apply manifest work: ConfigMap ns/b',
        'Available False ResourcesNotAvailable: 1 of 2 resources are not available',
      ],
    },
    {
      name: 'one cannot be read',
      manifests: [here('a'), unclear('b', 1)],
      verdicts: [SETTLED, SETTLED],
      want: [
        'Applied True AppliedManifestWorkComplete: Apply manifest work complete',
        'Available Unknown ResourcesStatusUnknown: 1 of 2 resources have unknown status',
      ],
    },
    {
      name: 'nothing is asked for',
      manifests: [],
      verdicts: [],
      want: [
        'Applied True AppliedManifestWorkComplete: Apply manifest work complete',
        'Available Unknown ResourcesStatusUnknown: cannot get any available resource ',
      ],
    },
    { name: 'one was not tried yet', manifests: [here('a'), gone('b', 1)], verdicts: [SETTLED, { type: 'waiting' }], want: [] },
  ];
  it.each(cases)('$name', ({ manifests, verdicts, want }) =>
    expect((statusAfter({ manifests }, verdicts).conditions ?? []).map(conditionText)).toEqual(want),
  );

  it('is not applied while a condition of a manifest is about an earlier generation', () => {
    const manifests = [settledManifest('a'), settledManifest('b', 1)];
    const after = statusAfter({ manifests, status: settledStatus(manifests), work: { generation: 2 } }, [SETTLED, { type: 'waiting' }]);
    expect(findCondition(after.conditions, 'Applied')?.observedGeneration).toBe(1);
  });

  it('changes nothing if nothing changed', () => {
    const manifests = [settledManifest('a'), settledManifest('b', 1)];
    const state = given({ manifests, status: settledStatus(manifests) });
    expect(statusPatch(state, [SETTLED, SETTLED], NOW)).toBeUndefined();
  });

  it('reports once that it is being deleted', () => {
    const state = given({ work: { isDeleting: true } });
    const patch = deletingPatch(state, NOW);
    const status = mergePatch<ManifestWorkStatus>(state.work.status, patch);
    expect((status.conditions ?? []).map(conditionText)).toEqual(['Deleting True WorkDeleting: ManifestWork is being deleted']);
    expect(deletingPatch({ ...state, work: { ...state.work, status } }, NOW)).toBeUndefined();
  });

  it('reports objects that cannot be removed, until all are removed', () => {
    const problem = { ...given({}), releaseProblems: ['configmaps. ns/old: forbidden'] };
    const leftovers = [leftover('old', owned(object('old')))];
    const { status } = given({ status: mergePatch<ManifestWorkStatus>({}, statusPatch({ ...problem, leftovers }, [], NOW)) }).work;
    expect((status.conditions ?? []).map(conditionText)).toContain(
      'ResourcesReleased False ReleaseFailed: Failed to remove what the work no longer asks for: configmaps. ns/old: forbidden',
    );
    const restarted = given({ status, leftovers });
    expect(statusPatch(restarted, [], NOW)).toBeUndefined();
    const after = mergePatch<ManifestWorkStatus>(status, statusPatch(given({ status }), [], NOW));
    expect((after.conditions ?? []).map(({ type }) => type)).toEqual(['Applied', 'Available']);
    const deleting = { ...problem, work: { ...problem.work, isDeleting: true } };
    expect(JSON.stringify(deletingPatch(deleting, NOW))).toContain('forbidden');
  });

  it('reports why it cannot be applied, and nothing else, if its applied work is refused', () => {
    const refused = { ...given({}), appliedWorkRefusal: 'no rights' };
    const message = 'Failed to apply manifest work: the record of what it applies cannot be kept: no rights';
    for (const patch of [appliedWorkRefusedPatch(refused.work, 'no rights', NOW), statusPatch(refused, [], NOW)]) {
      const status = mergePatch<ManifestWorkStatus>({}, patch);
      expect((status.conditions ?? []).map(conditionText)).toContain(`Applied False AppliedManifestWorkFailed: ${message}`);
    }
  });
});

describe('a manifest', () => {
  const conditionsOf = (manifest: ManifestState, verdict: Verdict, generation = 1): readonly Condition[] =>
    statusAfter({ manifests: [manifest], work: { generation } }, [verdict]).resourceStatus?.manifests?.[0]?.conditions ?? [];

  it('Applied is written again for a new generation: last in the list, with a fresh time', () => {
    const conditions = conditionsOf(settledManifest('a'), SETTLED, 2);
    expect(conditions.map(({ type }) => type)).toEqual(['Available', 'StatusFeedbackSynced', 'Applied']);
    expect(findCondition(conditions, 'Applied')?.lastTransitionTime).toBe(NOW.time);
    expect(findCondition(conditions, 'Available')?.lastTransitionTime).toBe('2026-01-01T00:00:00Z');
  });

  it('the reported status stays while the object is not read', () => {
    const manifest = settledManifest('a');
    const before = {
      ...manifest.before,
      statusFeedback: { values: [{ name: 'v', fieldValue: { type: 'Integer', integer: 1 } }] },
    } as never;
    const state = given({ manifests: [{ ...manifest, live: { state: 'unknown' }, before }], status: settledStatus([manifest]) });
    const after = mergePatch<ManifestWorkStatus>(state.work.status, statusPatch(state, [{ type: 'waiting' }], NOW) ?? {});
    expect(after.resourceStatus?.manifests?.[0]).toEqual(before);
  });

  it('an object that no longer exists has no values, but keeps the conditions of rules', () => {
    const manifest = settledManifest('a');
    const complete = condition('Complete', 'True', 'ConditionRuleEvaluated', 'Job is finished');
    const before = {
      ...manifest.before,
      conditions: [...(manifest.before?.conditions ?? []), complete],
      statusFeedback: { values: [] },
    } as never;
    const after = statusAfter({ manifests: [{ ...manifest, live: { state: 'absent' }, before }] }, [SETTLED]).resourceStatus
      ?.manifests?.[0];
    expect(after?.statusFeedback).toBeUndefined();
    expect(findCondition(after?.conditions, 'Complete')?.status).toBe('True');
  });

  it('feedback is written only when its values change', () => {
    const feedbackRules = [{ type: 'JSONPaths', jsonPaths: [{ name: 'a', path: '.data.a' }] }] as const;
    const base = settledManifest('a');
    const manifest: ManifestState = { ...base, treatment: { ...base.treatment, feedbackRules } };
    const first = statusAfter({ manifests: [manifest] }, [SETTLED]).resourceStatus?.manifests?.[0];
    expect(findCondition(first?.conditions, 'StatusFeedbackSynced')?.lastTransitionTime).toBe(NOW.time);
    const again: ManifestState = { ...manifest, before: first };
    const later = nowAt(NOW.wall + 60_000);
    const state = given({ manifests: [again], status: { resourceStatus: { manifests: first ? [first] : [] } } });
    const second = mergePatch<ManifestWorkStatus>(state.work.status, statusPatch(state, [SETTLED], later) ?? {}).resourceStatus
      ?.manifests?.[0];
    expect(second).toEqual(first);
  });

  it('a condition is removed with its rule', () => {
    const base = settledManifest('a');
    const old = condition('Ready', 'True', 'ConditionRuleEvaluated', 'x');
    const before = { ...base.before, conditions: [...(base.before?.conditions ?? []), old] } as never;
    expect(findCondition(conditionsOf({ ...base, before }, SETTLED), 'Ready')).toBeUndefined();
  });

  it('an object of a kind that is not served cannot be read', () => {
    const manifest = manifestState('a', { lookup: { state: 'unserved', askAgainAt: 5000 }, ref: undefined, live: { state: 'unknown' } });
    const state = given({ manifests: [manifest] });
    expect(conditionsOf(manifest, verdictOf(manifest, state, NOW)).map(conditionText)).toEqual([
      'Applied False AppliedManifestFailed: Failed to apply manifest: the server doesn\'t have a resource type "ConfigMap"',
      'Available Unknown IncompleteResourceMeta: Resource meta is incomplete',
    ]);
  });

  it('a very long message is cut, so that the server takes the status', () => {
    const verdict: Verdict = { type: 'failed', reason: 'AppliedManifestFailed', message: 'x'.repeat(100_000) };
    expect(findCondition(conditionsOf(settledManifest('a'), verdict), 'Applied')?.message.length).toBe(4096);
  });
});

describe('conditions of rules over all manifests', () => {
  const ruled = (name: string, ordinal: number, expression: string, type = 'Ready'): ManifestState => {
    const base = settledManifest(name, ordinal);
    const rule = { condition: type, type: 'CEL', celExpressions: [expression], message: name } as const;
    return { ...base, treatment: { ...base.treatment, conditionRules: [rule] } };
  };
  const aggregate = (type: string, ...manifests: ManifestState[]): string => {
    const found = findCondition(
      statusAfter(
        { manifests },
        manifests.map(() => SETTLED),
      ).conditions,
      type,
    );
    return found ? conditionText(found) : 'none';
  };
  it.each([
    {
      name: 'one manifest: the message of the work is the message of the manifest',
      got: aggregate('Ready', ruled('a', 0, 'true')),
      want: 'Ready True ConditionRulesAggregated: a',
    },
    {
      name: 'one False is enough',
      got: aggregate('Ready', ruled('a', 0, 'true'), ruled('b', 1, 'false')),
      want: 'Ready False ConditionRulesAggregated: Aggregated from 2 manifest conditions',
    },
    {
      name: 'one that moves is enough',
      got: aggregate('Progressing', ruled('a', 0, 'true', 'Progressing'), ruled('b', 1, 'false', 'Progressing')),
      want: 'Progressing True ConditionRulesAggregated: Aggregated from 2 manifest conditions',
    },
    {
      name: 'those without the rule do not count',
      got: aggregate('Ready', ruled('a', 0, 'true'), settledManifest('b', 1)),
      want: 'Ready True ConditionRulesAggregated: a',
    },
  ])('$name', ({ got, want }) => expect(got).toBe(want));

  it('is removed when no manifest has one', () => {
    const manifests = [settledManifest('a')];
    const status = settledStatus(manifests);
    const conditions = [...(status.conditions ?? []), condition('Ready', 'True', 'ConditionRulesAggregated', 'x')];
    expect(findCondition(statusAfter({ manifests, status: { ...status, conditions } }, [SETTLED]).conditions, 'Ready')).toBeUndefined();
  });
});

describe('a status that would be too large', () => {
  const at = { generation: 1, now: NOW.time };
  const entry = {
    ...settledManifest('a').before,
    statusFeedback: { values: [{ name: 'v', fieldValue: { type: 'String', string: 'x'.repeat(900) } }] },
  } as never;
  it('is written without its values, reports that once, and then settles', () => {
    const [first] = withinLimit([entry], [undefined], at, 500);
    expect(first?.statusFeedback).toBeUndefined();
    expect(findCondition(first?.conditions, 'StatusFeedbackSynced')?.message).toContain('too large');
    const later = { ...at, now: '2027-01-01T00:00:00Z' };
    expect(withinLimit([entry], [first], later, 500)).toEqual([first]);
  });
  it('is left as it is below the limit', () => expect(withinLimit([entry], [undefined], at)).toEqual([entry]));
});

it('values of a live object reach the status', () => {
  const base = manifestState('a');
  const feedbackRules = [{ type: 'JSONPaths', jsonPaths: [{ name: 'a', path: '.data.a' }] }] as const;
  const manifest: ManifestState = { ...base, live: owned(base.manifest.object), treatment: { ...base.treatment, feedbackRules } };
  expect(statusAfter({ manifests: [manifest] }, [SETTLED]).resourceStatus?.manifests?.[0]?.statusFeedback?.values).toEqual([
    { name: 'a', fieldValue: { type: 'String', string: '1' } },
  ]);
});
