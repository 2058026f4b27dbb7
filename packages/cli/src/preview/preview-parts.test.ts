import type { JsonObject } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hunks, lineDiff } from './line-diff.js';
import { redact } from './redact.js';

const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });

describe('differences by line', () => {
  it('contain both texts: unchanged and removed lines are the text before, unchanged and added lines the text after', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before.join('\n'), after.join('\n'));
        const side = (sign: '-' | '+'): string =>
          diff
            .filter((line) => line.sign === ' ' || line.sign === sign)
            .map(({ text }) => text)
            .join('\n');
        expect(side('-')).toBe(before.join('\n'));
        expect(side('+')).toBe(after.join('\n'));
      }),
    );
  });
  it('contain no change for equal texts', () => expect(lineDiff('a\nb', 'a\nb').every(({ sign }) => sign === ' ')).toBe(true));
  it('show the changed lines with some context', () => {
    const diff = lineDiff('1\n2\n3\n4\n5\n6', '1\n2\n3\n4\nfive\n6');
    expect(hunks(diff, 1).map((line) => (line === 'gap' ? '...' : `${line.sign}${line.text}`))).toEqual(['...', ' 4', '-5', '+five', ' 6']);
  });
});

describe('AT-29 previews hide Secrets', () => {
  const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { key: 'Y2FuYXJ5' }, stringData: { other: 'canary' } };
  it('shows no content', () => expect(JSON.stringify(redact(secret))).not.toMatch(/canary|Y2FuYXJ5/));
  it.each<[string, JsonObject]>([
    ['a List', { apiVersion: 'v1', kind: 'List', items: [secret] }],
    ['a work', { kind: 'ManifestWork', spec: { workload: { manifests: [secret] } } }],
    ['the annotation with its last applied content', { ...secret, metadata: { annotations: { [APPLIED]: JSON.stringify(secret) } } }],
    ['an annotation that is not JSON', { ...secret, metadata: { annotations: { [APPLIED]: 'canary' } } }],
    ['data that is no object', { ...secret, data: 'canary' }],
    [
      'the values that a work reports',
      { resourceMeta: { group: '', kind: 'Secret' }, statusFeedback: { values: [{ name: 'key', fieldValue: { string: 'canary' } }] } },
    ],
  ])('shows no content in %s', (_, object) => expect(JSON.stringify(redact(object))).not.toMatch(/canary|Y2FuYXJ5/));
  it('shows that content changed', () => expect(redact({ ...secret, data: { key: 'other' } })).not.toEqual(redact(secret)));
  it('leaves everything else alone', () => {
    const copied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's' }, data: { key: 'x' } };
    const map = { ...copied, metadata: { name: 's', annotations: { [APPLIED]: JSON.stringify(copied) } } };
    const values = [{ name: 'replicas', fieldValue: { integer: 1 } }];
    const report = { resourceMeta: { group: 'apps', kind: 'Deployment' }, statusFeedback: { values } };
    for (const object of [map, report, { items: [map, 1, null] }]) expect(redact(object)).toBe(object);
  });
});
