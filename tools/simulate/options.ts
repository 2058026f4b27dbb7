/** The options of `npm run simulate`. */
export interface Options {
  /** The seed of the history to replay. The replay prints its log. */
  readonly seed: number | undefined;
  /** The number of minutes to run. If undefined, `count` seeds are run. */
  readonly minutes: number | undefined;
  readonly count: number;
  /** The first seed. */
  readonly from: number;
  readonly processes: number;
  /**
   * Layer 1 runs the controllers on an in-memory API; layer 2 runs whole servers, a manager and agents; layer 3 runs managers as processes
   * on a real API server.
   */
  readonly layer: 1 | 2 | 3;
  /** Whether failing histories are shrunk before they are printed. */
  readonly shrinks: boolean;
}

export const USAGE = `usage: npm run simulate -- [--seed <n>] [--minutes <n> | --count <n>] [--from <n>] [--processes <n>] [--layer 1|2|3] [--no-shrink]

  --seed n       replay one seed: prints its log as a story, the same every time
  --minutes n    run as many seeds as fit into n minutes
  --count n      run n seeds (default 200)
  --from n       the first seed (default 0)
  --processes n  how many seeds run at the same time (default: one per core)
  --layer n      1: the controllers on an in-memory API (default); 2: whole servers, a manager and agents, shorter histories;
                 3: a real API server and two managers as processes, in real time
  --no-shrink    print a failing history as it is`;

const LAYERS = [1, 2, 3] as const;

/** Parses the arguments. Throws an error with the usage if an argument is not known. */
export function parseOptions(args: readonly string[], cores: number): Options {
  const values = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const name = args[i] ?? '';
    if (name === '--no-shrink') values.set(name, 'true');
    else if (/^--(seed|minutes|count|from|processes|layer)$/.test(name) && /^\d+(\.\d+)?$/.test(args[i + 1] ?? ''))
      values.set(name, args[++i] ?? '');
    else throw new Error(`cannot read ${name}\n${USAGE}`);
  }
  const layer = LAYERS.find((one) => String(one) === (values.get('--layer') ?? '1'));
  if (layer === undefined) throw new Error(`there is no layer ${values.get('--layer') ?? ''}\n${USAGE}`);
  const number = (name: string): number | undefined => (values.has(name) ? Number(values.get(name)) : undefined);
  const seed = number('--seed');
  // The second and third layers replay a seed by running it alone.
  const isOneSystem = layer !== 1 && seed !== undefined;
  return {
    seed,
    minutes: isOneSystem ? undefined : number('--minutes'),
    count: isOneSystem ? 1 : (number('--count') ?? 200),
    from: isOneSystem ? seed : (number('--from') ?? 0),
    processes: isOneSystem ? 1 : (number('--processes') ?? cores),
    layer,
    shrinks: !values.has('--no-shrink'),
  };
}
