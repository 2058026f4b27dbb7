import { describe, expect, it } from 'vitest';
import { contentName, isTooLarge } from './content.js';
import { type RevisionContent, isVersionOnly, revisionDigest } from './revision.js';
import { TargetHistory } from './target-history.js';

const content = (specHash: string, version = 'v1'): RevisionContent => ({
  version,
  configs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', namespace: '', name: 't', specHash }],
  renderer: 1,
});
const AT = '2026-01-01T00:00:00Z';

describe('revisions', () => {
  it('number each content once: going back is going back to the earlier number', () => {
    const history = new TargetHistory([]);
    const numbers = ['a', 'b', 'a', 'c'].map((hash) => history.targetFor(content(hash), AT).revision);
    expect(numbers).toEqual([1, 2, 1, 3]);
    expect(history.targets.map(({ revision }) => revision)).toEqual([3, 2, 1]);
  });
  it('differ by version, by content and by renderer', () => {
    const digests = [content('a'), content('b'), content('a', 'v2'), { ...content('a'), renderer: 2 }].map(revisionDigest);
    expect(new Set(digests).size).toBe(4);
    expect(revisionDigest(content('a'))).toBe(revisionDigest(content('a')));
  });
  it('keep their renderer: another renderer alone makes no new revision, other content does', () => {
    const history = new TargetHistory([]);
    const first = history.targetFor(content('a'), AT);
    const renderer = 2;
    expect(history.targetFor({ ...content('a'), renderer }, AT)).toBe(first);
    expect(history.targetFor({ ...content('b'), renderer }, AT)).toMatchObject({ revision: 2, renderer: 2 });
    expect(history.targetFor({ ...content('a'), renderer }, AT)).toMatchObject({ revision: 1, renderer: 1 });
    expect(history.targetFor(content('b'), AT), 'an older manager').toMatchObject({ revision: 2, renderer: 2 });
  });
  it('are kept ten deep, and longer where something still names them; numbers are never used again', () => {
    const history = new TargetHistory([]);
    for (let i = 1; i <= 14; i++) history.targetFor(content(`h${i}`), AT);
    const kept = history.trim(new Set([2]));
    expect(kept.map(({ revision }) => revision)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 2]);
    expect(new TargetHistory(kept).targetFor(content('h1'), AT).revision).toBe(15);
  });
  it('of a version that no template provides have no template', () => {
    const history = new TargetHistory([]);
    expect(isVersionOnly(history.targetFor({ version: 'v9', configs: [], renderer: 1 }, AT))).toBe(true);
    expect(isVersionOnly(history.targetFor(content('a'), AT))).toBe(false);
    expect(isVersionOnly(history.targetFor({ version: '', configs: [], renderer: 1 }, AT))).toBe(false);
  });
});

describe('kept content', () => {
  it('has a name that fits, whatever the digest', () => expect(contentName('f'.repeat(64))).toMatch(/^[a-z-]+[0-9a-f]{40}$/));
  it.each([
    { name: 'just below 1 MiB is kept', text: 'x'.repeat(1_048_576 - 10), want: false },
    { name: 'above it is not', text: 'x'.repeat(1_048_576), want: true },
    { name: 'bytes count, not characters', text: 'ü'.repeat(600_000), want: true },
    { name: 'text below 1 MiB in bytes is kept', text: 'ü'.repeat(500_000), want: false },
  ])('$name', ({ text, want }) => expect(isTooLarge({ t: text })).toBe(want));
});
