import { describe, expect, it } from 'vitest';
import { Cache } from '../cache/cache.js';
import { NAMESPACE, PARENTS, parent, parents } from '../runtime/fixtures.js';
import type { ApiAction } from '../decision.js';
import { pinRevision } from './pin-revision.js';

function cacheWith(uid: string, resourceVersion: string): Cache {
  const cache = new Cache({ changed: () => undefined, failed: () => undefined });
  const store = cache.add(parents);
  const object = parent('a', { size: 1 });
  store.apply({ ...object, metadata: { ...object.metadata, uid, resourceVersion } });
  return cache;
}

const remove = (precondition: { uid: string; resourceVersion?: string }): ApiAction => {
  return { type: 'delete', api: 'hub', kind: PARENTS, id: 'd', key: { namespace: NAMESPACE, name: 'a' }, precondition };
};

describe('pinning revisions', () => {
  const cases = [
    { name: 'adds the cached revision of the same object', given: { uid: 'u' }, want: { uid: 'u', resourceVersion: '7' } },
    { name: 'leaves a revision the decision chose', given: { uid: 'u', resourceVersion: '5' }, want: { uid: 'u', resourceVersion: '5' } },
    { name: 'does not take the revision of another object of that name', given: { uid: 'other' }, want: { uid: 'other' } },
  ];
  it.each(cases)('$name', ({ given, want }) => {
    expect(pinRevision(cacheWith('u', '7'))(remove(given))).toMatchObject({ precondition: want });
  });

  it('leaves creates as they are', () => {
    const create: ApiAction = { type: 'create', api: 'hub', kind: PARENTS, id: 'c', object: parent('a', { size: 1 }) };
    expect(pinRevision(cacheWith('u', '7'))(create)).toBe(create);
  });
});
