import { type PolicyAnalysis, SUCCESS_VARIABLES, parseTemplateText } from '@outrigger/api';
import { CostPool, countText, errorMessage } from '@outrigger/core';
import { compileExpression } from '@outrigger/core/cel';
import type { AnalysisGate } from './analysis.js';
import type { ComparedTimes } from './compared-times.js';
import { type Sample, judgeComparison } from './comparison.js';

/** One time series of a query result: its labels and its value, which may be NaN. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The series that a metrics provider returned, or the error message. */
export type ProviderAnswer = { readonly series: readonly Series[] } | { readonly problem: string };

/** The result of a query for an earlier time. */
export interface AnswerAt {
  readonly at: number;
  readonly answer: ProviderAnswer;
}

/** The answers that one measurement received, for one analysis and one group. */
export interface Measured {
  readonly now: ProviderAnswer;
  /** The results for the times of `comparedAt`; queried only for `compare`. */
  readonly before?: readonly AnswerAt[];
  readonly comparedAt: ComparedTimes;
  /** The clusters of the group that have the target, and those that still have the old revision. */
  readonly moved: readonly string[];
  readonly peers: readonly string[];
  /** The number of analyses in the policies of this add-on. The accepted false-alarm rate is divided among them. */
  readonly analyses: number;
}

export interface MeasurementOutcome {
  readonly result: 'Pass' | 'Fail' | 'Inconclusive';
  readonly message: string;
}

const COST = 100_000;

/**
 * Returns the query with its variables replaced. Escapes values for a quoted PromQL string, so that a name cannot end the string or the
 * selector.
 */
export function queryText(query: string, values: { readonly addOn: string; readonly revision: number; readonly entry: string }): string {
  const parsed = parseTemplateText(query);
  if ('problem' in parsed) throw new Error(parsed.problem);
  const texts: Readonly<Record<string, string>> = { ADDON: values.addOn, REVISION: String(values.revision), ENTRY: values.entry };
  return parsed.parts.map((part) => (typeof part === 'string' ? part : escaped(texts[part.variable] ?? ''))).join('');
}

