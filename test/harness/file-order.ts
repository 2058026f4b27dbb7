import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest files of `npm test`, in the order in which they start. If one of them started last, it would run alone at the end. Files that
 * compute (simulations) alternate with files that wait (for a hub, a process or a lease), so that both cores are busy from the start.
 */
export const FIRST_TESTS: readonly string[] = [
  'test/integration/fleet/histories/first-half.test.ts',
  'test/cli/rollback.test.ts',
  'test/cli/steering.test.ts',
  'test/integration/fleet/histories/second-half.test.ts',
  'test/cli/docs-commands.test.ts',
  'test/cli/process.test.ts',
  'test/integration/identity/faulty-network.test.ts',
  'test/examples/examples.test.ts',
  'test/integration/thread/simulation.test.ts',
  'test/integration/identity/whole-story.test.ts',
  'test/cli/honest-states.test.ts',
  'test/cli/people.test.ts',
  'test/cli/hub-flags.test.ts',
  'test/integration/fleet/histories/gated.test.ts',
  'test/integration/identity/crashes.test.ts',
  'test/integration/identity/failures.test.ts',
  'test/conformance/embedded.test.ts',
  'test/integration/work/normalisation.test.ts',
  'test/simulation/sample.test.ts',
  'test/cli/bad-moments.test.ts',
  'test/kubectl/embedded.test.ts',
  'test/integration/fleet/fleet.test.ts',
  'test/cli/exit-codes.test.ts',
  'packages/core/src/cel/cost.test.ts',
  'test/integration/identity/failures-on-sockets.test.ts',
  'test/integration/clusters/gone.test.ts',
  'packages/hub/src/planner/calibration.test.ts',
  'packages/control-plane/src/durability/durability.test.ts',
  'test/integration/addon/write-budget.test.ts',
  'packages/control-plane/src/serve/kubectl.test.ts',
  'test/integration/placement/placement.test.ts',
  'test/simulation/found.test.ts',
  'test/integration/start-up/unreadable-kinds.test.ts',
  'test/simulation/retarget.test.ts',
  'tools/stability/stability.test.ts',
];

/** The slowest files of `npm run test:kube`, slowest first. */
export const FIRST_KUBE_TESTS: readonly string[] = [
  'fleet',
  'conformance',
  'addon-content',
  'addon-seeds',
  'work',
  'console-browser',
  'placement',
  'addon-stories',
  'identity',
  'simulation',
  'hub-replicas',
  'cli-guides',
  'fleet-leaders',
  'identity-cluster',
  'cli',
  'cli-people',
  'identity-failures',
  'cli-flags',
  'cli-pins',
  'evidence',
  'cli-beside',
  'kubectl',
  'thread',
  'unreadable-kinds',
  'console-access',
  'gone-cluster',
  'runtime/runtime',
  'cli-package',
  'cli-upstream',
  'cli-mistakes',
  'harness',
].map((name) => `test/kube/${name}.test.ts`);

/** The slowest files of `npm run test:console`, slowest first. */
export const FIRST_CONSOLE_TESTS: readonly string[] = ['synthetic', 'same-answers', 'attacks', 'users', 'keyboard', 'local-fleet'].map(
  (name) => `test/console/${name}.test.ts`,
);

/** Sorts the files in `first` by their place there, and all other files after them by name. */
export function inOrder<T extends { readonly moduleId: string }>(files: readonly T[], first: readonly string[]): T[] {
  const place = ({ moduleId }: T): number => {
    const index = first.findIndex((file) => moduleId.endsWith(`/${file}`));
    return index < 0 ? first.length : index;
  };
  return [...files].sort((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1));
}

/** Returns a sequencer for vitest that starts the given files first, in the given order. */
export function startingWith(first: readonly string[]): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return inOrder(files, first);
    }
  };
}
