import {
  ALL_CLUSTER_AGENTS_GROUP,
  CLIENT_CERTIFICATE_USAGES,
  addOnDnsName,
  addOnUser,
  clusterAgentGroup,
  clusterAgentUser,
  defaultSubject,
  serviceAccountUser,
} from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JOIN_GROUP, joinUser } from '../../resources/join-names.js';
import { judgeAddOnRequest } from './add-on-rules.js';
import { type ClusterRequestFacts, NO_BOOTSTRAP_USERS, judgeClusterRequest } from './cluster-rules.js';
import { type Asked, parsedOf, factsOf, requestOf } from './fixtures.js';
import type { RequestProjection } from './request.js';

/**
 * Generates a correct request and, for each property of a request, wrong values of many kinds. The rules must approve the correct request,
 * and must never approve a request with at least one wrong property.
 */
const NAME = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
const TEXT = fc.oneof(fc.string({ maxLength: 12 }), NAME, fc.constantFrom('system:masters', 'system:nodes', 'system:authenticated', ''));

/** Texts that differ from the given one: other spellings, and similar texts. */
function otherThan(text: string): fc.Arbitrary<string> {
  const neighbours = [
    text.toUpperCase(),
    `${text} `,
    ` ${text}`,
    `${text}0`,
    `${text}:x`,
    text.slice(0, -1),
    `${text}\u0000`,
    text.replace('c', 'с'),
  ];
  return fc.oneof(fc.constantFrom(...neighbours), TEXT).filter((other) => other !== text);
}

/**
 * Lists of groups that differ from the wanted list, with more, fewer, repeated or other groups. Only `system:authenticated` may be added,
 * once.
 */
function otherGroups(wanted: readonly string[]): fc.Arbitrary<readonly string[]> {
  const normal = (groups: readonly string[]): string => {
    const at = groups.indexOf('system:authenticated');
    return JSON.stringify((at < 0 ? [...groups] : groups.toSpliced(at, 1)).sort());
  };
  const change = fc.oneof(
    TEXT.map((extra) => [...wanted, extra]),
    fc.constantFrom(...wanted).map((twice) => [...wanted, twice]),
    fc.constantFrom(...wanted).map((missing) => wanted.filter((group) => group !== missing)),
    fc.tuple(fc.constantFrom(...wanted), TEXT).map(([from, to]) => wanted.map((group) => (group === from ? to : group))),
    fc.array(TEXT, { maxLength: 5 }),
  );
  return change.filter((groups) => normal(groups) !== normal(wanted));
}

const USAGES = [
  'digital signature',
  'key encipherment',
  'client auth',
  'server auth',
  'cert sign',
  'crl sign',
  'any',
  'code signing',
  'signing',
];
const otherUsages = fc
  .array(fc.constantFrom(...USAGES), { maxLength: 6 })
  .filter((usages) => JSON.stringify([...usages].sort()) !== JSON.stringify([...CLIENT_CERTIFICATE_USAGES].sort()));
const OIDS = ['2.5.29.19', '2.5.29.15', '2.5.29.37', '2.5.29.14', '2.5.29.31', '1.3.6.1.5.5.7.1.1', '1.2.3.4'];

/** Requests for certificates that contain more than a name. */
const extras: fc.Arbitrary<Asked> = fc.oneof(
  TEXT.map((dns): Asked => ({ altNames: { dnsNames: [dns] } })),
  fc.constantFrom<Asked>(
    { altNames: { ips: ['127.0.0.1'] } },
    { altNames: { uris: ['spiffe://c1'] } },
    { altNames: { emails: ['a@b.c'] } },
    { altNames: { others: ['other:x'] } },
    { isCA: true },
  ),
  fc.constantFrom(...OIDS).map((oid): Asked => ({ extensions: [oid] })),
  TEXT.map((attribute): Asked => ({ otherSubjectAttributes: [attribute] })),
  TEXT.map((attribute): Asked => ({ otherAttributes: [attribute] })),
);

interface Deviation {
  readonly request?: Partial<RequestProjection>;
  readonly asked?: Asked;
}

function merged(deviations: readonly Deviation[]): { request: Partial<RequestProjection>; asked: Asked } {
  return {
    request: Object.assign({}, ...deviations.map(({ request }) => request ?? {})) as Partial<RequestProjection>,
    asked: Object.assign({}, ...deviations.map(({ asked }) => asked ?? {})) as Asked,
  };
}

