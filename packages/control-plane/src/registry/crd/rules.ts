import type { RuleCompiler } from '@outrigger/core/schema';
import * as cel from '@outrigger/core/cel';

/** What evaluates the rules of custom resources. */
export const rules: RuleCompiler = (cel as unknown as { ruleCompiler: RuleCompiler }).ruleCompiler;
