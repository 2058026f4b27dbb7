export function report(name: string, value: number, unit: string, budget?: number): void {
  process.stdout.write(
    `${JSON.stringify({ name, value: Math.round(value * 100) / 100, unit, ...(budget === undefined ? {} : { budget }) })}\n`,
  );
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
