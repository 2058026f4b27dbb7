import { lineChart } from './line-chart.js';
import type { FleetReport, ScenarioResult } from './report.js';
import type { StoredReport } from './results.js';

/** The numbers of clusters that the plots show. The tables show the runs of all sizes. */
const SIZES: readonly number[] = [100, 300, 1_000, 3_000, 10_000];
const PLOTTED = ['cold install', 'template edit on all', 'restart over a settled fleet'];

interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly value: (result: ScenarioResult) => number | undefined;
}

const PLOTS: readonly Plot[] = [
  { title: 'Time', unit: 's', value: ({ seconds }) => seconds },
  { title: 'Requests of the manager per add-on', unit: '', value: ({ requestsPerAddOn }) => requestsPerAddOn },
  { title: 'Processor time of the manager per add-on', unit: 'ms', value: ({ managerCpuMsPerAddOn }) => managerCpuMsPerAddOn },
  { title: 'Resident memory of the manager', unit: 'MB', value: ({ managerMb }) => managerMb },
  { title: 'Memory of the API server without its store', unit: 'MB', value: ({ serverAnonymousMb }) => serverAnonymousMb },
  { title: 'Event-loop delay of the manager, 99th percentile', unit: 'ms', value: ({ managerLoopP99Ms }) => managerLoopP99Ms },
];

const STYLE = `:root{color-scheme:light dark;--ink:#1d2733;--soft:#5b6b7d;--line:#d5dce4;--bad:#b3261e;--s0:#2563a8;--s1:#b45309;--s2:#15803d}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa8b6;--line:#37424e;--bad:#ff8a80;--s0:#6cb0ff;--s1:#f0a35e;--s2:#6fd08c}}
body{font:14px system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem;color:var(--ink)}
table{border-collapse:collapse;width:100%}td,th{padding:.2rem .5rem;text-align:right;border-bottom:1px solid var(--line)}
td:first-child,th:first-child{text-align:left}th{color:var(--soft);font-weight:600}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(22rem,1fr));gap:1rem}figure{margin:0}figcaption{font-weight:600}
svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:var(--soft)}.axis{stroke:var(--line)}
.s0{stroke:var(--s0);fill:var(--s0)}.s1{stroke:var(--s1);fill:var(--s1)}.s2{stroke:var(--s2);fill:var(--s2)}polyline{fill:none!important;stroke-width:2}
.bad{color:var(--bad);font-weight:600}.soft{color:var(--soft)}code{font-size:12px}.scroll{overflow-x:auto}`;

