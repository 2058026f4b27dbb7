import type { OfferedAction } from '@outrigger/console-contract';

export const STOP: OfferedAction = {
  action: { action: 'pause-all' },
  label: 'Stop rollouts',
  command: 'outrigger pause --all',
  question: 'No further cluster of any add-on is admitted until you resume. Clusters in flight finish their move.',
};

export const RESUME: OfferedAction = {
  action: { action: 'resume-all' },
  label: 'Resume rollouts',
  command: 'outrigger resume --all',
  question: 'Rollouts go on, except those of add-ons that are paused by name.',
};
