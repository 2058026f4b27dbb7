/** Selects a share of the clusters by their numbers: a share of 0.1 selects every tenth cluster, beginning with the first. */
export function isSelected(cluster: number, share: number): boolean {
  return share > 0 && cluster % everyOf(share) === 0;
}

export function selectedCount(clusters: number, share: number): number {
  return share > 0 ? Math.ceil(clusters / everyOf(share)) : 0;
}

function everyOf(share: number): number {
  return Math.round(1 / share);
}

/** Returns the number of a cluster whose name is `c<number>`. */
export function numberOf(cluster: string): number {
  return Number(cluster.slice(1));
}
