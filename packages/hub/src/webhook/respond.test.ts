import type { AdmissionRequest } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { HubAdmission } from './admission.js';
import { headersProblem, respond } from './respond.js';

const asked: AdmissionRequest[] = [];
const admission: HubAdmission = {
  mutate: () => ({ allowed: true }),
  review: async (request) => {
    asked.push(request);
    return request.name === 'bad' ? { allowed: false, reason: 'Invalid', message: 'spec: no' } : { allowed: true, warnings: ['mind'] };
  },
};
const review = (name: string) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u',
    operation: 'DELETE',
    kind: { group: 'g', version: 'v', kind: 'K' },
    name,
    userInfo: { username: 'me' },
    object: null,
  },
});

describe('webhook: responses', () => {
  it('a review is answered with its uid, and fields that the API server leaves empty are absent', async () => {
    expect(await respond(admission, '/validate', review('good'))).toMatchObject({
      status: 200,
      body: { kind: 'AdmissionReview', response: { uid: 'u', allowed: true, warnings: ['mind'] } },
    });
    expect(asked.at(-1)).not.toHaveProperty('object');
  });
  it('a refusal carries code, reason and message', async () => {
    expect(await respond(admission, '/validate', review('bad'))).toMatchObject({
      body: { response: { allowed: false, status: { code: 422, reason: 'Invalid', message: 'spec: no' } } },
    });
  });
  it('a review that cannot be decided is answered 500 with the cause as text, which API servers show', async () => {
    const failing: HubAdmission = { ...admission, review: () => Promise.reject(new Error('the access review was lost')) };
    expect(await respond(failing, '/validate', review('good'))).toEqual({ status: 500, body: 'the access review was lost' });
  });
  it.each<[string, (review: { request: object }) => object]>([
    ['of another kind', (review) => ({ ...review, kind: 'ConversionReview' })],
    ['of another version', (review) => ({ ...review, apiVersion: 'admission.k8s.io/v1beta1' })],
    ['without a kind', ({ request }) => ({ request })],
    ...Object.entries({
      uid: [undefined, null, 1, {}],
      kind: [undefined, 'K'],
      operation: [undefined, 'CONNECT', 'create', 1],
      userInfo: [undefined, 'me', {}, { username: 1 }, { username: 'me', groups: 'system:masters' }],
      object: [undefined, null, 'x', [], {}, { metadata: null }],
    }).flatMap(([field, values]) =>
      values.map((value): [string, (review: { request: object }) => object] => [
        `with the ${field} ${JSON.stringify(value)}`,
        (review) => ({ ...review, request: { ...review.request, [field]: value } }),
      ]),
    ),
  ])('a review %s is answered 400 and reaches no rule', async (_, spoil) => {
    const whole = review('good');
    const creation = { ...whole, request: { ...whole.request, operation: 'CREATE', object: { metadata: { name: 'good' } } } };
    for (const path of ['/validate', '/mutate']) expect((await respond(admission, path, creation)).status).toBe(200);
    const before = asked.length;
    for (const path of ['/validate', '/mutate']) expect((await respond(admission, path, spoil(creation))).status).toBe(400);
    expect(asked).toHaveLength(before);
  });
  it.each([
    ['/validate', undefined, 400],
    ['/validate', { request: 'what' }, 400],
    ['/convert', { request: {} }, 400],
    ['/mutate', [], 400],
    ['/elsewhere', {}, 404],
    ['/healthz', undefined, 200],
  ])('%s with %j is %i', async (path, body, status) => expect((await respond(admission, path, body)).status).toBe(status));
});

describe('webhook: headers', () => {
  it.each([
    { name: 'a review as an API server sends it', method: 'POST', type: 'application/json', want: undefined },
    { name: 'with parameters, in other letters', method: 'POST', type: 'Application/JSON; charset=utf-8', want: undefined },
    { name: 'without a type', method: 'POST', type: undefined, want: undefined },
    { name: 'another method', method: 'PUT', type: 'application/json', want: 405 },
    { name: 'a read', method: 'GET', type: undefined, want: 405 },
    { name: 'protobuf', method: 'POST', type: 'application/vnd.kubernetes.protobuf', want: 415 },
    { name: 'a form of another site', method: 'POST', type: 'text/plain', want: 415 },
    { name: 'a type that only begins so', method: 'POST', type: 'application/json-patch+json', want: 415 },
    { name: 'an empty type', method: 'POST', type: '', want: 415 },
  ])('$name: $want', ({ method, type, want }) => expect(headersProblem(method, type)?.status).toBe(want));
});
