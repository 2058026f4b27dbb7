import { createValidator } from '@outrigger/api';
import { countText } from '@outrigger/core';
import { createRuleCompiler } from '@outrigger/core/cel';
import { CommandError, EXIT } from '../../failure.js';
import { readFiles } from '../../fleet/files.js';
import { type Problem, lint } from '../../lint/lint.js';
import { clean } from '../../terminal/clean.js';
import { formatValue } from '../../terminal/format.js';
import type { CommandContext } from '../context.js';
import type { LintCommandOptions } from './command.js';

export async function lintFiles(context: CommandContext, options: LintCommandOptions): Promise<void> {
  const { terminal } = context;
  const { objects, problems: unreadable } = await readFiles(options.filename, context);
  const { variables, roles } = options;
  const nowMs = (await context.runtime()).clock.now();
  const problems: readonly Problem[] = [
    ...unreadable.map((problem) => ({ ...problem, object: '' })),
    ...lint(objects, { validator: createValidator(createRuleCompiler()), variables, roles, nowMs, isComplete: unreadable.length === 0 }),
  ];
  if (options.output === 'json') terminal.out(formatValue(problems, 'json'));
  else for (const problem of problems) terminal.out(`${lineFor(problem)}\n`);
  const refused = problems.filter(({ isWarning }) => !isWarning).length;
  if (refused > 0) throw new CommandError(`${countText(refused, 'problem')} in ${countText(objects.length, 'object')}`, EXIT.no);
  const warnings = problems.length;
  terminal.note(`${countText(objects.length, 'object')}, no problems${warnings === 0 ? '' : `, ${countText(warnings, 'warning')}`}\n`);
}

function lineFor({ file, line, object, message, isWarning }: Problem): string {
  const about = object === '' ? '' : `${clean(object)}: `;
  return `${clean(file)}:${line}: ${isWarning ? 'warning: ' : ''}${about}${clean(message)}`;
}
