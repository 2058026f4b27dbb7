import type { Secret } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { projectCredential } from './secrets.js';

const payload = {
  sub: 'system:serviceaccount:c1:hello-agent',
  iat: 100,
  exp: 200,
  'kubernetes.io': { serviceaccount: { name: 'hello-agent', uid: 'sa-uid' } },
};
const token = `e30.${btoa(JSON.stringify(payload)).replaceAll('=', '')}.c2ln`;

function secretOf(data: Readonly<Record<string, string>>): Secret {
  const encoded = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, btoa(value)]));
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'n', uid: 'u', resourceVersion: '1' }, data: encoded };
}

describe('a Secret in the cache', () => {
  it('keeps neither the key nor the token', () => {
    const projection = JSON.stringify(projectCredential(secretOf({ 'tls.crt': 'CERT', 'tls.key': 'PRIVATE', token, kubeconfig: 'K' })));
    expect(projection).toContain('CERT');
    expect(projection).not.toContain('PRIVATE');
    expect(projection).not.toContain(token);
  });

  it('keeps the claims of a token', () => {
    expect(projectCredential(secretOf({ token })).token).toEqual({
      user: 'system:serviceaccount:c1:hello-agent',
      serviceAccountUid: 'sa-uid',
      issuedAt: 100_000,
      expiresAt: 200_000,
    });
  });

  it.each(['', 'x', 'a.b.c', 'e30.e30.e30'])('does not read "%s" as a token', (text) =>
    expect(projectCredential(secretOf({ token: text })).token).toBeUndefined(),
  );

  it('reads a value that is not base64 as empty', () => {
    const damaged: Secret = { ...secretOf({}), data: { 'tls.crt': '%%%', 'tls.key': 'QQ==' } };
    expect(projectCredential(damaged)).toMatchObject({ certificate: '', hasKey: true });
  });
});
