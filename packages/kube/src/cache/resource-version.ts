const NUMBER = /^(0|[1-9]\d*)$/;

/**
 * Whether the resourceVersion `reached` is equal to or later than `wanted`, on one API server. Kubernetes allows clients to compare
 * resourceVersions as integers. Other values can only be compared for equality.
 */
export function isAtLeast(reached: string, wanted: string): boolean {
  if (reached === wanted) return true;
  if (!NUMBER.test(reached) || !NUMBER.test(wanted)) return false;
  if (reached.length !== wanted.length) return reached.length > wanted.length;
  return reached > wanted;
}
