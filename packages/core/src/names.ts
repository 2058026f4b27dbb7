/**
 * Kubernetes' naming rules. Each validator returns the API server's error messages, or an empty list. The patterns are written so that each
 * character can match in only one way, which makes matching linear in the length of the string.
 */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const NAME_PART = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${NAME_PART})?`;

const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const dns1035Pattern = new RegExp(`^${DNS1035_LABEL}$`);
const namePartPattern = new RegExp(`^${NAME_PART}$`);
const labelValuePattern = new RegExp(`^${LABEL_VALUE}$`);

const NAME_PART_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME_PART}')`;

/** Validates a name that is one DNS label, such as that of a namespace. */
export function validateDns1123Label(value: string): string[] {
  const problems = tooLong(value, 63, 'characters');
  if (labelPattern.test(value)) return problems;
  if (subdomainPattern.test(value)) return [...problems, 'must not contain dots'];
  return [
    ...problems,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
      `alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
  ];
}

/** Validates a name of DNS labels joined by dots, which is the rule for most object names. */
export function validateDns1123Subdomain(value: string): string[] {
  return subdomainProblems(value, 'characters');
}

function subdomainProblems(value: string, unit: Unit): string[] {
  const problems = tooLong(value, 253, unit);
  if (subdomainPattern.test(value)) return problems;
  return [
    ...problems,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
      `alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`,
  ];
}

/** Validates the stricter label of services and CRD plurals, which must start with a letter. */
export function validateDns1035Label(value: string): string[] {
  const problems = tooLong(value, 63, 'characters');
  if (dns1035Pattern.test(value)) return problems;
  return [
    ...problems,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an " +
      `alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${DNS1035_LABEL}')`,
  ];
}

/** Validates keys of labels and annotations, and finalizers: a name with an optional DNS prefix, such as `example.com/name`. */
export function validateQualifiedName(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [`a valid label key ${NAME_PART_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  const problems = parts.length === 2 ? prefixProblems(parts[0] ?? '') : [];
  if (name === '') problems.push('name part must be non-empty');
  else problems.push(...tooLong(name, 63, 'bytes').map((problem) => `name part ${problem}`));
  if (!namePartPattern.test(name)) problems.push(`name part ${NAME_PART_TEXT}`);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return subdomainProblems(prefix, 'bytes').map((problem) => `prefix part ${problem}`);
}

export function validateLabelValue(value: string): string[] {
  const problems = tooLong(value, 63, 'bytes');
  if (labelValuePattern.test(value)) return problems;
  return [
    ...problems,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
      `alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`,
  ];
}

const encoder = new TextEncoder();

/** How a real server words the limit. It counts bytes in both cases. */
type Unit = 'bytes' | 'characters';

function tooLong(value: string, maxBytes: number, unit: Unit): string[] {
  // A UTF-16 unit takes one to three bytes, so most strings need not be encoded.
  const { length } = value;
  const isTooLong = length > maxBytes || (length * 3 > maxBytes && encoder.encode(value).length > maxBytes);
  return isTooLong ? [`must be no more than ${maxBytes} ${unit}`] : [];
}

export interface GroupVersion {
  /** The group; empty for the core group. */
  readonly group: string;
  readonly version: string;
}

/** Parses `v1` or `apps/v1`. Throws if there is more than one slash. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const parts = apiVersion.split('/');
  if (parts.length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const [first = '', second] = parts;
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/**
 * Returns the most likely plural of a kind, by the rule that the API machinery uses without discovery. Prefer the actual resource name
 * (from a CRD or discovery) if it is known.
 */
export function guessPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular === '' || singular.endsWith('endpoints')) return singular;
  if (singular.endsWith('s')) return `${singular}es`;
  if (singular.endsWith('y')) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
