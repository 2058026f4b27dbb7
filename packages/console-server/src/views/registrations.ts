import { KUBE_CLIENT_SIGNER, type ManagedClusterAddOn } from '@outrigger/api';
import type { RegistrationItem } from '@outrigger/console-contract';
import { findCondition, parseTime, toTime } from '@outrigger/core';

/** The identities of the add-on's agent on the hub, with the certificate that its conditions report. */
export function registrationItems(clusterAddOn: ManagedClusterAddOn | undefined): readonly RegistrationItem[] {
  const { registrations = [], conditions } = clusterAddOn?.status ?? {};
  const rotated = findCondition(conditions, 'ClusterCertificateRotated');
  const applied = findCondition(conditions, 'RegistrationApplied');
  const problems = [rotated, applied].flatMap((found) => (found?.status === 'False' ? [found.message] : []));
  return registrations.map(({ signerName, subject }) => ({
    type: signerName === KUBE_CLIENT_SIGNER ? 'KubeClient' : 'CustomSigner',
    signer: signerName,
    user: subject?.user ?? '',
    groups: subject?.groups ?? [],
    problem: problems.join('; '),
    ...(rotated?.status === 'True' ? validity(rotated.message) : {}),
  }));
}

/** Reads the times in `client certificate rotated starting from A to B`. Empty if the message has another format. */
export function validity(message: string): { readonly issuedAt?: string; readonly expiresAt?: string } {
  const found = /starting from (.+?) to (.+)$/.exec(message);
  const [from, to] = [parsed(found?.[1]), parsed(found?.[2])];
  return from === undefined || to === undefined ? {} : { issuedAt: from, expiresAt: to };
}

/** Parses a time in the format that upstream's agents use, which is Go's: `2026-11-16 08:00:00 +0000 UTC`. */
function parsed(text: string | undefined): string | undefined {
  const time = parseTime(text?.trim().replace(/^(\S+) (\S+) \+0000 UTC$/, '$1T$2Z'));
  return time === undefined ? undefined : toTime(time);
}
