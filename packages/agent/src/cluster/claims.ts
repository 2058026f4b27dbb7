import type { ManagedClusterClaim } from '@outrigger/api';
import type { ClaimProjection } from '../resources/claims.js';

/** The claims that the agent always reports. They do not count towards `maxCustom`. */
const RESERVED: readonly string[] = [
  'id.k8s.io',
  'kubeversion.open-cluster-management.io',
  'platform.open-cluster-management.io',
  'product.open-cluster-management.io',
];

export interface ClaimLimits {
  /** The maximum number of reported claims that are not reserved. */
  readonly maxCustom: number;
  /** The suffixes of the names of further reserved claims. */
  readonly reservedSuffixes: readonly string[];
}

export const DEFAULT_CLAIM_LIMITS: ClaimLimits = { maxCustom: 20, reservedSuffixes: [] };

/** The claims and properties of a cluster. A property takes precedence over a claim with the same name. */
export interface Facts {
  readonly claims: Iterable<ClaimProjection>;
  readonly properties: Iterable<ClaimProjection>;
}

/** Returns the claims that the agent reports: first all reserved claims, then other claims up to the limit, each part sorted by name. */
export function exposedClaims({ claims, properties }: Facts, { maxCustom, reservedSuffixes }: ClaimLimits): readonly ManagedClusterClaim[] {
  const isReserved = (name: string): boolean => RESERVED.includes(name) || reservedSuffixes.some((suffix) => name.endsWith(suffix));
  const byName = new Map(
    [...claims, ...properties].filter(({ isPrivate, value }) => !isPrivate && value !== '').map(({ key, value }) => [key.name, value]),
  );
  const reported = [...byName].map(([name, value]) => ({ name, value })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const reserved = reported.filter(({ name }) => isReserved(name));
  return [...reserved, ...reported.filter(({ name }) => !isReserved(name)).slice(0, maxCustom)];
}
