import { type ControllerRevision, controllerRevisions } from '@outrigger/api';
import { apiVersionOf, type JsonObject, type OwnerReference, parseTime, toTime } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { moveText, readMove } from './moves.js';
import { CLUSTER_OUTCOMES, type ClusterMove, type ClusterOutcome, type TargetRecord } from './target-record.js';

/** The label of the ControllerRevisions that store target records; its value is empty. */
export const TARGET_RECORD_LABEL = 'outrigger.dev/target-record';

/** Maximum number of bytes for the clusters in one stored record. The whole object has at most 256 kB. */
const MAX_BYTES = 250_000;

/**
 * Returns the name of the object that stores a record. If the same target ends again, its new record gets another name, because stored data
 * never changes.
 */
export function targetRecordName({
  addOn,
  entry,
  revision,
  startedAt,
  endedAt,
  outcome,
}: Omit<TargetRecord, 'clusters' | 'omitted'>): string {
  const identity = canonicalJson({ addOn, entry, revision, startedAt, endedAt, outcome });
  return `outrigger-target-${sha256Hex(identity).slice(0, 40)}`;
}

/**
 * Builds the object that stores a record. For each outcome, its data has one text with an item `<cluster>:<seconds until the
 * admission>+<duration>` for each cluster. If there are too many clusters, the object lists all that did not succeed and an even selection
 * of the others.
 */
export function targetRecordObject(record: TargetRecord, namespace: string, owner: OwnerReference): ControllerRevision {
  const { clusters, omitted, ...rest } = record;
  const startedAt = parseTime(record.startedAt) ?? 0;
  const kept = bounded(clusters, startedAt);
  const texts: [string, string][] = CLUSTER_OUTCOMES.flatMap((outcome): [string, string][] => {
    const some = kept.filter((one) => one.outcome === outcome);
    return some.length === 0 ? [] : [[outcome, some.map((one) => textOf(one, startedAt)).join(' ')]];
  });
  const missing = omitted + clusters.length - kept.length;
  const data: JsonObject = { ...rest, clusters: Object.fromEntries(texts), ...(missing > 0 ? { omitted: missing } : {}) };
  return {
    apiVersion: apiVersionOf(controllerRevisions),
    kind: controllerRevisions.kind,
    metadata: { name: targetRecordName(record), namespace, labels: { [TARGET_RECORD_LABEL]: '' }, ownerReferences: [owner] },
    revision: record.revision,
    data,
  };
}

/** Reads a stored record. Returns undefined if the object does not contain one. */
export function readTargetRecord({ data = {} }: Pick<ControllerRevision, 'data'>): TargetRecord | undefined {
  const { addOn, entry, revision, from, startedAt, endedAt, outcome, clusters, omitted } = data as Partial<StoredRecord>;
  if (typeof addOn !== 'string' || typeof entry !== 'string' || typeof revision !== 'number') return undefined;
  if (typeof startedAt !== 'string' || typeof endedAt !== 'string' || typeof outcome !== 'string') return undefined;
  const start = parseTime(startedAt) ?? 0;
  const moves = CLUSTER_OUTCOMES.flatMap((one) => readMoves(clusters?.[one], one, start));
  return {
    addOn,
    entry,
    revision,
    ...(typeof from === 'number' ? { from } : {}),
    startedAt,
    endedAt,
    outcome,
    clusters: moves.sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
    omitted: typeof omitted === 'number' ? omitted : 0,
  };
}

type StoredRecord = Omit<TargetRecord, 'clusters'> & { readonly clusters: Readonly<Record<string, unknown>> };

function readMoves(text: unknown, outcome: ClusterOutcome, startedAt: number): readonly ClusterMove[] {
  if (typeof text !== 'string' || text === '') return [];
  return text.split(' ').map((one) => {
    const [cluster = '', encoded] = one.split(':');
    const move = readMove(encoded);
    return move ? { cluster, outcome, admittedAt: toTime(startedAt + move.admitted * 1000), seconds: move.seconds } : { cluster, outcome };
  });
}

function textOf({ cluster, admittedAt, seconds = 0 }: ClusterMove, startedAt: number): string {
  const admitted = parseTime(admittedAt);
  if (admitted === undefined) return cluster;
  return `${cluster}:${moveText({ admitted: (admitted - startedAt) / 1000, seconds, hasFailed: false })}`;
}

function bounded(clusters: readonly ClusterMove[], startedAt: number): readonly ClusterMove[] {
  const sized = clusters.map((move) => ({ move, bytes: textOf(move, startedAt).length + 1 }));
  if (bytesOf(sized) <= MAX_BYTES) return clusters;
  const others = fitting(
    sized.filter(({ move }) => move.outcome !== 'Succeeded'),
    MAX_BYTES,
  );
  const succeeded = fitting(
    sized.filter(({ move }) => move.outcome === 'Succeeded'),
    MAX_BYTES - bytesOf(others),
  );
  return [...others, ...succeeded].map(({ move }) => move);
}

interface SizedMove {
  readonly move: ClusterMove;
  readonly bytes: number;
}

function bytesOf(moves: readonly SizedMove[]): number {
  return moves.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Returns an even selection of the moves that takes at most `room` bytes. */
function fitting(moves: readonly SizedMove[], room: number): readonly SizedMove[] {
  const total = bytesOf(moves);
  if (total <= room) return moves;
  const share = Math.max(0, room / total);
  const even = moves.filter((_, i) => Math.floor((i + 1) * share) > Math.floor(i * share));
  let used = 0;
  return even.filter(({ bytes }) => {
    used += bytes;
    return used <= room;
  });
}
