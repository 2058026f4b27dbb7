/**
 * Returns the lock file of a package whose dependencies are a subset of the repository's, with the same versions and digests. `lock` is the
 * repository's parsed lock file; `manifest` is the package's manifest.
 */
export function lockFor(lock, manifest) {
  const packages = {
    '': { name: manifest.name, version: manifest.version, license: manifest.license, dependencies: manifest.dependencies },
  };
  const waiting = Object.keys(manifest.dependencies ?? {});
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const path = `node_modules/${name}`;
    if (packages[path]) continue;
    const found = lock.packages[path];
    if (!found) continue; // It is an optional package for another platform, which the lock file omits.
    // The repository may need the package only for a development tool, but here it is a normal dependency.
    const { dev: _dev, devOptional: _devOptional, peer: _peer, ...entry } = found;
    packages[path] = entry;
    waiting.push(...Object.keys(entry.dependencies ?? {}), ...Object.keys(entry.optionalDependencies ?? {}));
  }
  return { name: manifest.name, version: manifest.version, lockfileVersion: lock.lockfileVersion, requires: true, packages };
}
