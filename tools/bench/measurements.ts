/** One measurement. A benchmark prints each of them as a line of JSON. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The maximum allowed `value`; for a rate (a unit that ends in `/s`), the minimum. */
  readonly budget?: number;
  readonly file?: string;
}

/** Returns the measurements in the output of a benchmark. Lines that are not JSON are human-readable output and are skipped. */
export function measurementsIn(output: string): Measurement[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Measurement);
}

export function isOverBudget({ value, unit, budget }: Measurement): boolean {
  if (budget === undefined) return false;
  return unit.endsWith('/s') ? value < budget : value > budget;
}

/** Returns a table whose columns are as wide as their widest cell, with numbers aligned to the right. */
export function table(measurements: readonly Measurement[]): string {
  if (measurements.length === 0) return '';
  const rows = [
    ['BENCHMARK', 'VALUE', 'UNIT', 'BUDGET', ''],
    ...measurements.map((measurement) => [
      measurement.name,
      number(measurement.value),
      measurement.unit,
      measurement.budget === undefined ? '' : number(measurement.budget),
      isOverBudget(measurement) ? 'OVER' : '',
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const isNumber = (column: number): boolean => column === 1 || column === 3;
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}

function number(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
