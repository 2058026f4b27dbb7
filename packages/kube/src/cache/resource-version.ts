const NUMBER = /^(0|[1-9]\d*)$/;

/**
 * Whether `reached` is at or after `wanted` in the history of one API server. Kubernetes allows clients to compare resourceVersions as
 * integers; other values can only be compared for equality.
 */
export function isAtLeast(reached: string, wanted: string): boolean {
  if (reached === wanted) return true;
  if (!NUMBER.test(reached) || !NUMBER.test(wanted)) return false;
  if (reached.length !== wanted.length) return reached.length > wanted.length;
  return reached > wanted;
}