/** Users that belong to c1's group but are not agents of c1. */
const requesters: fc.Arbitrary<Deviation> = fc.oneof(
  otherThan('c1')
    .filter((name) => name !== '' && !name.includes(':'))
    .map((name) => ({ request: { user: clusterAgentUser(name, 'agent'), groups: [clusterAgentGroup(name)] } })),
  otherThan(clusterAgentGroup('c1')).map((group) => ({ request: { groups: [group, ALL_CLUSTER_AGENTS_GROUP, 'system:authenticated'] } })),
  fc
    .constantFrom('jane', addOnUser('c1', 'hello', 'hello-agent'), serviceAccountUser('c1', 'default'), joinUser('c1'), joinUser('c2'), '')
    .map((user) => ({ request: { user, groups: [clusterAgentGroup('c1'), 'system:masters'] } })),
);

describe('AT-01 AT-02 AT-03 AT-05 every deviation of an add-on’s request', () => {
  const subject = defaultSubject('c1', 'hello');
  const deviation: fc.Arbitrary<Deviation> = fc.oneof(
    requesters,
    otherThan(subject.user).map((commonName) => ({ asked: { commonName } })),
    otherGroups(subject.groups).map((organizations) => ({ asked: { organizations } })),
    fc.array(TEXT, { minLength: 1, maxLength: 3 }).map((units) => ({ asked: { units } })),
    extras.filter(({ altNames }) => altNames?.dnsNames?.[0] !== addOnDnsName('hello')).map((asked) => ({ asked })),
    otherUsages.map((usages) => ({ request: { usages } })),
    otherThan('hello')
      .filter((name) => name !== '')
      .map((addOnName) => ({ request: { addOnName } })),
    otherThan('c1').map((clusterName) => ({
      request: { clusterName, user: clusterAgentUser('c1', 'agent'), groups: [clusterAgentGroup('c1')] },
    })),
  );

  it('alone or with others, is never approved', () => {
    fc.assert(
      fc.property(fc.array(deviation, { minLength: 1, maxLength: 4 }), (deviations) => {
        const { request, asked } = merged(deviations);
        fc.pre(Object.keys(request).length + Object.keys(asked).length > 0);
        const verdict = judgeAddOnRequest(requestOf(request), parsedOf(asked), factsOf());
        expect(verdict.type).not.toBe('approve');
      }),
      { numRuns: 3_000 },
    );
  });

  it('is the only reason for a denial: a request without one is approved, for every lifetime and key', () => {
    fc.assert(
      fc.property(fc.option(fc.integer({ min: 600 }), { nil: undefined }), fc.stringMatching(/^[0-9a-f]{64}$/), (seconds, key) => {
        expect(judgeAddOnRequest(requestOf({ expirationSeconds: seconds }), parsedOf({ keyDigest: key }), factsOf()).type).toBe('approve');
      }),
    );
  });

  it('AT-04 a custom signer’s certificate for another subject is not approved', () => {
    const own = { commonName: 'own', organizations: ['g1', 'g2'], units: ['u1'] };
    const wrong: fc.Arbitrary<Asked> = fc.oneof(
      otherThan('own').map((commonName) => ({ commonName })),
      otherGroups(own.organizations).map((organizations) => ({ organizations })),
      fc
        .array(TEXT, { maxLength: 3 })
        .filter((units) => JSON.stringify(units) !== '["u1"]')
        .map((units) => ({ units })),
    );
    const request = requestOf({ signerName: 'example.com/own' });
    expect(judgeAddOnRequest(request, parsedOf(own), factsOf()).type).toBe('approve');
    fc.assert(
      fc.property(wrong, (asked) => {
        expect(judgeAddOnRequest(request, parsedOf({ ...own, ...asked }), factsOf()).type).not.toBe('approve');
      }),
      { numRuns: 1_000 },
    );
  });

  it('AT-06 a request is approved only if the cluster is accepted, the add-on exists, and neither is being deleted', () => {
    const cluster = fc.constantFrom(
      undefined,
      ...[true, false].flatMap((isAccepted) => [true, false].map((isDeleting) => ({ isAccepted, isDeleting }))),
    );
    const addOn = fc.constantFrom(undefined, { isDeleting: true }, { isDeleting: false });
    const template = fc.constantFrom(undefined, { registration: [] }, factsOf().template);
    const standing = fc.constantFrom('own' as const, 'pending' as const, 'foreign' as const);
    fc.assert(
      fc.property(cluster, addOn, template, standing, (one, two, three, credential) => {
        const facts = factsOf({ cluster: one, clusterAddOn: two, template: three, credential });
        const isComplete = one?.isAccepted && !one.isDeleting && two?.isDeleting === false && (three?.registration?.length ?? 0) > 0;
        expect(judgeAddOnRequest(requestOf(), parsedOf(), facts).type === 'approve').toBe(isComplete === true && credential === 'own');
      }),
    );
  });
});

