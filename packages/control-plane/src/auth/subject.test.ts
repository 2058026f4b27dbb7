import { X509Certificate } from 'node:crypto';
import { createCertificateAuthority, issueClientCertificate } from '@outrigger/core/x509';
import { createRealRuntime } from '@outrigger/kube/node';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSubject } from './subject.js';

describe('the subject of a certificate', () => {
  it.each([
    { name: 'one name and its groups', printed: 'O=a\nO=b\nCN=me', want: { commonName: 'me', organizations: ['a', 'b'] } },
    { name: 'a multi-valued name', printed: 'O=g1 + O=g2 + CN=me', want: { commonName: 'me', organizations: ['g1', 'g2'] } },
    { name: 'a plus that belongs to a group', printed: 'O=a \\+ O=b\nCN=me', want: { commonName: 'me', organizations: ['a + O=b'] } },
    {
      name: 'a line break smuggled into a name',
      printed: 'CN=me\\0AO=system:masters',
      want: { commonName: 'me\nO=system:masters', organizations: [] },
    },
    {
      name: 'a group behind a byte order mark, which is another group',
      printed: 'O=\ufeffsystem:masters\nO=\\EF\\BB\\BFsystem:masters\nCN=\ufeffme',
      want: { commonName: '\ufeffme', organizations: ['\ufeffsystem:masters', '\ufeffsystem:masters'] },
    },
    { name: 'no name', printed: 'O=a', want: undefined },
    { name: 'an empty name', printed: 'O=a\nCN=', want: undefined },
    { name: 'two names', printed: 'CN=a\nCN=b', want: undefined },
  ])('reads $name', ({ printed, want }) => expect(parseSubject(printed)).toEqual(want));

  it('is unchanged in a certificate, regardless of its characters', async () => {
    const { keys } = createRealRuntime();
    const validity = { notBefore: 0, notAfter: 4e12, serial: new Uint8Array(16).fill(7) };
    const ca = await createCertificateAuthority(keys, { commonName: 'ca', ...validity });
    const keyPair = await keys.generate('P-256');
    const text = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'ab:=+,;"\\<># \n\t\0é漢/\ufeff') });
    await fc.assert(
      fc.asyncProperty(text, fc.array(text, { maxLength: 3 }), async (commonName, organizations) => {
        const issued = await issueClientCertificate(keys, {
          commonName,
          organizations,
          keyPair,
          ca: ca.certificate,
          caKey: ca.key,
          ...validity,
        });
        expect(parseSubject(new X509Certificate(issued.certificate).subject)).toEqual({ commonName, organizations });
      }),
      { numRuns: 60 },
    );
  });
});
