import { beforeAll, describe, expect, it } from 'vitest';
import { type History, type PreparedWorld, type Step, type TimedStep, examine, prepareWorld, story } from '@outrigger/simulator';

let prepared: PreparedWorld;
beforeAll(async () => {
  prepared = await prepareWorld();
});

type Strategy = Extract<Step, { readonly do: 'declare' }>['strategy'];

function declare(changes: Partial<Strategy>): Step {
  const rollout = { type: 'All', maxConcurrency: 1, maxFailures: 9, progressDeadline: 'None', minSuccessTime: '0s' } as const;
  return { do: 'declare', addOn: 'alpha', strategy: { type: 'Placements', rollout, hasCanary: false, defaultVersion: 'v1', ...changes } };
}

/** The ways in which an add-on gets a version that no revision of a rollout contains. */
const ways: readonly { readonly title: string; readonly steps: readonly Step[] }[] = [
  { title: 'a user overrides the version', steps: [declare({}), { do: 'override version', addOn: 'alpha', cluster: 'c1', version: 'v2' }] },
  { title: 'the strategy becomes Manual and leaves the version', steps: [declare({ version: 'v2' }), declare({ type: 'Manual' })] },
  {
    title: 'a user overrides the version of an add-on made by hand',
    steps: [
      declare({ type: 'Manual' }),
      { do: 'install by hand', addOn: 'alpha', cluster: 'c2' },
      { do: 'override version', addOn: 'alpha', cluster: 'c2', version: 'v2' },
    ],
  },
];
/** Edits of the template of the add-on's own version: one edit, or two in a row. */
const edits: readonly { readonly name: string; readonly steps: readonly Step[] }[] = [
  { name: 'an edit', steps: [{ do: 'edit template', addOn: 'alpha', version: 'v2', content: 'good-2' }] },
  {
    name: 'two edits',
    steps: [
      { do: 'edit template', addOn: 'alpha', version: 'v2', content: 'good-1' },
      { do: 'edit template', addOn: 'alpha', version: 'v2', content: 'good-3' },
    ],
  },
];

/** Resync is off in these runs, so the edit itself has to wake the add-on. */
describe('an add-on follows edits of the template of its own version', () => {
  const cases = ways.flatMap((way) => edits.map((edit) => ({ title: way.title, name: edit.name, steps: [...way.steps, ...edit.steps] })));
  it.each(cases)('after $name, if $title', async ({ steps }) => {
    const history: History = { seed: 1, hasReplica: false, steps: steps.map((step): TimedStep => ({ afterMs: 20_000, step })) };
    const { result, violations } = await examine(history, prepared);
    if (violations.length > 0) expect.fail(story(result, violations));
  });
});
