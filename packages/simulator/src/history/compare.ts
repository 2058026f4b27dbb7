import type { KubeObject } from '@outrigger/core';
import type { PreparedWorld } from '../world/world.js';
import { run } from './run.js';
import { type History, type Step, isFault } from './steps.js';

/** Steps whose effect depends on when they run, because the object that they change may not exist yet or may have been replaced. */
const MOMENTARY: ReadonlySet<Step['do']> = new Set<Step['do']>([
  'pin',
  'pin entry',
  'decide',
  'confirm',
  'override version',
  'override config',
  'install by hand',
  'uninstall by hand',
  'join',
  'detach',
]);

/**
 * Whether a step's effect depends on when it runs. This includes a change to strategy Manual, which keeps the add-ons that exist at that
 * time.
 */
function isMomentary(step: Step): boolean {
  return MOMENTARY.has(step.do) || ('strategy' in step && step.strategy.type === 'Manual');
}

/**
 * Runs the actions of a history with and without its faults. Returns the differences between the final states: add-ons with their versions
 * and conditions, works with their content, and the clusters that Placements select.
 */
export async function compareWithoutFaults(history: History, prepared: PreparedWorld): Promise<readonly string[]> {
  const steps = history.steps.filter(({ step }) => !isMomentary(step));
  const faulted = await run({ ...history, steps }, prepared);
  const calm = await run({ ...history, hasReplica: false, steps: steps.filter(({ step }) => !isFault(step)) }, prepared);
  const [a, b] = [endOf(faulted.end), endOf(calm.end)];
  return [
    ...a.filter((line) => !b.includes(line)).map((line) => `+ ${line}`),
    ...b.filter((line) => !a.includes(line)).map((line) => `- ${line}`),
  ];
}

interface Readable {
  readonly spec?: unknown;
  readonly status?: {
    readonly currentVersion?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
    readonly decisions?: readonly { readonly clusterName: string }[];
  };
}

function endOf(objects: ReadonlyMap<string, ReadonlyMap<string, KubeObject>>): readonly string[] {
  const lines = (plural: string, text: (object: Readable) => unknown): readonly string[] =>
    Array.from(objects.get(plural) ?? [], ([id, object]) => `${plural} ${id} ${JSON.stringify(text(object as Readable))}`);
  const conditions = ({ status }: Readable): readonly string[] =>
    (status?.conditions ?? []).filter((one) => one.type !== 'Degraded' || one.status === 'True').map((one) => `${one.type}=${one.status}`);
  return [
    ...lines('managedclusteraddons', (addOn) => [addOn.status?.currentVersion, conditions(addOn).toSorted()]),
    ...lines('manifestworks', ({ spec }) => spec),
    ...lines('placementdecisions', ({ status }) => status?.decisions?.map(({ clusterName }) => clusterName)),
  ];
}