function escaped(text: string): string {
  return text.replace(/[\\"'`\n]/g, (character) => (character === '\n' ? '\\n' : character === '`' ? '\\x60' : `\\${character}`));
}

/**
 * Returns the outcome of a measurement. It is inconclusive if the result is empty, a value is not a number, or one cluster has two series.
 */
export function judgeMeasurement(analysis: AnalysisGate, measured: Measured): MeasurementOutcome {
  if ('problem' in measured.now) return inconclusive(measured.now.problem);
  if (measured.now.series.length === 0) return inconclusive('the query returned nothing');
  if (analysis.clusterFrom === undefined) return judgeSingle(analysis, measured.now.series);
  const now = byCluster(measured.now.series, analysis.clusterFrom);
  if ('problem' in now) return inconclusive(now.problem);
  const unclear = measured.moved.find((cluster) => now.notNumbers.has(cluster));
  if (unclear !== undefined) return inconclusive(`the value of ${unclear} is not a number`);
  const compared = analysis.compare && judgeCompare(analysis, analysis.compare, measured, now.values);
  if (compared && (compared.result === 'Fail' || analysis.success === undefined)) return compared;
  const succeeded = judgeClusters(analysis, measured.moved, now.values);
  // If there are too few clusters to compare, `success` alone decides.
  if (!compared || compared.isTooFew || succeeded.result === 'Fail') return succeeded;
  return succeeded.result === 'Pass' ? { result: compared.result, message: compared.message } : succeeded;
}

function judgeSingle({ success = 'false' }: AnalysisGate, series: readonly Series[]): MeasurementOutcome {
  const [first, ...more] = series;
  if (!first) return inconclusive('the query returned nothing');
  if (more.length > 0) return inconclusive(`the query returned ${series.length} series; without clusterFrom it must return one`);
  if (!Number.isFinite(first.value)) return inconclusive(`the query returned ${first.value}`);
  return holds(success, first.value, '');
}

function judgeClusters(
  { success = 'false' }: AnalysisGate,
  moved: readonly string[],
  values: ReadonlyMap<string, number>,
): MeasurementOutcome {
  const missing = moved.filter((cluster) => !values.has(cluster));
  const outcomes = moved.flatMap((cluster) => {
    const value = values.get(cluster);
    return value === undefined ? [] : [holds(success, value, ` on ${cluster}`)];
  });
  const failed = outcomes.find(({ result }) => result === 'Fail') ?? outcomes.find(({ result }) => result === 'Inconclusive');
  if (failed) return failed;
  if (missing.length > 0 || outcomes.length === 0)
    return inconclusive(`no value for ${missing.length > 0 ? missing.slice(0, 3).join(', ') : 'any cluster'}`);
  return { result: 'Pass', message: `holds on ${countText(outcomes.length, 'cluster')}` };
}

function holds(success: string, value: number, where: string): MeasurementOutcome {
  try {
    const answer = compileExpression(success, { variables: SUCCESS_VARIABLES, result: 'bool' }).evaluate(
      { result: value },
      new CostPool(COST),
    );
    return answer === true
      ? { result: 'Pass', message: `${value}${where}` }
      : { result: 'Fail', message: `${value}${where}: ${success} does not hold` };
  } catch (error) {
    return inconclusive(`${success} cannot be evaluated for ${value}${where}: ${errorMessage(error)}`);
  }
}

function judgeCompare(
  { clusterFrom = '', count }: AnalysisGate,
  compare: NonNullable<PolicyAnalysis['compare']>,
  { before, comparedAt, moved, peers, analyses }: Measured,
  now: ReadonlyMap<string, number>,
): MeasurementOutcome & { readonly isTooFew: boolean } {
  const earlier = valuesByTime(before ?? [], clusterFrom);
  if ('problem' in earlier) return { ...inconclusive(earlier.problem), isTooFew: false };
  const valueBefore = (cluster: string): number | undefined => earlier.get(comparedAt[cluster] ?? Number.NaN)?.get(cluster);
  const sampleOf = (cluster: string): Sample => ({ before: valueBefore(cluster), now: now.get(cluster) });
  const verdict = judgeComparison(moved.map(sampleOf), peers.map(sampleOf), {
    worse: compare.worse,
    tolerance: Number(compare.tolerance),
    confidence: Number(compare.confidence ?? '0.95'),
    minSamples: compare.minSamples ?? 3,
    looks: count,
    analyses,
  });
  const basis = verdict.basis === 'peers' ? 'clusters on the old revision' : 'their own past';
  const message = `${verdict.samples} clusters against ${basis}: p ${verdict.p.toPrecision(2)}, shift at most ${Number.isFinite(verdict.shift.upperBound) ? verdict.shift.upperBound.toPrecision(3) : 'unknown'}`;
  return { result: verdict.result, message, isTooFew: verdict.isTooFew };
}

type ValuesByTime = ReadonlyMap<number, ReadonlyMap<string, number>>;

/** The values by time and cluster. */
function valuesByTime(answers: readonly AnswerAt[], label: string): ValuesByTime | { readonly problem: string } {
  if (answers.length === 0) return { problem: 'there are no values from before' };
  const values = new Map<number, ReadonlyMap<string, number>>();
  for (const { at, answer } of answers) {
    const found = 'series' in answer ? byCluster(answer.series, label) : answer;
    if ('problem' in found) return found;
    values.set(at, found.values);
  }
  return values;
}

interface ByCluster {
  readonly values: ReadonlyMap<string, number>;
  /** Clusters whose value is not a number. */
  readonly notNumbers: ReadonlySet<string>;
}

function byCluster(series: readonly Series[], label: string): ByCluster | { readonly problem: string } {
  const values = new Map<string, number>();
  const notNumbers = new Set<string>();
  for (const { labels, value } of series) {
    const cluster = labels[label];
    if (cluster === undefined) return { problem: `a series has no label ${label}` };
    if (values.has(cluster) || notNumbers.has(cluster)) return { problem: `two series for ${cluster}` };
    if (Number.isFinite(value)) values.set(cluster, value);
    else notNumbers.add(cluster);
  }
  return { values, notNumbers };
}

function inconclusive(message: string): MeasurementOutcome {
  return { result: 'Inconclusive', message };
}
