import { createRuleCompiler } from '@outrigger/core/cel';
import type { RuleCompiler } from '@outrigger/core/schema';

/** What evaluates the rules of custom resources. */
export const rules: RuleCompiler = createRuleCompiler();
