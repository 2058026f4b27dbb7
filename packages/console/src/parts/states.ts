// The shape and colour of every state, in one table. Each cell state has its own shape, so that readers do not depend on colour.
import {
  type Attention,
  CELL_STATES,
  type CellState,
  type ClusterState,
  type ConditionItem,
  type LanePhase,
  type RolloutState,
  type WhyLink,
} from '@outrigger/console-contract';

export type Tone = 'good' | 'move' | 'wait' | 'bad' | 'warn' | 'none';

export type Shape =
  | 'dot'
  | 'arc'
  | 'clock'
  | 'ring'
  | 'bars'
  | 'half'
  | 'diamond'
  | 'triangle'
  | 'question'
  | 'cross'
  | 'chevrons'
  | 'square'
  | 'minus'
  | 'speck';

export interface Look {
  readonly word: string;
  readonly shape: Shape;
  readonly tone: Tone;
  /** 0 means that no action is needed. A higher rank is more urgent. */
  readonly rank: number;
}

const look = (word: string, shape: Shape, tone: Tone, rank: number): Look => ({ word, shape, tone, rank });

const CELLS: Readonly<Record<CellState, Look>> = {
  absent: look('absent', 'minus', 'none', 0),
  available: look('available', 'dot', 'good', 0),
  progressing: look('progressing', 'arc', 'move', 1),
  removing: look('removing', 'cross', 'move', 2),
  waiting: look('waiting', 'ring', 'wait', 3),
  unknown: look('unknown', 'question', 'wait', 4),
  unreachable: look('unreachable', 'diamond', 'warn', 5),
  degraded: look('degraded', 'half', 'warn', 6),
  blocked: look('blocked', 'bars', 'warn', 7),
  unavailable: look('unavailable', 'square', 'bad', 8),
  failed: look('failed', 'triangle', 'bad', 9),
};

const CLUSTERS: Readonly<Record<Exclude<ClusterState, CellState>, Look>> = {
  unreported: look('has not reported', 'question', 'wait', 4),
  pending: look('waits to be accepted', 'ring', 'wait', 3),
  deleting: look('being deleted', 'cross', 'move', 2),
};

const PHASES: Readonly<Record<Exclude<LanePhase, CellState>, Look>> = {
  inFlight: look('in flight', 'arc', 'move', 1),
  soaking: look('soaking', 'clock', 'move', 1),
  done: look('done', 'dot', 'good', 0),
  skipped: look('skipped', 'chevrons', 'wait', 4),
  parked: look('parked', 'diamond', 'warn', 5),
};

const ROLLOUTS: Readonly<Record<RolloutState, Look>> = {
  None: look('no rollout', 'minus', 'none', 0),
  Pending: look('pending', 'ring', 'wait', 3),
  Progressing: look('progressing', 'arc', 'move', 1),
  Completed: look('completed', 'dot', 'good', 0),
  Paused: look('paused', 'bars', 'wait', 4),
  Halted: look('halted', 'triangle', 'bad', 9),
};

const ATTENTION: Readonly<Record<Exclude<Attention['type'], CellState>, Look>> = {
  halted: look('halted', 'triangle', 'bad', 9),
  'fleet-paused': look('all paused', 'bars', 'warn', 8),
  held: look('pinned', 'square', 'wait', 4),
  paused: look('paused', 'bars', 'wait', 4),
  confirmation: look('waits for a confirmation', 'question', 'warn', 7),
  approval: look('waits for an approval', 'question', 'warn', 7),
  certificate: look('certificate about to end', 'clock', 'warn', 5),
  'pending-cluster': look('cluster waits to be accepted', 'ring', 'wait', 3),
};

/** An event in the activity that needs no action. */
const EVENTS = { event: look('event', 'speck', 'none', 0) } as const;

/** The states of gates, which are drawn as doors between waiting clusters and clusters in flight. */
const GATES = {
  'closed-gate': look('closed', 'bars', 'warn', 7),
  'open-gate': look('open', 'chevrons', 'good', 0),
} as const;

