import {
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from '../../names.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { parseTimestamp } from '../time.js';
import { listOf, opaque, optionalOf, STRING } from '../types.js';
import { CelOpaque, CelOptional } from '../values.js';

const TYPE_NAME = 'kubernetes.NamedFormat';
const FORMAT = opaque(TYPE_NAME);

type Validate = (text: string) => readonly string[];

class CelFormat extends CelOpaque {
  readonly typeName = TYPE_NAME;
  readonly name: string;
  readonly validate: Validate;
  constructor(name: string, validate: Validate) {
    super();
    this.name = name;
    this.validate = validate;
  }
  equals(other: CelOpaque): boolean {
    return other instanceof CelFormat && other.name === this.name;
  }
}

/** Validates a prefix to which random characters will be added, as in `generateName`. It may end in a dash. */
function prefixOf(validate: Validate): Validate {
  return (text) => validate(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);
}

function pattern(expression: RegExp, problem: string): Validate {
  return (text) => (expression.test(text) ? [] : [problem]);
}

function isDateTime(text: string): boolean {
  try {
    parseTimestamp(text);
    return true;
  } catch {
    return false;
  }
}

const FORMATS: ReadonlyMap<string, CelFormat> = new Map(
  (
    [
      ['dns1123Label', validateDns1123Label],
      ['dns1123Subdomain', validateDns1123Subdomain],
      ['dns1035Label', validateDns1035Label],
      ['dns1123LabelPrefix', prefixOf(validateDns1123Label)],
      ['dns1123SubdomainPrefix', prefixOf(validateDns1123Subdomain)],
      ['dns1035LabelPrefix', prefixOf(validateDns1035Label)],
      ['qualifiedName', validateQualifiedName],
      ['labelValue', validateLabelValue],
      ['uri', pattern(/^([A-Za-z][A-Za-z0-9+.-]*:|\/)[^\s]*$/, 'invalid URI for request')],
      ['uuid', pattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i, 'does not match the UUID format')],
      ['byte', pattern(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'invalid base64')],
      ['date', (text) => (isDateTime(`${text}T00:00:00Z`) ? [] : ['invalid date'])],
      ['datetime', (text) => (isDateTime(text) ? [] : ['invalid datetime'])],
    ] as readonly (readonly [string, Validate])[]
  ).map(([name, validate]) => [name, new CelFormat(name, validate)]),
);

/** The named formats. `format.dns1123Label().validate(x)` returns an optional list of errors, which is none if `x` is valid. */
export const NAMED_FORMATS: readonly CelFunction[] = [
  ...[...FORMATS].map(([name, format]) => define(`format.${name}`, [], FORMAT, () => format)),
  define('format.named', [STRING], optionalOf(FORMAT), (name: string) => new CelOptional(FORMATS.get(name))),
  defineMember('validate', [FORMAT, STRING], optionalOf(listOf(STRING)), (format: CelFormat, text: string) => {
    const problems = format.validate(text);
    return problems.length === 0 ? CelOptional.none : new CelOptional(problems);
  }),
];
