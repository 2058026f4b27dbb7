import type { ManifestWork } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { type WorkProjection, projectWork } from './work-projection.js';
import { formatNote, generationAfter, isUntouched, parseNote, workContent, workTreatment } from './written.js';

const intern = <T>(value: T): T => value;

function projected(work: Partial<ManifestWork['metadata']>, spec: object = {}): WorkProjection {
  const object = { apiVersion: 'v1', kind: 'ManifestWork', metadata: { name: 'w', namespace: 'c', ...work }, spec };
  return projectWork(object, intern);
}

const content = workContent([], undefined);
const noted = (works: number, generation: number): Partial<ManifestWork['metadata']> => ({
  annotations: { 'outrigger.dev/written': formatNote({ content, works, generation }) },
});

describe('the digest that the hub notes on a work', () => {
  it('is read back as it was written', () => {
    const note = { content: 'ab12', works: 3, generation: 7 };
    expect(parseNote(formatNote(note))).toEqual(note);
  });

  it.each(['', 'x', 'ab12/3', 'ab12/x@1', '/1@1'])('%j is no note', (text) => expect(parseNote(text)).toBeUndefined());

  it.each([
    { name: 'as it was written', work: { ...noted(1, 2), generation: 2 }, spec: {}, want: true },
    { name: 'restored from a backup, which counts from one again', work: { ...noted(1, 9), generation: 1 }, spec: {}, want: true },
    { name: 'whose spec another writer changed', work: { ...noted(1, 2), generation: 3 }, spec: {}, want: false },
    {
      name: 'whose manifests were replaced',
      work: { ...noted(1, 2), generation: 2 },
      spec: { workload: { manifests: [{}] } },
      want: false,
    },
    { name: 'that lost a manifest', work: { ...noted(2, 2), generation: 2 }, spec: {}, want: false },
    { name: 'without a note', work: { generation: 1 }, spec: {}, want: false },
  ])('a work $name: untouched is $want', ({ work, spec, want }) => expect(isUntouched(projected(work, spec), 1)).toBe(want));

  it('the manifest configs are the same before and after the server sets defaults', () => {
    const config = { resourceIdentifier: { resource: 'deployments', name: 'a' } };
    expect(workTreatment({ manifestConfigs: [{ ...config, feedbackScrapeType: 'Poll' }] })).toBe(
      workTreatment({ manifestConfigs: [config] }),
    );
    expect(workTreatment({ manifestConfigs: [{ ...config, feedbackScrapeType: 'Watch' }] })).not.toBe(
      workTreatment({ manifestConfigs: [config] }),
    );
  });

  it('only a change of the spec leads to a new generation', () => {
    const standing = projected({ generation: 4 });
    const treatment = workTreatment({});
    expect(generationAfter(undefined, content, treatment)).toBe(1);
    expect(generationAfter(standing, content, treatment)).toBe(4);
    expect(generationAfter(standing, 'other', treatment)).toBe(5);
    expect(generationAfter(standing, content, workTreatment({ executor: {} }))).toBe(5);
  });
});
