/** A report of vitest's JSON reporter, with only the fields that are read here. */
export interface SuiteReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly TestResult[];
  }[];
}

export interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly duration?: number | null;
  readonly failureMessages?: readonly string[] | null;
}

/** One run of the given files: how it was started, its reports, and whether vitest itself failed. */
export interface Run {
  readonly how: string;
  readonly reports: readonly SuiteReport[];
  readonly isFailed: boolean;
}

export interface Failure {
  /** The file and the test. */
  readonly name: string;
  /** For each run in which the test failed, how the run was started. */
  readonly runs: readonly string[];
  readonly firstMessage: string;
}

/** Returns the tests and files that failed in at least one run. */
export function failuresOf(runs: readonly Run[]): readonly Failure[] {
  const found = new Map<string, { runs: string[]; firstMessage: string }>();
  const note = (name: string, how: string, message: string): void => {
    const failure = found.get(name);
    if (failure) failure.runs.push(how);
    else found.set(name, { runs: [how], firstMessage: message });
  };
  for (const { how, reports, isFailed } of runs) {
    const inRun = reports.flatMap(failedIn);
    for (const { name, message } of inRun) note(name, how, message);
    if (isFailed && inRun.length === 0) note('(the run itself)', how, 'vitest failed and its report has no failed test');
  }
  return [...found].map(([name, failure]) => ({ name, ...failure })).sort((a, b) => b.runs.length - a.runs.length);
}

function failedIn({ testResults }: SuiteReport): readonly { readonly name: string; readonly message: string }[] {
  return testResults.flatMap(({ name: file, status, message = '', assertionResults }) => {
    const tests = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages }) => ({ name: `${file} › ${fullName}`, message: failureMessages?.[0] ?? '' }));
    // If an import or a hook throws, the file fails but no test does.
    return status === 'failed' && tests.length === 0 ? [{ name: file, message }] : tests;
  });
}

/** Returns the human-readable summary: a line for each test that failed, and the total. */
export function summaryOf(runs: readonly Run[]): string {
  const failures = failuresOf(runs);
  const lines = failures.flatMap(({ name, runs: failedRuns, firstMessage }) => [
    `${failedRuns.length} of ${runs.length} runs failed: ${name}`,
    `  in ${failedRuns.join(', ')}`,
    ...firstMessage
      .split('\n')
      .slice(0, 12)
      .map((line) => `  | ${line}`),
  ]);
  const clean = runs.length - new Set(failures.flatMap(({ runs: failedRuns }) => failedRuns)).size;
  return `${[...lines, `${clean} of ${runs.length} runs passed`].join('\n')}\n`;
}
