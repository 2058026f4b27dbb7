import { isJsonObject } from '@outrigger/core';
import type { ExpressionFunction } from '@outrigger/core/cel';

/** The CEL functions that Open Cluster Management adds for condition rules and placement selectors. */
export const EXPRESSION_FUNCTIONS: readonly ExpressionFunction[] = [
  {
    name: 'hasConditions',
    params: ['dyn'],
    result: 'bool',
    call: (status) => {
      const conditions = isJsonObject(status) ? status['conditions'] : undefined;
      return Array.isArray(conditions) && conditions.length > 0;
    },
  },
  {
    name: 'parseJSON',
    isMember: true,
    params: ['string'],
    result: 'dyn',
    // Parsing JSON creates many small values, so the cost per character is higher than for other functions of strings.
    costOf: (text) => String(text).length,
    call: (text) => JSON.parse(String(text)) as unknown,
  },
];
