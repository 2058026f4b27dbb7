import { type JsonMap } from '../json.js';
import { validateDns1035Label } from '../names.js';
import { fieldError } from './field-error.js';
import { objectMetaErrors } from './object-meta.js';
import { fieldPath, type Run } from './run.js';

/** Validates an embedded object: it must have apiVersion and kind, and its metadata is validated as for any object. */
export function embeddedCheck(map: JsonMap, run: Run): void {
  const at = (name: string): string => fieldPath([...run.path, name]);
  for (const name of ['apiVersion', 'kind']) {
    const value = map[name];
    if (value === undefined) run.embeddedErrors.push(fieldError.required(at(name)));
    else if (typeof value !== 'string') run.embeddedErrors.push(fieldError.invalid(at(name), value, 'must be a string'));
    else if (value === '') run.embeddedErrors.push(fieldError.invalid(at(name), value, 'must not be empty'));
    else checkTypeName(name, value, at(name), run);
  }
  if (map['metadata'] !== undefined) run.embeddedErrors.push(...objectMetaErrors(map['metadata'], at('metadata')));
}

function checkTypeName(name: string, value: string, field: string, run: Run): void {
  if (name === 'apiVersion' && value.split('/').length > 2)
    run.embeddedErrors.push(fieldError.invalid(field, value, `unexpected GroupVersion string: ${value}`));
  const problems = name === 'kind' ? validateDns1035Label(value.toLowerCase()) : [];
  if (problems.length > 0)
    run.embeddedErrors.push(fieldError.invalid(field, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`));
}
