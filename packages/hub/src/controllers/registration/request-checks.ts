import { CLIENT_CERTIFICATE_USAGES } from '@outrigger/api';
import type { ParsedCsr } from '@outrigger/core/x509';

/** The exact subject that a certificate must have. */
export interface ExpectedSubject {
  readonly user: string;
  readonly groups: readonly string[];
  readonly units: readonly string[];
}

type Csr = Omit<ParsedCsr, 'publicKey'>;

const SUBJECT_ALT_NAME = '2.5.29.17';
/** The group that contains every authenticated user. A certificate that names this group therefore grants no additional permission. */
const AUTHENTICATED = 'system:authenticated';

/** Why the usages are not exactly those of a client certificate; undefined if they are exactly those. */
export function usageProblem(usages: readonly string[]): string | undefined {
  if (sameMembers(usages, CLIENT_CERTIFICATE_USAGES)) return undefined;
  return `usages must be exactly ${list(CLIENT_CERTIFICATE_USAGES)}, not ${list(usages)}`;
}

/** Why the certificate request asks for more than a subject; undefined if it does not. The only alternative name allowed is `dnsName`. */
export function extensionProblem(csr: Csr, dnsName: string | undefined): string | undefined {
  const { dnsNames, ips, uris, emails, others } = csr.altNames;
  if (csr.isCA) return 'it asks to become a certificate authority';
  const unknown = csr.extensions.find(({ oid }) => oid !== SUBJECT_ALT_NAME);
  if (unknown) return `it asks for the extension ${unknown.oid}`;
  if (csr.extensions.length > 1) return 'it asks for alternative names twice';
  const surplus = [...ips, ...uris, ...emails, ...others, ...dnsNames.filter((name) => name !== dnsName)];
  if (surplus.length > 0) return `it asks for the alternative names ${list(surplus)}; ${dnsName ? `only ${dnsName}` : 'none'} is allowed`;
  if (dnsNames.length > 1) return `it asks for the alternative name ${dnsName ?? ''} more than once`;
  const [attribute] = csr.otherAttributes;
  return attribute === undefined ? undefined : `it carries the attribute ${attribute}`;
}

/** Why the subject differs from the expected one; undefined if it is as expected. The order of groups and units does not matter. */
export function subjectProblem(csr: Csr, expected: ExpectedSubject): string | undefined {
  const { commonName, organizations, organizationalUnits } = csr.subject;
  const [other] = csr.otherSubjectAttributes;
  if (other !== undefined) return `the subject carries ${other}`;
  if (commonName !== expected.user) return `the common name is "${commonName}", it must be "${expected.user}"`;
  const groups = expected.groups.includes(AUTHENTICATED) ? organizations : withoutOne(organizations, AUTHENTICATED);
  const wanted = expected.groups;
  if (!sameMembers(groups, wanted) && !sameMembers(groups, withoutOne(wanted, AUTHENTICATED)))
    return `the organizations are ${list(organizations)}, they must be ${list(wanted)}`;
  if (!sameMembers(organizationalUnits, expected.units))
    return `the organizational units are ${list(organizationalUnits)}, they must be ${list(expected.units)}`;
  return undefined;
}

/** Whether two lists contain the same names in any order. A name that occurs twice differs from a name that occurs once. */
function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());
}

function withoutOne(values: readonly string[], value: string): readonly string[] {
  const at = values.indexOf(value);
  return at < 0 ? values : values.toSpliced(at, 1);
}

function list(values: readonly string[]): string {
  return values.length === 0 ? 'none' : values.map((value) => JSON.stringify(value)).join(', ');
}
