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

/** What a cluster says about itself; of a claim and a property with one name the property counts. */
export interface Facts {
  readonly claims: Iterable<ClaimRecord>;
  readonly properties: Iterable<ClaimRecord>;
}

/** The claims the hub is told: reserved ones first and all of them, then the others up to the limit, each sorted by name. */
export function exposedClaims({ claims, properties }: Facts, { maxCustom, reservedSuffixes }: ClaimLimits): readonly ManagedClusterClaim[] {
  const isReserved = (name: string): boolean => RESERVED.includes(name) || reservedSuffixes.some((suffix) => name.endsWith(suffix));
  const byName = new Map(
    [...claims, ...properties].filter(({ isPrivate, value }) => !isPrivate && value !== '').map(({ key, value }) => [key.name, value]),
  );
  const told = [...byName].map(([name, value]) => ({ name, value })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const reserved = told.filter(({ name }) => isReserved(name));
  return [...reserved, ...told.filter(({ name }) => !isReserved(name)).slice(0, maxCustom)];
}
