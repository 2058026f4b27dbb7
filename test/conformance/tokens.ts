import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, eventually } from './api.js';
import { ownNamespace, type Subject } from './subject.js';

const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';

interface TokenRequest {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

export function tokens(subject: Subject): void {
  describe('service account tokens', () => {
    const ns = ownNamespace(subject, 'tokens');
    const accounts = ns.path('serviceaccounts');
    beforeAll(() => subject.admin.create(accounts, { metadata: { name: 'robot' } }));
    const request = (spec: object = {}): Promise<Answer> => subject.admin.post(`${accounts}/robot/token`, { spec });
    const token = async (spec: object = {}): Promise<string> => ((await request(spec)).body as unknown as TokenRequest).status.token;
    const review = async (given: string, spec: object = {}): Promise<unknown> =>
      (await subject.admin.post(REVIEWS, { spec: { token: given, ...spec } })).body.status;

    it('are issued on request, with the time they end', async () => {
      const answer = await request({ expirationSeconds: 600 });
      expect(answer).toMatchObject({ status: 201, body: { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1' } });
      const { status } = answer.body as unknown as TokenRequest;
      const seconds = (Date.parse(status.expirationTimestamp) - Date.now()) / 1000;
      expect(seconds).toBeGreaterThan(500);
      expect(seconds).toBeLessThan(700);
    });
    it('are signed JSON web tokens about the account', async () => {
      const claims = JSON.parse(Buffer.from((await token()).split('.')[1] ?? '', 'base64url').toString()) as object;
      expect(claims).toMatchObject({
        sub: `system:serviceaccount:${ns.name}:robot`,
        'kubernetes.io': { namespace: ns.name, serviceaccount: { name: 'robot' } },
      });
    });
    it('are verified with the keys that the server publishes for every account', async () => {
      const given = await token();
      const robot = subject.withToken(given);
      const { status, body, headers } = await robot.get('/.well-known/openid-configuration');
      expect([status, headers['content-type']]).toEqual([200, 'application/json']);
      const [head = '', claims = '', signature = ''] = given.split('.');
      const { alg, kid } = decoded(head);
      expect(body).toMatchObject({
        issuer: decoded(claims)['iss'],
        jwks_uri: expect.stringMatching(/^https:.*\/openid\/v1\/jwks$/) as string,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [alg],
      });
      const published = await robot.get('/openid/v1/jwks', { accept: 'application/jwk-set+json, */*' });
      expect([published.status, published.headers['content-type']]).toEqual([200, 'application/jwk-set+json']);
      const { keys } = JSON.parse(published.text) as { readonly keys: readonly JsonWebKey[] };
      const key = keys.find((one) => (one as { readonly kid?: string }).kid === kid);
      expect(key).toMatchObject({ use: 'sig', alg });
      const verifier = { key: createPublicKey({ key: key ?? {}, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
      expect(verify('sha256', Buffer.from(`${head}.${claims}`), verifier, Buffer.from(signature, 'base64url'))).toBe(true);
      expect(Object.keys(key ?? {})).not.toContain('d');
    });
    it('are needed to read these keys', async () => {
      for (const path of ['/.well-known/openid-configuration', '/openid/v1/jwks'])
        for (const user of [subject.anonymous(), await subject.as('ann')])
          expect([path, (await user.get(path)).status]).toEqual([path, 403]);
    });
    it('authenticate the account and its groups', async () => {
      const robot = subject.withToken(await token());
      const answer = await robot.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
      const { userInfo } = answer.body.status as { userInfo: { username: string; groups: string[] } };
      expect(userInfo.username).toBe(`system:serviceaccount:${ns.name}:robot`);
      expect([...userInfo.groups].sort()).toEqual(
        ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${ns.name}`].sort(),
      );
    });
    it('are confirmed by a review', async () => {
      expect(await review(await token())).toMatchObject({
        authenticated: true,
        user: { username: `system:serviceaccount:${ns.name}:robot` },
      });
    });
    it('are not confirmed for another audience', async () => {
      expect(await review(await token({ audiences: ['shop'] }), { audiences: ['bank'] })).not.toMatchObject({ authenticated: true });
      expect(await review(await token({ audiences: ['shop'] }), { audiences: ['shop'] })).toMatchObject({
        authenticated: true,
        audiences: ['shop'],
      });
    });
    it('for another audience do not open the API', async () => {
      const stranger = subject.withToken(await token({ audiences: ['shop'] }));
      expect((await stranger.get('/api')).status).toBe(401);
    });
    it('are not confirmed when one letter was changed', async () => {
      const [head, claims, signature = ''] = (await token()).split('.');
      const forged = [head, claims, signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))].join('.');
      expect(await review(forged)).not.toMatchObject({ authenticated: true });
    });
    it('are refused for less than ten minutes', async () => {
      const answer = await request({ expirationSeconds: 10 });
      expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
      expect(answer.body.message).toContain('may not specify a duration less than 10 minutes');
    });
    it('become invalid with their account', async () => {
      await subject.admin.create(accounts, { metadata: { name: 'mortal' } });
      const answer = await subject.admin.post(`${accounts}/mortal/token`, { spec: {} });
      const mortal = subject.withToken((answer.body as unknown as TokenRequest).status.token);
      expect((await mortal.get('/api')).status).toBe(200);
      await subject.admin.delete(`${accounts}/mortal`);
      await eventually(async () => expect((await mortal.get('/api')).status).toBe(401));
    });
    it('are NotFound for an account that does not exist', async () => {
      expect((await subject.admin.post(`${accounts}/nobody/token`, { spec: {} })).status).toBe(404);
    });
  });
}

function decoded(part: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Readonly<Record<string, unknown>>;
}
