/** Returns the processor time, including garbage collection. A busy machine does not distort it. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns the live heap after a full garbage collection. Needs `--expose-gc`. */
export function heapBytes(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error('run with --expose-gc');
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

/** Prints one measurement as a line that `npm run bench` reads. */
export function print(name: string, value: number, unit: string, budget?: number): void {
  console.log(JSON.stringify({ name, value: Math.round(value * 100) / 100, unit, ...(budget === undefined ? {} : { budget }) }));
}