const WHY: Readonly<Record<WhyLink['type'], Look>> = {
  ok: look('holds', 'dot', 'good', 0),
  wait: look('waits', 'ring', 'wait', 3),
  stop: look('stops here', 'triangle', 'bad', 9),
  note: look('note', 'minus', 'none', 0),
};

const CONDITIONS: Readonly<Record<ConditionItem['status'], Look>> = {
  True: look('True', 'dot', 'good', 0),
  False: look('False', 'cross', 'wait', 3),
  Unknown: look('Unknown', 'question', 'wait', 4),
};

const LOOKS: Readonly<Record<string, Look>> = {
  ...CELLS,
  ...CLUSTERS,
  ...PHASES,
  ...ROLLOUTS,
  ...ATTENTION,
  ...GATES,
  ...EVENTS,
  ...WHY,
  ...CONDITIONS,
};

/** The rank of each cell state, in the order of CELL_STATES. */
export const STATE_RANKS: readonly number[] = CELL_STATES.map((state) => CELLS[state].rank);

/** The appearance of a state. An unknown state is shown like `unknown`, with its own name. */
export function lookOf(state: string): Look {
  return (Object.hasOwn(LOOKS, state) ? LOOKS[state] : undefined) ?? { word: state, shape: 'question', tone: 'wait', rank: 5 };
}

/** Returns the state whose icon is shown for a condition. For some conditions, such as Degraded, the status True is a problem. */
export function conditionState({ type, status, reason }: Pick<ConditionItem, 'type' | 'status' | 'reason'>): string {
  if (type === 'Degraded' && status !== 'Unknown') return status === 'True' ? 'degraded' : 'True';
  if (type === 'Progressing' && status !== 'Unknown') return reason === 'Failed' ? 'failed' : status === 'True' ? 'progressing' : 'note';
  return status;
}

/** Paths on a square of 16 × 16 units, for both SVG and canvas. */
export const PATHS: Readonly<Record<Shape, { readonly path: string; readonly isFilled: boolean }>> = {
  dot: { path: 'M8 4.4a3.6 3.6 0 1 0 0 7.2a3.6 3.6 0 1 0 0-7.2z', isFilled: true },
  arc: { path: 'M8 2.8a5.2 5.2 0 1 1-5.2 5.2', isFilled: false },
  clock: { path: 'M8 2.8a5.2 5.2 0 1 0 0 10.4a5.2 5.2 0 1 0 0-10.4M8 5.4V8.2L10 9.4', isFilled: false },
  ring: { path: 'M8 3.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2z', isFilled: false },
  bars: { path: 'M5.5 4v8M10.5 4v8', isFilled: false },
  half: {
    path: 'M8 2.5a5.5 5.5 0 0 1 0 11zM8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13m0 1.6a4.9 4.9 0 0 1 0 9.8a4.9 4.9 0 0 1 0-9.8',
    isFilled: true,
  },
  diamond: { path: 'M8 2.2 13.8 8 8 13.8 2.2 8z', isFilled: false },
  triangle: { path: 'M8 1.8 14.8 14H1.2z', isFilled: true },
  question: { path: 'M5.6 6a2.4 2.4 0 1 1 3.4 2.2c-.7.4-1 .8-1 1.6M8 12.6v.2', isFilled: false },
  cross: { path: 'M4.2 4.2l7.6 7.6M11.8 4.2l-7.6 7.6', isFilled: false },
  chevrons: { path: 'M3.5 4.5 7 8l-3.5 3.5M9 4.5 12.5 8 9 11.5', isFilled: false },
  square: { path: 'M3.6 3.6h8.8v8.8H3.6z', isFilled: false },
  minus: { path: 'M5.5 8h5', isFilled: false },
  speck: { path: 'M8 5.4a2.6 2.6 0 1 0 0 5.2a2.6 2.6 0 1 0 0-5.2z', isFilled: true },
};
