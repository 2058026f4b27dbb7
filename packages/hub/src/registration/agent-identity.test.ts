import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AgentIdentity,
  type IssuedCertificate,
  admitted,
  credentialStanding,
  hasKey,
  heldUntil,
  readIdentity,
  requesterCredential,
  withDetach,
  withIssued,
} from './agent-identity.js';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace('.000', '');
const END = Date.UTC(2026, 0, 2);

function joinedWith(credentialId: string, second: number, key = `key-${credentialId}`): IssuedCertificate {
  return { holder: 'cluster', isRenewal: false, credentialId, requesterCredential: undefined, key, requestedAt: at(second), endsAt: END };
}

function renewed(credentialId: string, by: string | undefined, second: number): IssuedCertificate {
  return { ...joinedWith(credentialId, second), isRenewal: true, requesterCredential: by };
}

const standing = (identity: AgentIdentity, credential: string): string => credentialStanding(identity, credential, () => false);

describe('AT-51 the record of the agent that holds a name', () => {
  it('accepts the certificate last issued and the one that requested it', () => {
    const identity = withIssued(withIssued(undefined, joinedWith('a', 1)), renewed('b', 'a', 2));
    expect(['a', 'b', 'c'].map((id) => standing(identity, id))).toEqual(['own', 'own', 'foreign']);
    expect(identity.key).toBe('key-b');
  });

  it('accepts an agent that loses every new certificate before it is stored', () => {
    let identity = withIssued(undefined, joinedWith('a', 0));
    for (let i = 1; i < 20; i++) identity = withIssued(identity, renewed(`lost-${i}`, 'a', i));
    expect(standing(identity, 'a')).toBe('own');
    expect(identity.credentials?.length).toBeLessThanOrEqual(4);
    expect(hasKey(identity, 'key-a'), 'it joins again with the key of the certificate that it has').toBe(true);
    expect(hasKey(identity, 'key-lost-19')).toBe(true);
    expect(Object.keys(identity.earlierKeys ?? {}).length).toBeLessThanOrEqual(3);
  });

  it('has the keys of the certificates that it accepts, and no others', () => {
    let identity = withIssued(undefined, joinedWith('a', 1));
    for (const [i, id] of ['b', 'c', 'd', 'e', 'f'].entries()) {
      identity = withIssued(identity, renewed(id, identity.credentials?.[0], 2 + i));
      const keys = ['a', 'b', 'c', 'd', 'e', 'f'].filter((name) => hasKey(identity, `key-${name}`));
      expect(keys).toEqual([...(identity.credentials ?? [])].sort());
      expect(readIdentity(JSON.stringify(identity))).toEqual(identity);
    }
    expect(hasKey(admitted(identity, 'key-e'), 'key-f'), 'after it joined again').toBe(false);
    const taken = withIssued(withDetach(identity, at(20)), joinedWith('n', 30));
    expect(
      ['d', 'e', 'f', 'n'].filter((name) => hasKey(taken, `key-${name}`)),
      'after another machine took the name',
    ).toEqual(['n']);
  });

  it('keeps the key of an agent that joined before the hub recorded certificates', () => {
    const identity = withIssued({ key: 'key-a' }, renewed('b', 'a', 1));
    expect(['key-a', 'key-b'].map((key) => hasKey(identity, key))).toEqual([true, true]);
  });

  it.each([
    { times: 'one after the other', seconds: [1, 2, 3, 4, 5] },
    { times: 'within one second', seconds: [1, 1, 1, 1, 1] },
  ])(
    'a machine that takes the name after a detach ends every credential of the one before, $times',
    ({ seconds: [s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0] }) => {
      const old = [joinedWith('a', s1), renewed('b', 'a', s2), renewed('c', 'b', s3)];
      let identity: AgentIdentity | undefined;
      for (const issued of old) identity = withIssued(identity, issued);
      const gone = withDetach(identity as AgentIdentity, at(s4));
      expect(['a', 'b', 'c'].map((id) => standing(gone, id))).toEqual(['foreign', 'foreign', 'foreign']);
      const next = admitted(gone, 'key-n');
      expect(['a', 'b', 'c', 'n'].map((id) => standing(next, id))).toEqual(['pending', 'pending', 'pending', 'pending']);
      // Requests from the old machine stay on the hub for some time. Reading them again, in any order, must not change the identity record.
      for (const issued of old) {
        expect(withIssued(gone, issued), 'after the detach').toBe(gone);
        expect(withIssued(next, issued), 'before the certificate of the new machine is recorded').toBe(next);
      }
      const taken = withIssued(next, joinedWith('n', s5, 'key-n'));
      expect(['a', 'b', 'c', 'n'].map((id) => standing(taken, id))).toEqual(['foreign', 'foreign', 'foreign', 'own']);
      for (const issued of old) expect(withIssued(taken, issued), 'after it').toBe(taken);
    },
  );

  it('a machine whose request a person approved takes the name too', () => {
    const gone = withDetach(withIssued(undefined, joinedWith('a', 1)), at(2));
    const taken = withIssued(gone, joinedWith('n', 3));
    expect(['a', 'n'].map((id) => standing(taken, id))).toEqual(['foreign', 'own']);
    expect(taken).not.toHaveProperty('detached');
  });

  it('certificates of add-ons move only the end', () => {
    const identity = withIssued(undefined, joinedWith('a', 1));
    const later = withIssued(identity, { ...joinedWith('x', 9), holder: 'add-on', isRenewal: true, endsAt: END + 1 });
    expect(later).toEqual({ ...identity, until: at(25 * 3600) });
    expect(withIssued(later, { ...joinedWith('y', 9), holder: 'add-on', endsAt: END })).toBe(later);
  });

  it('the order in which the requests of one life are read does not matter', () => {
    const life = [joinedWith('a', 1), renewed('b', 'a', 2), renewed('c', 'b', 3)];
    fc.assert(
      fc.property(fc.shuffledSubarray(life, { minLength: 3, maxLength: 3 }), (order) => {
        let identity: AgentIdentity | undefined;
        // When the identity record changes, the hub reads every request again.
        for (let before: AgentIdentity | undefined | null = null; before !== identity; ) {
          before = identity;
          for (const issued of order) identity = withIssued(identity, issued);
        }
        expect(standing(identity as AgentIdentity, 'c')).toBe('own');
      }),
    );
  });

  it('a hub that knows nothing yet takes the agent that renews first', () => {
    expect(credentialStanding(undefined, 'a', () => false)).toBe('own');
    expect(credentialStanding({ key: 'k' }, 'a', () => false)).toBe('own');
    expect(standing(withIssued(undefined, renewed('b', 'a', 1)), 'a')).toBe('own');
  });

  it('without credential ids of the server only a detach distinguishes machines', () => {
    const identity = withIssued(undefined, joinedWith('a', 1));
    expect(credentialStanding(identity, undefined, () => false)).toBe('own');
    expect(credentialStanding(withDetach(identity, at(2)), undefined, () => false)).toBe('foreign');
  });

  it.each<[string, AgentIdentity | undefined, number | undefined]>([
    ['unknown', undefined, undefined],
    ['held', { until: at(10) }, undefined],
    ['detached, certificates are valid', { until: at(10), detached: at(1) }, Date.parse(at(10))],
    ['detached, certificates have ended', { until: at(5), detached: at(1) }, undefined],
    ['detached, confirmed', { until: at(10), detached: at(1), reuse: true }, undefined],
  ])('a name that is %s', (_, identity, want) => expect(heldUntil(identity, Date.parse(at(5)))).toBe(want));

  it.each([undefined, '', 'text', '[]', '7', 'null', '{'])('text that is not a record is ignored: %j', (text) => {
    expect(readIdentity(text)).toBeUndefined();
  });

  it('a field of another shape counts as absent', () => {
    const text = JSON.stringify({ key: 7, credentials: 'abc', until: null, detached: {}, reuse: 'true', namespace: 'n', other: 1 });
    expect(readIdentity(text)).toEqual({ namespace: 'n' });
    expect(readIdentity(JSON.stringify({ credentials: ['a', 7] }))).toEqual({ credentials: ['a'] });
    expect(readIdentity(JSON.stringify({ earlierKeys: { a: 'k', b: 7 } }))).toEqual({ earlierKeys: { a: 'k' } });
    expect(readIdentity(JSON.stringify({ earlierKeys: ['k'] }))).toEqual({});
  });

  it('only ids of certificates count', () => {
    const name = 'authentication.kubernetes.io/credential-id';
    expect(requesterCredential({ [name]: ['JTI=1', 'X509SHA256=ab'] })).toBe('X509SHA256=ab');
    expect(requesterCredential({ [name]: ['JTI=1'] })).toBeUndefined();
    expect(requesterCredential({ other: ['X509SHA256=ab'] })).toBeUndefined();
  });
});