/** Returns a page with all results: plots over the size of the fleet, and a table for each run. It needs no script. */
export function page(stored: readonly StoredReport[]): string {
  const isStandard = ({ report }: StoredReport): boolean =>
    report.agents !== 'real' && report.controllers !== 'all' && report.tls !== false;
  const others = stored.filter((one) => !isStandard(one));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fleet benchmark</title>
<style>${STYLE}</style>
<h1>Fleet benchmark</h1>
<p>A result is valid only if the event loop of the agents was late by less than a tenth of its time (99th percentile). Others are marked <span class="bad">not valid</span>.
Results from earlier versions do not say.</p>
${['embedded', 'kube'].map((hub) => plots(stored.filter(isStandard), hub)).join('\n')}
<h2>Runs with a swarm of agents over TLS, and the controllers of add-ons</h2>
${stored.filter(isStandard).map(section).join('\n')}
${others.length === 0 ? '' : `<h2>Runs with real agents, with all controllers, and without TLS</h2>\n${others.map(section).join('\n')}`}
</html>
`;
}

/** Returns the plots of one hub. They show the newest result of each size, for fleets with two add-ons on each cluster. */
function plots(stored: readonly StoredReport[], hub: string): string {
  const newest = new Map<string, { readonly at: string; readonly clusters: number; readonly result: ScenarioResult }>();
  const heap = new Map<number, { readonly at: string; readonly value: number }>();
  for (const { report } of stored) {
    if (report.hub !== hub || report.addOns !== 2 || !SIZES.includes(report.clusters)) continue;
    const { at, clusters, heapKbPerAddOn } = report;
    if (heapKbPerAddOn !== undefined && (heap.get(clusters)?.at ?? '') < at) heap.set(clusters, { at, value: heapKbPerAddOn });
    for (const result of report.scenarios) {
      const key = `${result.name} ${clusters}`;
      if ((newest.get(key)?.at ?? '') < at) newest.set(key, { at, clusters, result });
    }
  }
  if (newest.size === 0) return '';
  const charts = PLOTS.map(({ title, unit, value }) => {
    const series = PLOTTED.map((name) => ({
      name,
      points: SIZES.flatMap((clusters) => {
        const found = newest.get(`${name} ${clusters}`);
        const y = found && value(found.result);
        return y === undefined ? [] : [{ x: clusters, y }];
      }),
    }));
    return lineChart({ title, unit, series, ticks: SIZES });
  });
  const points = SIZES.flatMap((x) => (heap.has(x) ? [{ x, y: heap.get(x)?.value ?? 0 }] : []));
  const heapChart = lineChart({
    title: 'Heap of the manager per add-on',
    unit: 'kB',
    series: [{ name: 'at the end of the run', points }],
    ticks: SIZES,
  });
  return `<h2>${hub} hub, by clusters, two add-ons on each</h2>\n<div class="plots">${[...charts, heapChart].join('\n')}</div>`;
}

function section({ file, report }: StoredReport): string {
  const { clusters, addOns, hub, at, machine, commit, node, connections, missing = [] } = report;
  const kind = `${report.agents === 'real' ? ', real agents' : ''}${report.controllers === 'all' ? ', all controllers' : ''}${report.tls === false ? ', without TLS' : ''}`;
  const ceiling =
    report.ceilingSeconds === undefined || report.installToCeiling === undefined
      ? ''
      : ` Ceiling of the install: ${report.ceilingSeconds.toFixed(1)} s for ${report.ceilingWrites} bare writes; the install took ${report.installToCeiling.toFixed(2)} times as long.`;
  const heap =
    report.heapKbPerAddOn === undefined
      ? ''
      : ` Heap of the manager: ${report.managerHeapMb?.toFixed(0)} MB, ${report.heapKbPerAddOn.toFixed(2)} kB per add-on.`;
  const cut = missing.length === 0 ? '' : ` <span class="bad">The run ended before: ${missing.join(', ')}.</span>`;
  return `<h3>${thousands(clusters)} clusters × ${addOns} add-ons, ${hub} hub${kind}</h3>
<p class="soft">${at}, ${commit === undefined ? '' : `commit ${commit}, `}Node ${node}, ${machine}; ${connections} connections of agents. <code>${report.command}</code> (${file}).${ceiling}${heap}${cut}</p>
${report.scenarios.length === 0 ? '' : table(report)}
${day(report)}`;
}

const COLUMNS: readonly { readonly title: string; readonly value: (result: ScenarioResult) => string | undefined }[] = [
  { title: 'seconds', value: ({ seconds }) => seconds.toFixed(2) },
  { title: 'works p50 ms', value: ({ writtenP50Ms }) => writtenP50Ms?.toFixed(0) },
  { title: 'works p99 ms', value: ({ writtenP99Ms }) => writtenP99Ms?.toFixed(0) },
  { title: 'last work, s', value: ({ writtenLastMs }) => seconds(writtenLastMs) },
  { title: 'without the swarm, s', value: ({ writtenLastWithoutSwarmMs }) => seconds(writtenLastWithoutSwarmMs) },
  { title: 'status p99 ms', value: ({ seenP99Ms }) => seenP99Ms?.toFixed(0) },
  { title: 'requests per add-on', value: ({ requestsPerAddOn }) => requestsPerAddOn.toFixed(2) },
  { title: 'manager CPU per add-on, ms', value: ({ managerCpuMsPerAddOn }) => managerCpuMsPerAddOn.toFixed(2) },
  { title: 'manager CPU, s', value: ({ managerCpuMs }) => seconds(managerCpuMs) },
  { title: 'API server CPU, s', value: ({ serverCpuMs }) => seconds(serverCpuMs) },
  { title: 'agents CPU, s', value: ({ swarmCpuMs }) => seconds(swarmCpuMs) },
  { title: 'manager MB', value: ({ managerMb }) => managerMb.toFixed(0) },
  { title: 'API server MB', value: ({ serverAnonymousMb }) => serverAnonymousMb?.toFixed(0) },
  { title: 'at most', value: ({ serverAnonymousPeakMb }) => serverAnonymousPeakMb?.toFixed(0) },
  { title: 'manager sent, MB', value: ({ managerBytesWritten }) => megabytes(managerBytesWritten) },
  { title: 'received, MB', value: ({ managerBytesRead }) => megabytes(managerBytesRead) },
  { title: 'loop p99, ms', value: ({ managerLoopP99Ms }) => managerLoopP99Ms?.toFixed(0) },
  { title: 'agents p99, ms', value: ({ swarmLoopP99Ms }) => swarmLoopP99Ms.toFixed(0) },
  { title: 'valid', value: ({ isValid }) => (isValid === undefined ? '' : isValid ? 'yes' : '<span class="bad">not valid</span>') },
];

function table({ scenarios }: FleetReport): string {
  const rows = scenarios.map((result) => {
    const more = Object.entries(result.more ?? {}).map(([name, value]) => `${name} ${Number(value.toFixed(2))}`);
    const notes = `${more.length === 0 ? '' : `<br><span class="soft">${more.join(', ')}</span>`}${result.problem === undefined ? '' : `<br><span class="bad">${result.problem}</span>`}`;
    return `<tr><td>${result.name}${notes}</td>${COLUMNS.map(({ value }) => `<td>${value(result) ?? ''}</td>`).join('')}</tr>`;
  });
  const heads = COLUMNS.map(({ title }) => `<th>${title}</th>`).join('');
  return `<div class="scroll"><table><tr><th>scenario</th>${heads}</tr>\n${rows.join('\n')}\n</table></div>`;
}

function day({ day: found }: FleetReport): string {
  if (!found) return '';
  const requests = Object.entries(found.requests).map(([name, count]) => `${count} ${name}`);
  return `<p>${found.hours} hours of virtual time with ${found.clusters} × ${found.addOns} settled add-ons and ${thousands(found.leaseRenewals)} renewals of leases: ${found.writes} writes of the manager, ${found.changes} changes of add-ons and works. Its requests: ${requests.join(', ') || 'none'}.</p>`;
}

function seconds(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : (ms / 1_000).toFixed(1);
}

function megabytes(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : (bytes / 1e6).toFixed(1);
}

function thousands(value: number): string {
  return value.toLocaleString('en-US');
}
