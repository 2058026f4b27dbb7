import type { ManagedClusterClaim } from '@outrigger/api';
import type { ClaimRecord } from '../resources/claims.js';

/** Claims every cluster may tell, whatever the limit. */
const RESERVED: readonly string[] = [
  'id.k8s.io',
  'kubeversion.open-cluster-management.io',
  'platform.open-cluster-management.io',
  'product.open-cluster-management.io',
];

export interface ClaimLimits {
  /** Of claims that are not reserved. */
  readonly maxCustom: number;
  /** Names that end so are reserved too. */
  readonly reservedSuffixes: readonly string[];
}

export const DEFAULT_CLAIM_LIMITS: ClaimLimits = { maxCustom: 20, reservedSuffixes: [] };

/** The claims the hub is told: reserved ones first and all of them, then the others up to the limit, each sorted by name. */
export function exposedClaims(claims: Iterable<ClaimRecord>, { maxCustom, reservedSuffixes }: ClaimLimits): readonly ManagedClusterClaim[] {
  const isReserved = (name: string): boolean => RESERVED.includes(name) || reservedSuffixes.some((suffix) => name.endsWith(suffix));
  const told = [...claims]
    .filter(({ isPrivate, value }) => !isPrivate && value !== '')
    .map(({ key, value }) => ({ name: key.name, value }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const reserved = told.filter(({ name }) => isReserved(name));
  return [...reserved, ...told.filter(({ name }) => !isReserved(name)).slice(0, maxCustom)];
}
