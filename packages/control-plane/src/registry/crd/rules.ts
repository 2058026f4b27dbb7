import { createRuleCompiler } from '@outrigger/core/cel';
import type { RuleCompiler } from '@outrigger/core/schema';

/** Evaluates the CEL validation rules of custom resources. */
export const rules: RuleCompiler = createRuleCompiler();
