/** Returns the size of a work's manifests, which `MAX_WORK_BYTES` limits: the length of their JSON in UTF-8. */
export function manifestBytes(manifests: readonly object[]): number {
  return manifests.reduce((sum, manifest) => sum + new TextEncoder().encode(JSON.stringify(manifest)).length, 0);
}
