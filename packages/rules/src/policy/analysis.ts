import type { AnalysisState, PolicyAnalysis } from '@outrigger/api';
import { parseDuration } from '@outrigger/core';

/** An analysis in a policy, compiled for the rules. */
export interface AnalysisGate {
  readonly name: string;
  readonly digest: string;
  readonly provider: string;
  readonly query: string;
  readonly clusterFrom: string | undefined;
  readonly intervalMs: number;
  readonly count: number;
  readonly initialDelayMs: number;
  readonly failureLimit: number;
  readonly inconclusiveLimit: number;
  readonly success: string | undefined;
  readonly compare: PolicyAnalysis['compare'];
  readonly isEnforced: boolean;
}

export function compileAnalysis(analysis: PolicyAnalysis, digest: string): AnalysisGate {
  return {
    name: analysis.name,
    digest,
    provider: analysis.provider,
    query: analysis.query,
    clusterFrom: analysis.clusterFrom,
    intervalMs: parseDuration(analysis.interval),
    count: analysis.count,
    initialDelayMs: parseDuration(analysis.initialDelay ?? '5m'),
    failureLimit: analysis.failureLimit ?? 0,
    inconclusiveLimit: analysis.inconclusiveLimit ?? 3,
    success: analysis.success,
    compare: analysis.compare,
    isEnforced: analysis.mode !== 'Observe',
  };
}

/** The state of an analysis of one group. It is `Measuring` until `count` measurements have been taken or a failure limit is exceeded. */
export type AnalysisStanding = 'Measuring' | 'Passed' | 'Failed' | 'Inconclusive';

/** The result of the measurements of one group so far. */
export function analysisStanding(
  { count, failureLimit, inconclusiveLimit }: AnalysisGate,
  state: AnalysisState | undefined,
): AnalysisStanding {
  const { passed = 0, failed = 0, inconclusive = 0 } = state ?? {};
  if (failed > failureLimit) return 'Failed';
  if (inconclusive >= inconclusiveLimit) return 'Inconclusive';
  return passed + failed >= count ? 'Passed' : 'Measuring';
}
