/** A number that `npm run bench` measured, with the time of the measurement and the name of its result file. */
export interface Measured {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly at: string;
  readonly result: string;
}

interface Line {
  readonly what: string;
  /**
   * A text with placeholders for figures. `{<name>:<digits>}` is replaced by the value of the measurement `<name>`, rounded to `<digits>`
   * decimal places.
   */
  readonly figures: string;
  readonly command: string;
}

const PARTS = (part: string): string => `\`OUTRIGGER_BENCH_PARTS=${part} npm run bench -- footprint\``;

const LINES: readonly Line[] = [
  {
    what: '`outrigger get addons`',
    figures: '{outrigger get addons: CPU:0} ms of CPU, where an empty Node process takes {an empty Node process: CPU:0} ms',
    command: PARTS('command'),
  },
  { what: 'the agent, joined', figures: '{agent, joined: resident memory:0} MB resident', command: PARTS('agent') },
  {
    what: 'the agent, 40 works of five objects',
    figures:
      '{agent, 40 works × 5 objects: resident memory:0} MB resident when settled, {agent, 40 works × 5 objects: most resident memory:0} MB at most; {agent, 40 works × 5 objects: CPU with the start:0} ms of CPU with its start',
    command: PARTS('agent'),
  },
  {
    what: '`outrigger up --clusters 1000`, with two add-ons on each',
    figures:
      '{up --clusters 1000: CPU until ready:0} s of CPU until ready, {up --clusters 1000: most resident memory:0} MB resident at most; {up --clusters 1000: idle, share of a core:1} % of a core when idle',
    command: PARTS('up'),
  },
  {
    what: '`outrigger plan` for 10,000 clusters, 1 % at a time, 200 runs',
    figures: '{plan of 10,000 clusters, 1 % at a time, 200 runs:1} s of CPU',
    command: '`npm run bench -- plan.ts`',
  },
  { what: 'the manager, no clusters', figures: '{manager, empty fleet: resident memory:0} MB resident', command: PARTS('manager') },
];

/** Returns the table of the costs of single programs, from the newest measurement of each figure. */
export function footprintTable(measured: readonly Measured[]): string {
  const rows = LINES.map(({ what, figures, command }) => {
    const results = new Set<string>();
    const text = figures.replace(/\{(.+?):(\d)\}/g, (_, name: string, digits: string) => {
      const found = newest(measured, name);
      results.add(found.result);
      return found.value.toFixed(Number(digits));
    });
    const links = [...results].map((file) => `[${file.replace('.json', '')}](../benchmarks/results/${file})`);
    return `| ${what} | ${text} | ${command} | ${links.join(', ')} |`;
  });
  return ['| what | figure | command | result |', '|---|---|---|---|', ...rows].join('\n');
}

function newest(measured: readonly Measured[], name: string): Measured {
  const [found] = measured.filter((one) => one.name === name).sort((a, b) => b.at.localeCompare(a.at));
  if (!found) throw new Error(`no committed result has "${name}"`);
  return found;
}
