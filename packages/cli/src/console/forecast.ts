import type { ConsoleRules } from '@outrigger/console-server';
import type { EntryPlan, Plan } from '@outrigger/hub/planner';
import { revisionChange } from '../plan/changes.js';

type PlanForecast = Awaited<ReturnType<ConsoleRules['plan']>>;

/** The number of waves per entry that a page shows, counted from the first wave. The page also shows the last wave. */
const SHOWN_WAVES = 39;
const SHOWN_NAMES = 5;
/** The seed that `outrigger plan` uses, so that the console and the command show the same plan. */
const SEED = 1;

/** Plans a rollback for the console, as `outrigger plan --revision` does. */
export const planRollBack: ConsoleRules['plan'] = async (client, { addOn, revision, from }) => {
  const { planChange } = await import('@outrigger/hub/planner');
  const change = revisionChange(addOn, revision);
  return forecastOf(await planChange(client, { addOn, title: '', change, from, seed: SEED }));
};

/** Returns the parts of a plan that the console shows. Long lists of clusters are replaced by numbers. */
export function forecastOf({ from, entries, end, durations, rights, inTheWay, notKnown }: Plan): PlanForecast {
  const { source, n, p50, p90 } = durations;
  const counted = (all: Plan['rights']['gained']): PlanForecast['rights']['gained'] =>
    all.map((right) => ({ ...right, clusters: right.clusters.length }));
  return {
    from,
    entries: entries.map(entryOf),
    ...(end ? { end: endOf(end) } : {}),
    durations: { source, n, p50, p90 },
    rights: { gained: counted(rights.gained), lost: counted(rights.lost), unknown: rights.unknown },
    inTheWay: inTheWay.map(({ message, clusters }) => ({ message, clusters: clusters.length })),
    notKnown,
  };
}

function endOf({ p50, p90, runs }: NonNullable<Plan['end']>): NonNullable<PlanForecast['end']> {
  return { p50, p90, runs };
}

function entryOf({ name, outcome, end, waves, gates }: EntryPlan): PlanForecast['entries'][number] {
  const last = waves.length > SHOWN_WAVES ? waves.slice(-1) : [];
  const shown = [...waves.slice(0, SHOWN_WAVES), ...last];
  return {
    name,
    ...(outcome === undefined ? {} : { outcome }),
    ...(end ? { end: endOf(end) } : {}),
    waves: shown.map(({ certainty: _, clusters, ...wave }) => ({
      ...wave,
      clusters: clusters.length,
      names: clusters.slice(0, SHOWN_NAMES),
    })),
    hiddenWaves: waves.length - shown.length,
    gates: gates.map(({ certainty: _, ...gate }) => gate),
  };
}
