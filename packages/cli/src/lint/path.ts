export type Path = readonly (string | number)[];

/** Parses a path as error messages show it: `spec.manifests[0].name`, `metadata.labels[example.com/tier]`. */
export function stepsOf(path: string): Path {
  return [...path.matchAll(/\[([^\]]*)\]|[^.[]+/g)].map(([step, inside]) =>
    inside === undefined ? step : /^\d+$/.test(inside) ? Number(inside) : inside,
  );
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (parent, step) =>
      typeof parent === 'object' && parent !== null && Object.hasOwn(parent, step)
        ? (parent as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}

/** Returns the path at the start of a message (`spec.name: must be set`); empty if the message does not start with a path. */
export function pathOf(message: string): string {
  return /^([A-Za-z][\w-]*(?:\.[\w/-]+|\[[^\]]*\])*)(?=: | is )/.exec(message)?.[1] ?? '';
}