describe('AT-01 AT-02 AT-05 AT-07 every deviation of a cluster’s request', () => {
  const own: Asked = {
    commonName: clusterAgentUser('c1', 'agent'),
    organizations: [clusterAgentGroup('c1'), ALL_CLUSTER_AGENTS_GROUP],
  };
  const facts: ClusterRequestFacts = {
    bootstrap: NO_BOOTSTRAP_USERS,
    cluster: { isAccepted: true, isDeleting: false, hasJoined: true, agentKey: undefined },
    identity: { key: 'key-1', credentials: ['a'] },
    credential: 'own',
    hasNamespace: true,
  };
  const judge = (request: Partial<RequestProjection>, asked: Asked, given: Partial<ClusterRequestFacts> = {}): string =>
    judgeClusterRequest(requestOf({ addOnName: '', ...request }), parsedOf({ ...own, ...asked }), { ...facts, ...given }, 0).type;
  const withoutCommon = (groups: readonly string[]): string =>
    JSON.stringify(groups.filter((group) => group !== ALL_CLUSTER_AGENTS_GROUP).sort());
  const deviation: fc.Arbitrary<Deviation> = fc.oneof(
    requesters,
    otherThan(own.commonName ?? '').map((commonName) => ({ asked: { commonName } })),
    // The group of all cluster agents is optional, because older agents omit it.
    otherGroups(own.organizations ?? [])
      .filter(
        (groups) => withoutCommon(groups.filter((group) => group !== 'system:authenticated')) !== withoutCommon([clusterAgentGroup('c1')]),
      )
      .map((organizations) => ({ asked: { organizations } })),
    fc.array(TEXT, { minLength: 1, maxLength: 3 }).map((units) => ({ asked: { units } })),
    extras.map((asked) => ({ asked })),
    otherUsages.map((usages) => ({ request: { usages } })),
    otherThan('c1').map((clusterName) => ({
      request: { clusterName, user: clusterAgentUser('c1', 'agent'), groups: [clusterAgentGroup('c1')] },
    })),
  );

  it('alone or with others, is never approved', () => {
    expect(judge({}, {})).toBe('approve');
    fc.assert(
      fc.property(fc.array(deviation, { minLength: 1, maxLength: 4 }), (deviations) => {
        const { request, asked } = merged(deviations);
        // Exclude requests with the cluster's join token, because they are approved if they also have the recorded key.
        fc.pre(request.user !== joinUser('c1') || !(request.groups ?? []).includes(JOIN_GROUP));
        expect(judge(request, asked)).not.toBe('approve');
      }),
      { numRuns: 3_000 },
    );
  });

  it('AT-07 AT-51 a request is approved only if the cluster is accepted and not being deleted, and the credential is its own', () => {
    const state = fc.constantFrom(
      undefined,
      ...[true, false].flatMap((isAccepted) => [true, false].map((isDeleting) => ({ isAccepted, isDeleting }))),
    );
    fc.assert(
      fc.property(state, fc.constantFrom('own' as const, 'pending' as const, 'foreign' as const), (one, credential) => {
        const cluster = one && { ...one, hasJoined: true, agentKey: undefined };
        expect(judge({}, {}, { cluster, credential }) === 'approve').toBe(
          one?.isAccepted === true && !one.isDeleting && credential === 'own',
        );
      }),
    );
  });

  it('AT-08 AT-09 a join token serves its own cluster and, if a key is recorded, that key', () => {
    fc.assert(
      fc.property(NAME, NAME, fc.constantFrom('key-1', 'key-2'), (mine, target, keyDigest) => {
        const asked = { commonName: clusterAgentUser(target, 'a'), organizations: [clusterAgentGroup(target)], keyDigest };
        const verdict = judge({ clusterName: target, user: joinUser(mine), groups: [JOIN_GROUP] }, asked);
        expect(verdict === 'approve').toBe(mine === target && keyDigest === 'key-1');
      }),
    );
  });
});
