/**
 * The lock file of a package whose dependencies are a subset of the repository's: with the same versions and digests. `lock` is the parsed
 * lock file of the repository; `manifest` is that of the package.
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
    if (!found) continue; // an optional package of another platform that the repository's lock does not have
    // The repository may have the package only as a dependency of a development tool; here it is a normal dependency.
    const { dev: _dev, devOptional: _devOptional, peer: _peer, ...entry } = found;
    packages[path] = entry;
    waiting.push(...Object.keys(entry.dependencies ?? {}), ...Object.keys(entry.optionalDependencies ?? {}));
  }
  return { name: manifest.name, version: manifest.version, lockfileVersion: lock.lockfileVersion, requires: true, packages };
}
