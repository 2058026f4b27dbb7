import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Measured, footprintTable } from './footprint-table.js';
import type { FleetReport, ScenarioResult } from './report.js';
import { type StoredReport, committedReports, committedResults, readResult } from './results.js';

const PERFORMANCE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

/** The names of the scenarios in the table of docs/performance.md, in its order. The page with the plots shows all scenarios. */
const LISTED = [
  /^cold install/,
  /^template edit on all/,
  /^template edit of one add-on/,
  /^template edit on \d/,
  /^Progressive upgrade/,
  /^restart over a settled fleet/,
  /^one minute/,
  /^\d+ (idle )?connections/,
];

/** Updates the tables of docs/performance.md from the results that git tracks. */
export function updateDocuments(): void {
  writeFileSync(PERFORMANCE, withMeasured(readFileSync(PERFORMANCE, 'utf8'), measuredBlocks()));
}

/** Returns the generated text of each block, keyed by the name of the block. */
export function measuredBlocks(): ReadonlyMap<string, string> {
  const reports = committedReports();
  const measured = committedResults().flatMap((file) => {
    const { at, measurements = [] } = readResult(file) as {
      readonly at: string;
      readonly measurements?: readonly Omit<Measured, 'at' | 'result'>[];
    };
    return measurements.map((one): Measured => ({ ...one, at, result: file }));
  });
  return new Map([
    ['footprint', footprintTable(measured)],
    ['fleet', fleetTable(reports)],
    ['runs', runsTable(reports)],
  ]);
}

/** Replaces the blocks of a document. Each begins with `<!-- measured: name -->` and ends with `<!-- end of name -->`. */
export function withMeasured(text: string, blocks: ReadonlyMap<string, string>): string {
  let result = text;
  for (const [name, block] of blocks) {
    const [begin, end] = [`<!-- measured: ${name} -->\n`, `<!-- end of ${name} -->`];
    const from = result.indexOf(begin);
    const to = result.indexOf(end);
    if (from < 0 || to < from) throw new Error(`docs/performance.md: the marks of the block "${name}" are missing`);
    result = `${result.slice(0, from + begin.length)}${block}\n${result.slice(to)}`;
  }
  return result;
}

interface Row {
  readonly stored: StoredReport;
  readonly result: ScenarioResult;
}

/** Returns one row for each fleet and scenario, from the newest result. */
function fleetTable(reports: readonly StoredReport[]): string {
  const rows = new Map<string, Row>();
  for (const stored of reports) {
    for (const result of stored.report.scenarios) {
      const rank = rankOf(result);
      const key = `${fleetName(stored.report)} ${result.name}`;
      if (rank >= 0 && (rows.get(key)?.stored.report.at ?? '') < stored.report.at) rows.set(key, { stored, result });
    }
  }
  const order = [...new Set(reports.map(({ report }) => fleetName(report)))];
  const sorted = [...rows.values()].sort(
    (a, b) => order.indexOf(fleetName(a.stored.report)) - order.indexOf(fleetName(b.stored.report)) || rankOf(a.result) - rankOf(b.result),
  );
  return [
    '| fleet | scenario | requests per add-on | manager CPU per add-on | API server CPU per add-on | manager memory | API server memory | last work | time | valid | result |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...sorted.map(line),
  ].join('\n');
}

function line({ stored: { file, report }, result }: Row): string {
  const count = result.managerCpuMsPerAddOn > 0 ? result.managerCpuMs / result.managerCpuMsPerAddOn : report.clusters * report.addOns;
  const percent = result.more?.['managerPercentOfCore'];
  const cells = [
    fleetName(report),
    result.name,
    result.requestsPerAddOn.toFixed(2),
    percent === undefined ? `${result.managerCpuMsPerAddOn.toFixed(1)} ms` : `${percent.toFixed(1)} % of a core`,
    `${(result.serverCpuMs / count).toFixed(1)} ms`,
    `${result.managerMb.toFixed(0)} MB`,
    result.serverAnonymousMb === undefined ? '' : `${result.serverAnonymousMb.toFixed(0)} MB`,
    result.writtenLastMs === undefined ? '' : `${(result.writtenLastMs / 1_000).toFixed(1)} s`,
    `${result.seconds.toFixed(1)} s`,
    result.isValid === undefined ? '' : result.isValid ? 'yes' : 'no',
    link(file),
  ];
  return `| ${cells.join(' | ')} |`;
}

function rankOf({ name }: ScenarioResult): number {
  return LISTED.findIndex((listed) => listed.test(name));
}

/** Returns one row for each run, with the figures that are measured once per run. */
function runsTable(reports: readonly StoredReport[]): string {
  const lines = reports.map(({ file, report }) => {
    const { ceilingSeconds, installToCeiling, heapKbPerAddOn, managerHeapMb } = report;
    const cells = [
      fleetName(report),
      ceilingSeconds === undefined ? '' : `${ceilingSeconds.toFixed(1)} s`,
      installToCeiling === undefined ? '' : `${installToCeiling.toFixed(1)}×`,
      managerHeapMb === undefined ? '' : `${managerHeapMb.toFixed(0)} MB`,
      heapKbPerAddOn === undefined ? '' : `${heapKbPerAddOn.toFixed(1)} kB`,
      String(report.connections),
      report.at.slice(0, 16).replace('T', ' '),
      link(file),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| fleet | ceiling | install against the ceiling | manager heap | heap per add-on | connections of agents | measured at (UTC) | result |',
    '|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function fleetName({ clusters, addOns, hub, agents, controllers, tls }: FleetReport): string {
  const kinds = `${agents === 'real' ? ', real agents' : ''}${controllers === 'all' ? ', all controllers' : ''}`;
  return `${clusters.toLocaleString('en-US')} × ${addOns}, ${hub}${kinds}${tls === false ? ', no TLS' : ''}`;
}

function link(file: string): string {
  return `[${file.replace(/^fleet-|\.json$/g, '')}](../benchmarks/results/${file})`;
}
