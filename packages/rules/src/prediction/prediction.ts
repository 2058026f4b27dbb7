import type { RolloutEntry, RolloutPrediction } from '@outrigger/api';

/** A target whose end is to be predicted. The start time distinguishes two rollouts of an entry to the same revision. */
export interface PredictionRequest {
  readonly entry: string;
  readonly revision: number;
  readonly startedAt: string;
}

/** The answer to a request. */
export interface PredictedEnd extends PredictionRequest {
  /** The prediction; undefined if the rollout does not end in the simulated runs, for example because a window never opens. */
  readonly prediction: RolloutPrediction | undefined;
}

/** The targets to which clusters have started to move and that have no prediction yet. There are none if no policy governs the add-on. */
export function predictionsDue(entries: readonly RolloutEntry[], isGoverned: boolean): readonly PredictionRequest[] {
  if (!isGoverned) return [];
  return entries.flatMap((entry) => {
    const request = requestOf(entry);
    return request && entry.prediction === undefined && entry.state === 'Progressing' ? [request] : [];
  });
}

/**
 * Returns the entry with its prediction: the recorded one if the target is the same, otherwise one that was computed since. An entry has no
 * prediction if no policy governs the add-on.
 */
export function withPrediction(
  entry: RolloutEntry,
  before: RolloutEntry | undefined,
  { isGoverned, predicted }: { readonly isGoverned: boolean; readonly predicted: readonly PredictedEnd[] },
): RolloutEntry {
  if (!isGoverned) return entry;
  const request = requestOf(entry);
  if (!request) return entry;
  const isSameTarget = before?.targetRevision === request.revision && before.startedAt === request.startedAt;
  const known = isSameTarget ? before.prediction : undefined;
  const prediction = known ?? predicted.find((one) => isAnswerTo(one, request))?.prediction;
  return prediction ? { ...entry, prediction } : entry;
}

export function isAnswerTo(one: PredictionRequest, { entry, revision, startedAt }: PredictionRequest): boolean {
  return one.entry === entry && one.revision === revision && one.startedAt === startedAt;
}

function requestOf({ name, targetRevision, startedAt }: RolloutEntry): PredictionRequest | undefined {
  return targetRevision === undefined || startedAt === undefined ? undefined : { entry: name, revision: targetRevision, startedAt };
}
