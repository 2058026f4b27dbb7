export interface Options {
  /** Test files or folders, in vitest's syntax. */
  readonly paths: readonly string[];
  readonly runs: number;
  /** Whether programs that keep every core busy run while the tests run. */
  readonly hasHogs: boolean;
  /** Whether the tests also run once on a single core. */
  readonly hasOneCore: boolean;
}

export const USAGE = `usage: npm run test:stability -- <path>... [--runs 20] [--no-hog] [--no-one-core]

Runs the tests in each path again and again while other programs keep every core busy, then once on one core, and reports which tests
failed how often. Paths below test/kube run on a real kube-apiserver, paths below test/console in a browser. A whole suite is the path
packages test tools (\`npm test\`), test/kube or test/console.
`;

/** Parses the arguments. Throws an Error with a human-readable message. */
export function parseOptions(args: readonly string[]): Options {
  let options: Options = { paths: [], runs: 20, hasHogs: true, hasOneCore: true };
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] ?? '';
    if (argument === '--no-hog') options = { ...options, hasHogs: false };
    else if (argument === '--no-one-core') options = { ...options, hasOneCore: false };
    else if (argument === '--runs') options = { ...options, runs: countOf(args[++i]) };
    else if (argument.startsWith('-')) throw new Error(`unknown option ${argument}`);
    else options = { ...options, paths: [...options.paths, argument] };
  }
  if (options.paths.length === 0) throw new Error('a path is missing');
  return options;
}

function countOf(text = ''): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`--runs needs a number from 1 to 9999, not "${text}"`);
  return Number(text);
}

/** The vitest configurations, each with the folder of its tests. The first one is for all tests outside the other folders. */
const CONFIGS = [
  { config: 'vitest.config.ts', folder: '' },
  { config: 'vitest.kube.config.ts', folder: 'test/kube' },
  { config: 'test/console/vitest.config.ts', folder: 'test/console' },
  { config: 'test/interop/vitest.config.ts', folder: 'test/interop' },
] as const;

/** Returns the vitest configurations for the paths, each with its paths. */
export function suitesOf(paths: readonly string[]): readonly { readonly config: string; readonly paths: readonly string[] }[] {
  const configOf = (path: string): string =>
    CONFIGS.slice(1).find(({ folder }) => new RegExp(`(^|/)${folder}(/|$)`).test(path))?.config ?? CONFIGS[0].config;
  return CONFIGS.map(({ config }) => ({ config, paths: paths.filter((path) => configOf(path) === config) })).filter(
    (suite) => suite.paths.length > 0,
  );
}
