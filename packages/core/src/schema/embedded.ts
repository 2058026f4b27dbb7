import { fieldError } from './field-error.js';
import { objectMetaErrors } from './object-meta.js';
import { fieldPath, type Run } from './run.js';

type JsonMap = Readonly<Record<string, unknown>>;

const DNS_1035_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const KIND_RULE =
  "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
  "start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', " +
  "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/** An embedded object must say what it is; its metadata obeys the rules of any object's. */
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
  if (name === 'kind' && (value.length > 63 || !DNS_1035_LABEL.test(value.toLowerCase())))
    run.embeddedErrors.push(fieldError.invalid(field, value, KIND_RULE));
}
