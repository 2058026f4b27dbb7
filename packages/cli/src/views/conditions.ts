import { type Condition, findCondition } from '@outrigger/core';
import type { Cell } from '../terminal/table.js';

type Conditions = readonly Condition[] | undefined;

/** Returns the status of a condition, coloured by whether it has the wanted value. */
export function statusCell(conditions: Conditions, type: string, wanted: 'True' | 'False' = 'True'): Cell | undefined {
  const found = findCondition(conditions, type);
  if (!found) return undefined;
  if (found.status === 'Unknown') return { text: 'Unknown', as: 'warn' };
  return { text: found.status, as: found.status === wanted ? 'good' : 'bad' };
}

/**
 * Returns the reason why the manager cannot configure the add-on, such as ConfigurationNotFound. Returns undefined if the manager can
 * configure it, or if the add-on only waits for its rollout. Progressing and Available still report the content that runs.
 */
export function unconfigured(conditions: Conditions): string | undefined {
  const configured = findCondition(conditions, 'Configured');
  return configured?.status === 'False' && configured.reason !== 'ConfigurationsNotConfigured' ? configured.reason : undefined;
}

/** Returns the reason of Progressing: the current step, or the outcome. Returns the reason of Configured if that is the problem. */
export function progressCell(conditions: Conditions): Cell | undefined {
  const problem = unconfigured(conditions);
  if (problem !== undefined) return { text: problem, as: 'bad' };
  const found = findCondition(conditions, 'Progressing');
  if (!found) return undefined;
  if (found.reason === 'Failed') return { text: found.reason, as: 'bad' };
  return found.status === 'True' ? { text: found.reason, as: 'warn' } : found.reason;
}

/** Returns the status of Degraded. A missing condition means the same as False, so both are shown as False. */
export function degradedCell(conditions: Conditions): Cell {
  return statusCell(conditions, 'Degraded', 'False') ?? { text: 'False', as: 'good' };
}
