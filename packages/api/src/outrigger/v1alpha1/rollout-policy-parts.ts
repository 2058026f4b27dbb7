import type { ValidationRule } from '@outrigger/core/schema';
import { string } from '../../schema/builders.js';
import type { TypeDefinition } from '../../schema/types.js';

const DURATION_PATTERN = '^([0-9]{1,7}(h|m|s))+$';
const POSITIVE: ValidationRule = { rule: "duration(self) > duration('0s')", message: 'must be longer than 0' };

/** Returns the type of a positive duration, such as `2h` or `1h30m`. */
export function duration(): TypeDefinition {
  return string({ maxLength: 32, pattern: DURATION_PATTERN, 'x-kubernetes-validations': [POSITIVE] });
}
