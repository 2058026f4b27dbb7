import type { ScenarioResult } from './report.js';
import type { StoredReport } from './results.js';

/**
 * The limits for the costs per add-on in the larger of two fleets, compared with the smaller fleet: `requests` is the maximum relative
 * difference of the requests, and `cpu` is the maximum ratio of the processor times.
 */
export const GROWTH_LIMITS = { requests: 0.02, cpu: 1.3 } as const;

/** The scenarios in which each add-on changes in the same way in a fleet of any size. */
const COMPARED = ['cold install', 'template edit on all'];

export interface Sizes {
  readonly small: number;
  readonly large: number;
  readonly addOns: number;
  readonly hub: string;
}

export interface Growth {
  readonly lines: readonly string[];
  readonly isWithin: boolean;
}

/** Compares two fleets of different sizes. For each size, the comparison uses the newest result that contains all compared scenarios. */
export function growthBetween(reports: readonly StoredReport[], sizes: Sizes): Growth {
  const [small, large] = [newest(reports, sizes, sizes.small), newest(reports, sizes, sizes.large)];
  const lines = [`${sizes.small} clusters: ${small.file}`, `${sizes.large} clusters: ${large.file}`];
  let isWithin = true;
  for (const name of COMPARED) {
    const [a, b] = [scenarioOf(small, name), scenarioOf(large, name)];
    if (!a || !b) continue;
    const requests = b.requestsPerAddOn / a.requestsPerAddOn;
    const cpu = b.managerCpuMsPerAddOn / a.managerCpuMsPerAddOn;
    const isGood = Math.abs(requests - 1) <= GROWTH_LIMITS.requests && cpu <= GROWTH_LIMITS.cpu;
    isWithin &&= isGood;
    lines.push(
      `${name}: requests per add-on ${a.requestsPerAddOn.toFixed(3)} → ${b.requestsPerAddOn.toFixed(3)} (${percent(requests)}, at most 2 %), ` +
        `CPU per add-on ${a.managerCpuMsPerAddOn.toFixed(2)} → ${b.managerCpuMsPerAddOn.toFixed(2)} ms (${cpu.toFixed(2)} ×, at most 1.3 ×): ` +
        (isGood ? 'within the limits' : 'TOO MUCH'),
    );
  }
  return { lines, isWithin };
}

function percent(ratio: number): string {
  return `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(2)} %`;
}

function newest(reports: readonly StoredReport[], { addOns, hub }: Sizes, clusters: number): StoredReport {
  const [found] = reports
    .filter(({ report }) => report.clusters === clusters && report.addOns === addOns && report.hub === hub)
    .filter(({ report }) => report.agents !== 'real' && report.controllers !== 'all' && report.tls !== false)
    .filter((stored) => scenarioOf(stored, 'cold install') && scenarioOf(stored, 'template edit on all'))
    .sort((a, b) => b.report.at.localeCompare(a.report.at));
  if (found) return found;
  const command = `npm run bench:fleet -- --clusters ${clusters} --addons ${addOns} --hub ${hub} --scenarios install,edit,restart`;
  throw new Error(`there is no result of ${clusters} × ${addOns} (${hub}) with an install and an edit; make one with: ${command}`);
}

function scenarioOf({ report }: StoredReport, name: string): ScenarioResult | undefined {
  return report.scenarios.find((scenario) => scenario.name === name);
}
