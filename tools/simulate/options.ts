/** The options of `npm run simulate`. */
export interface Options {
  /** Replay this seed and print its log. */
  readonly seed: number | undefined;
  /** Run this many minutes, or this many seeds. */
  readonly minutes: number | undefined;
  readonly count: number;
  /** The first seed. */
  readonly from: number;
  readonly processes: number;
  /** Whether failing histories are made smaller before they are printed. */
  readonly shrinks: boolean;
}

export const USAGE = `usage: npm run simulate -- [--seed <n>] [--minutes <n> | --count <n>] [--from <n>] [--processes <n>] [--layer 1] [--no-shrink]

  --seed n       replay one seed: the same log every time, told as a story
  --minutes n    run as many seeds as fit into n minutes
  --count n      run n seeds (default 200)
  --from n       the first seed (default 0)
  --processes n  how many seeds run at the same time (default: one per core)
  --layer 1      the only layer there is: the hub's controllers on an in-memory API
  --no-shrink    tell a failing history as it is`;

/** Throws an error with the usage if an argument is not known. */
export function parseOptions(args: readonly string[], cores: number): Options {
  const values = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const name = args[i] ?? '';
    if (name === '--no-shrink') values.set(name, 'true');
    else if (/^--(seed|minutes|count|from|processes|layer)$/.test(name) && /^\d+(\.\d+)?$/.test(args[i + 1] ?? ''))
      values.set(name, args[++i] ?? '');
    else throw new Error(`cannot read ${name}\n${USAGE}`);
  }
  if (values.has('--layer') && values.get('--layer') !== '1') throw new Error(`there is no layer ${values.get('--layer') ?? ''}\n${USAGE}`);
  const number = (name: string): number | undefined => (values.has(name) ? Number(values.get(name)) : undefined);
  return {
    seed: number('--seed'),
    minutes: number('--minutes'),
    count: number('--count') ?? 200,
    from: number('--from') ?? 0,
    processes: number('--processes') ?? cores,
    shrinks: !values.has('--no-shrink'),
  };
}
