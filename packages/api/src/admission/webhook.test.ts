import { describe, expect, it } from 'vitest';
import type { AccessCheck } from './types.js';
import { admissionReview, subjectAccessReview, withoutRights } from './webhook.js';

const check: AccessCheck = { attributes: { verb: 'get', group: '', resource: 'secrets', namespace: 'n', name: 's' }, denied: 'no' };

describe('webhook answers', () => {
  it('check the writer with all attributes that the server knows', () => {
    const user = { username: 'jane', uid: '1', groups: ['dev'], extra: { scopes: ['a'] } };
    expect(subjectAccessReview(user, check).spec).toEqual({
      user: 'jane',
      uid: '1',
      groups: ['dev'],
      extra: { scopes: ['a'] },
      resourceAttributes: check.attributes,
    });
  });

  it.each([
    { name: 'nothing is missing', missing: [], want: true },
    { name: 'a right is missing', missing: [check], want: false },
  ])('allow where $name', ({ missing, want }) => {
    expect(withoutRights({ allowed: true, requires: [check] }, missing).allowed).toBe(want);
  });

  it.each([1, 1_000_000])('carry a patch as base64, whatever characters it has: %i of them', (length) => {
    const patch = [{ op: 'add', path: '/metadata/labels/a', value: 'ü'.repeat(length) }] as const;
    const { response } = admissionReview('u', { allowed: true, patch });
    expect(response).toMatchObject({ uid: 'u', allowed: true, patchType: 'JSONPatch' });
    expect(JSON.parse(Buffer.from(response?.patch ?? '', 'base64').toString('utf8'))).toEqual(patch);
  });

  it.each([
    { reason: 'Invalid' as const, code: 422 },
    { reason: 'BadRequest' as const, code: 400 },
    { reason: 'Forbidden' as const, code: 403 },
  ])('refuse as $reason with $code', ({ reason, code }) => {
    expect(admissionReview('u', { allowed: false, reason, message: 'why' }).response).toEqual({
      uid: 'u',
      allowed: false,
      status: { code, reason, message: 'why' },
    });
  });

  it('pass warnings on', () => {
    expect(admissionReview('u', { allowed: true, warnings: ['careful'] }).response).toEqual({
      uid: 'u',
      allowed: true,
      warnings: ['careful'],
    });
  });
});
