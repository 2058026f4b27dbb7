import type { FleetReport, ScenarioResult } from './report.js';

const WIDTH = 640;
const BAR = 22;
const LABEL = 220;

/** Returns a page with the results of one or more runs: a table and bars, without scripts. */
export function page(reports: readonly FleetReport[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Fleet benchmark</title>
<style>body{font:14px system-ui;margin:2rem;max-width:70rem}table{border-collapse:collapse}td,th{padding:.2rem .6rem;text-align:right;border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}svg text{font:12px system-ui}</style>
<h1>Fleet benchmark</h1>
${reports.map(section).join('\n')}
</html>
`;
}

function section(report: FleetReport): string {
  const { clusters, addOns, hub, at, machine, node } = report;
  return `<h2>${clusters} clusters × ${addOns} add-ons, ${hub} hub</h2>
<p>${at}, Node ${node}, ${machine}. Ceiling of the install: ${report.ceilingSeconds.toFixed(1)} s for ${report.ceilingWrites} bare writes; the install took ${report.installToCeiling.toFixed(2)} times as long.</p>
<table><tr><th>scenario</th><th>seconds</th><th>p50 ms</th><th>p99 ms</th><th>manager requests per add-on</th><th>manager CPU per add-on, ms</th><th>API server CPU, s</th><th>swarm CPU, s</th><th>manager MB</th></tr>
${report.scenarios.map(row).join('\n')}
</table>
${bars('Processor time of the manager per add-on, ms', report.scenarios, ({ managerCpuMsPerAddOn }) => managerCpuMsPerAddOn)}
${bars('Requests of the manager per add-on', report.scenarios, ({ requestsPerAddOn }) => requestsPerAddOn)}`;
}

function row(result: ScenarioResult): string {
  const cells = [
    result.seconds.toFixed(2),
    result.writtenP50Ms?.toFixed(0) ?? '',
    result.writtenP99Ms?.toFixed(0) ?? '',
    result.requestsPerAddOn.toFixed(2),
    result.managerCpuMsPerAddOn.toFixed(2),
    (result.serverCpuMs / 1_000).toFixed(2),
    (result.swarmCpuMs / 1_000).toFixed(2),
    result.managerMb.toFixed(0),
  ];
  return `<tr><td>${result.name}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function bars(title: string, results: readonly ScenarioResult[], valueOf: (result: ScenarioResult) => number): string {
  const most = Math.max(...results.map(valueOf), Number.EPSILON);
  const rows = results.map((result, index) => {
    const width = ((WIDTH - LABEL - 60) * valueOf(result)) / most;
    const y = index * BAR;
    return `<text x="0" y="${y + 15}">${result.name}</text><rect x="${LABEL}" y="${y + 3}" width="${width.toFixed(1)}" height="${BAR - 6}" fill="#3b6ea5"/><text x="${(LABEL + width + 6).toFixed(1)}" y="${y + 15}">${valueOf(result).toFixed(2)}</text>`;
  });
  return `<h3>${title}</h3>\n<svg width="${WIDTH}" height="${results.length * BAR}" role="img" aria-label="${title}">${rows.join('')}</svg>`;
}
