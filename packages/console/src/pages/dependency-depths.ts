/** Returns the depth of each add-on below its dependencies. Dependencies that are not in `addOns`, and cycles, add no depth. */
export function dependencyDepths(
  addOns: readonly { readonly name: string; readonly dependsOn: readonly string[] }[],
): ReadonlyMap<string, number> {
  const needs = new Map(addOns.map(({ name, dependsOn }) => [name, dependsOn]));
  const depths = new Map<string, number>();
  const visit = (name: string, path: ReadonlySet<string>): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const below = new Set([...path, name]);
    const above = (needs.get(name) ?? []).filter((other) => needs.has(other) && !below.has(other));
    const depth = above.length === 0 ? 0 : 1 + Math.max(...above.map((other) => visit(other, below)));
    if (path.size === 0) depths.set(name, depth);
    return depth;
  };
  for (const { name } of addOns) visit(name, new Set());
  return depths;
}
