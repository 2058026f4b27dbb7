import type { ManifestWork } from '@outrigger/api';
import { type JsonObject, toTime } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type WorkProjection, projectWork } from './work-projection.js';
import { appliedCondition, probeCondition } from './health.js';
import { isHookDone } from './hook-work.js';
import { worksProgress } from './progress.js';

const GENERATION = 3;
const WRITTEN = '2026-01-01T00:10:00Z';
const NOW = Date.parse('2026-01-01T01:00:00Z');

interface Report {
  readonly applied: { readonly status: string; readonly observedGeneration: number; readonly lastTransitionTime?: string } | undefined;
  readonly available: { readonly status: string; readonly observedGeneration: number } | undefined;
  /** observedGeneration of the manifest's own condition; agents need not report it. */
  readonly manifestGeneration: number | undefined;
  readonly values: Readonly<Record<string, number | string>>;
}

/** A work whose third spec was written at 00:10. Its failing conditions have been False since midnight. */
function projectionOf(
  { applied, available, manifestGeneration, values }: Report,
  kind: 'Deployment' | 'Job' = 'Deployment',
): WorkProjection {
  const condition = (type: string, found: Report['applied']): JsonObject[] =>
    found ? [{ type, reason: 'r', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z', ...found }] : [];
  const group = kind === 'Job' ? 'batch' : 'apps';
  const manifest = {
    resourceMeta: { ordinal: 0, group, kind, resource: kind === 'Job' ? 'jobs' : 'deployments', namespace: 'n', name: 'a' },
    conditions: condition('Applied', {
      status: 'False',
      ...(manifestGeneration === undefined ? {} : { observedGeneration: manifestGeneration }),
    } as Report['applied']),
    statusFeedback: {
      values: Object.entries(values).map(([name, value]) => ({
        name,
        fieldValue: typeof value === 'number' ? { type: 'Integer', integer: value } : { type: 'String', string: value },
      })),
    },
  };
  const work = {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: {
      name: 'w',
      namespace: 'c1',
      generation: GENERATION,
      managedFields: [
        { manager: 'hub', operation: 'Update', time: WRITTEN, fieldsV1: { 'f:spec': { 'f:workload': {} } } },
        { manager: 'agent', operation: 'Update', time: '2026-01-01T00:59:59Z', subresource: 'status', fieldsV1: { 'f:status': {} } },
      ],
    },
    spec: { workload: { manifests: [{ apiVersion: `${group}/v1`, kind, metadata: { name: 'a', namespace: 'n' } }] } },
    status: {
      conditions: [...condition('Applied', applied), ...condition('Available', available)],
      resourceStatus: { manifests: [manifest] },
    },
  };
  return projectWork(work as unknown as ManifestWork, (value) => value);
}

const STANDING = { reason: 'ProbeAvailable' };
const failing = { AvailableCondition: 'False', ProgressingReason: 'ProgressDeadlineExceeded', Generation: 7, ObservedGeneration: 7 };
const at = (status: string, observedGeneration: number): { status: string; observedGeneration: number } => ({ status, observedGeneration });

describe('a report on an earlier generation of a work', () => {
  const status = fc.constantFrom('True', 'False', 'Unknown');
  const earlier = fc.integer({ min: 0, max: GENERATION - 1 });
  const current = fc.constant(GENERATION);
  const condition = (generation: fc.Arbitrary<number>): fc.Arbitrary<Report['applied']> =>
    fc.option(fc.record({ status, observedGeneration: generation }), { nil: undefined });
  const values = fc.dictionary(
    fc.constantFrom('AvailableCondition', 'ProgressingReason', 'Replicas', 'ReadyReplicas', 'DesiredReplicas', 'JobComplete'),
    fc.oneof(fc.constantFrom('True', 'False', 'ProgressDeadlineExceeded'), fc.integer({ min: 0, max: 3 })),
  );
  const report = (applied: fc.Arbitrary<number>, available: fc.Arbitrary<number>): fc.Arbitrary<Report> =>
    fc.record({
      applied: condition(applied),
      available: condition(available),
      manifestGeneration: fc.option(earlier, { nil: undefined }),
      values,
    });

  it('neither fails nor completes a move, and changes no condition, whatever it contains', () => {
    fc.assert(
      fc.property(report(earlier, earlier), (stale) => {
        const list = [projectionOf(stale)];
        expect(worksProgress(list, NOW)).toEqual({ isDone: false, failure: undefined, recheckAt: undefined });
        expect(appliedCondition(list)).toBeUndefined();
        const probed = probeCondition('hello', list, STANDING);
        expect(probed?.reason ?? STANDING.reason).toBe(stale.available ? 'ProbeAvailable' : 'WorkNotApplied');
        expect(probeCondition('hello', list, { reason: 'RequiredDependencyNotSatisfied' })?.reason).toBe('WorkNotApplied');
        expect(isHookDone(projectionOf(stale, 'Job'))).toBe(false);
      }),
    );
  });

  it('does not count either while only one of its two conditions is of the current generation', () => {
    fc.assert(
      fc.property(fc.oneof(report(current, earlier), report(earlier, current)), (mixed) => {
        const { isDone, failure } = worksProgress([projectionOf(mixed)], NOW);
        expect(isDone).toBe(false);
        // If Applied is False at the current generation, it describes the current content, even if the other reports are older.
        const isRefusedNow = mixed.applied?.status === 'False' && mixed.applied.observedGeneration === GENERATION;
        expect(failure === undefined).toBe(!isRefusedNow);
        expect(probeCondition('hello', [projectionOf(mixed)], STANDING)?.status).not.toBe('False');
      }),
    );
  });
});

describe('a report on the current generation of a work', () => {
  const report = (changes: Partial<Report>): Report => ({
    applied: at('True', GENERATION),
    available: at('True', GENERATION),
    manifestGeneration: undefined,
    values: {},
    ...changes,
  });

  it('a missed deadline fails the move', () => {
    expect(worksProgress([projectionOf(report({ values: failing }))], NOW).failure).toBe('deployments n/a exceeded its progress deadline');
    const explained = { ...failing, NotReadyReason: 'container c is waiting: ImagePullBackOff' };
    expect(worksProgress([projectionOf(report({ values: explained }))], NOW).failure).toBe(
      'deployments n/a exceeded its progress deadline: container c is waiting: ImagePullBackOff',
    );
  });

  it('a missed deadline does not fail the move if the workload’s controller has not observed the spec yet', () => {
    const list = [projectionOf(report({ values: { ...failing, Generation: 8 } }))];
    expect(worksProgress(list, NOW)).toEqual({ isDone: false, failure: undefined, recheckAt: undefined });
  });

  it('a work that is not applied fails one minute after its own spec was written, not after an earlier one failed', () => {
    const refused = [projectionOf(report({ applied: at('False', GENERATION) }))];
    const written = Date.parse(WRITTEN);
    expect(worksProgress(refused, written + 59_000)).toEqual({ isDone: false, failure: undefined, recheckAt: written + 60_000 });
    expect(worksProgress(refused, written + 60_000).failure).toBe('Deployment n/a: m');
  });

  it('AT-48 a refusal fails the move on the hub’s clock, whatever time the agent reports', () => {
    const written = Date.parse(WRITTEN);
    const reportedAt = fc.integer({ min: -40 * 365 * 24, max: 70 * 365 * 24 }).map((hours) => written + hours * 3_600_000);
    fc.assert(
      fc.property(reportedAt, (time) => {
        const lastTransitionTime = toTime(time);
        const refused = [projectionOf(report({ applied: { ...at('False', GENERATION), lastTransitionTime } }))];
        const beginsAt = time > written + 59_000 ? written : Math.max(written, time);
        expect(worksProgress(refused, written + 59_000)).toEqual({ isDone: false, failure: undefined, recheckAt: beginsAt + 60_000 });
        expect(worksProgress(refused, written + 60_000).failure).toBe('Deployment n/a: m');
      }),
    );
  });

  it.each([0, 1, 3, 59])(
    'a refusal of content that was applied before fails after one minute, if the agent’s clock is %i s ahead',
    (ahead) => {
      const refusedAt = Date.parse(WRITTEN) + 3_600_000;
      const since = refusedAt + ahead * 1000;
      const refused = [projectionOf(report({ applied: { ...at('False', GENERATION), lastTransitionTime: toTime(since) } }))];
      const waiting = { isDone: false, failure: undefined, recheckAt: since + 60_000 };
      for (const now of [refusedAt + 100, refusedAt + 59_000, since + 59_000]) expect(worksProgress(refused, now)).toEqual(waiting);
      expect(worksProgress(refused, since + 60_000).failure).toBe('Deployment n/a: m');
    },
  );

  it('a refusal with a time that is more than one minute ahead counts from when the spec was written', () => {
    const refusedAt = Date.parse(WRITTEN) + 3_600_000;
    const refused = [projectionOf(report({ applied: { ...at('False', GENERATION), lastTransitionTime: toTime(refusedAt + 61_000) } }))];
    expect(worksProgress(refused, refusedAt).failure).toBe('Deployment n/a: m');
  });

  it('a refusal names only the manifests that were refused in this generation', () => {
    const list = [projectionOf(report({ applied: at('False', GENERATION), manifestGeneration: GENERATION - 1 }))];
    expect(worksProgress(list, NOW).failure).toBe('w: m');
  });
});
