import type { InstallStrategy } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { addOn, rollout } from '../../../rules/src/why/fixtures.js';
import { FAILED_REVISIONS_ANNOTATION, declaredVersions, failedRevisions } from './failed-revisions.js';

describe('the failed revisions that a rollback records', () => {
  const entry = (state: 'Halted' | 'Paused' | 'Completed', outcome?: 'Halted' | 'Completed') => ({
    name: 'labelSelector',
    state,
    failed: 1,
    targetRevision: 3,
    timeline: [{ at: '2026-01-01T00:00:00Z', to: 3, ...(outcome === undefined ? {} : { outcome }) }],
  });
  it.each([
    ['a halted rollout', entry('Halted', 'Halted'), '1,3'],
    ['a rollout that was paused after it was halted', entry('Paused', 'Halted'), '1,3'],
    ['a paused rollout', entry('Paused'), undefined],
    ['a completed rollout', entry('Completed', 'Completed'), undefined],
  ])('%s', (_, halted, recorded) => {
    const before = rollout('hello', {}, { entries: [halted] });
    const annotated = { ...before, metadata: { ...before.metadata, annotations: { [FAILED_REVISIONS_ANNOTATION]: '1' } } };
    expect(failedRevisions(annotated)).toBe(recorded);
  });
});

describe('the versions that a declaration asks for', () => {
  const addonTemplate = { installVersion: 'v2' };
  const canaries = { namespace: 'default', name: 'canaries', addonTemplate };
  it.each<[string, InstallStrategy, string]>([
    ['no entry', { type: 'Manual' }, ' v1'],
    ['a label selector with a version', { type: 'ClusterLabelSelector', labelSelector: {}, addonTemplate }, ' v2'],
    ['a Placement with a version', { type: 'Placements', placements: [canaries] }, ' v1, default/canaries v2'],
    ['a strategy that ignores its Placements', { type: 'Manual', placements: [canaries], addonTemplate }, ' v1'],
  ])('%s', (_, strategy, want) => {
    const versions = declaredVersions({ ...addOn('hello', strategy), status: { defaultVersion: 'v1' } });
    expect(versions.map(({ where, version }) => `${where} ${version}`).join(', ')).toBe(want);
  });
});
