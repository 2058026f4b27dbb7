import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { measuredBlocks, withMeasured } from '../../benchmarks/fleet/documents.js';
import { page } from '../../benchmarks/fleet/page.js';
import { committedReports, committedResults, readResult } from '../../benchmarks/fleet/results.js';
import { figuresIn, unsupported } from './figures.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');

/** Figures of docs/performance.md that are limits, settings or inputs of the benchmark. */
const DEFINED: ReadonlySet<string> = new Set([
  '2 %', // The limit for the growth of requests per add-on.
  '1.3×', // The limit for the growth of processor time per add-on.
  '10 %', // The default of --share.
  '5 s', // The delay of the agents in the scenario with slow agents.
  '12 MB', // The young generation: 12 MB with `--max-semi-space-size=4`, 48 MB with V8's default.
  '48 MB',
]);

describe('the figures of the documents', () => {
  it('are in tables that equal the committed results', () => {
    const text = textOf('docs/performance.md');
    expect(withMeasured(text, measuredBlocks()), 'run: npm run bench:fleet -- --page').toBe(text);
  });

  it('are on the page with the plots, which shows the committed results', () => {
    expect(page(committedReports()), 'run: npm run bench:fleet -- --page').toBe(textOf('benchmarks/results/fleet.html'));
  });

  it.each(['README.md', 'docs/performance.md'])('come from a committed result, in %s', (path) => {
    expect(unsupported(textOf(path), committedResults().map(readResult), DEFINED)).toEqual([]);
  });

  it('are found with their units, and not in code, links or generated tables', () => {
    const text = [
      'An edit takes 12.7 s, 1,024 MB and 0.9 % of a core; `--delay 5 s` and [x](y-3 s.json) are no figures.',
      '<!-- measured: runs -->',
      '| 99 s |',
      '<!-- end of runs -->',
    ].join('\n');
    expect(figuresIn(text).map(({ text: figure }) => figure)).toEqual(['12.7 s', '1,024 MB', '0.9 %']);
  });

  it('need a value of the same kind that rounds to them', () => {
    const results = [{ measurements: [{ value: 12.74, unit: 's of CPU' }] }, { scenarios: [{ managerCpuMs: 5_330, managerMb: 13.2 }] }];
    expect(unsupported('12.7 s and 5.3 s and 13 MB', results)).toEqual([]);
    expect(unsupported('12.8 s and 5.4 s and 12.7 MB and 13 ms and 13 %', results)).toEqual([
      '12.8 s',
      '5.4 s',
      '12.7 MB',
      '13 ms',
      '13 %',
    ]);
    expect(unsupported('12.8 s', results, new Set(['12.8 s']))).toEqual([]);
  });
});
