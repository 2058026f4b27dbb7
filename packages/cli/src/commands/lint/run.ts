import { createValidator } from '@outrigger/api';
import { createRuleCompiler } from '@outrigger/core/cel';
import { CommandError, EXIT } from '../../failure.js';
import { readObjects } from '../../fleet/files.js';
import { lint } from '../../lint/lint.js';
import { clean } from '../../terminal/clean.js';
import { formatValue } from '../../terminal/format.js';
import type { CommandContext } from '../context.js';
import type { LintCommandOptions } from './command.js';

export async function lintFiles(context: CommandContext, options: LintCommandOptions): Promise<void> {
  const { terminal } = context;
  const files = await readObjects(options.filename, context.stdin);
  const problems = lint(files, { validator: createValidator(createRuleCompiler()), variables: options.variables });
  if (options.output === 'json') terminal.out(formatValue(problems, 'json'));
  else
    for (const { file, line, object, message, isWarning } of problems)
      terminal.out(`${clean(file)}:${line}: ${isWarning ? 'warning: ' : ''}${clean(object)}: ${clean(message)}\n`);
  const refused = problems.filter(({ isWarning }) => !isWarning).length;
  if (refused > 0) throw new CommandError(`${refused} ${refused === 1 ? 'problem' : 'problems'} in ${files.length} objects`, EXIT.no);
  const warnings = problems.length;
  terminal.note(
    `${files.length} objects, no problems${warnings === 0 ? '' : `, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`}\n`,
  );
}
