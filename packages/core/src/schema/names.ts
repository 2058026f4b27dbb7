/** What a name, label or annotation key may look like; each function returns what is wrong, in the API server's words. */

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const DNS_1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const DNS_LABEL_REGEX = whole(DNS_LABEL);
const DNS_SUBDOMAIN_REGEX = whole(DNS_SUBDOMAIN);
const DNS_1035_REGEX = whole(DNS_1035_LABEL);
const QUALIFIED_NAME_REGEX = whole(QUALIFIED_NAME);
const LABEL_VALUE_REGEX = whole(LABEL_VALUE);

const ENDS = 'and must start and end with an alphanumeric character';
const NAME_RULE = `must consist of alphanumeric characters, '-', '_' or '.', ${ENDS}`;
const VALUE_RULE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${ENDS}`;
const LABEL_RULE = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${ENDS}`;
const SUBDOMAIN_RULE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${ENDS}`;
const DNS_1035_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
  'and end with an alphanumeric character';

function rule(words: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${words} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

const tooLong = (max: number): string => `must be no more than ${max} bytes`;
const encoder = new TextEncoder();

/** Length in bytes of UTF-8, which is what limits are about. */
function bytes(text: string): number {
  return encoder.encode(text).length;
}

/** Namespaces and other names that must be one DNS label. */
export function dnsLabelProblems(name: string): string[] {
  const problems = bytes(name) > 63 ? [tooLong(63)] : [];
  if (DNS_LABEL_REGEX.test(name)) return problems;
  return [...problems, DNS_SUBDOMAIN_REGEX.test(name) ? 'must not contain dots' : rule(LABEL_RULE, DNS_LABEL, 'my-name', '123-abc')];
}

/** Object names, unless a kind says otherwise. */
export function dnsSubdomainProblems(name: string): string[] {
  const problems = bytes(name) > 253 ? [tooLong(253)] : [];
  return DNS_SUBDOMAIN_REGEX.test(name) ? problems : [...problems, rule(SUBDOMAIN_RULE, DNS_SUBDOMAIN, 'example.com')];
}

export function dns1035LabelProblems(name: string): string[] {
  const problems = bytes(name) > 63 ? [tooLong(63)] : [];
  return DNS_1035_REGEX.test(name) ? problems : [...problems, rule(DNS_1035_RULE, DNS_1035_LABEL, 'my-name', 'abc-123')];
}

/** Names that only need to survive in a URL, such as those of roles. */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

/** Keys of labels and annotations, and finalizers: `name` or `prefix/name`. */
export function qualifiedNameProblems(name: string): string[] {
  const parts = name.split('/');
  const examples = ['MyName', 'my.name', '123-abc'];
  if (parts.length > 2) {
    const words = rule(NAME_RULE, QUALIFIED_NAME, ...examples);
    return [`a valid label key ${words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const problems: string[] = [];
  const [prefix] = parts;
  const last = parts.at(-1) ?? '';
  if (parts.length === 2 && prefix === '') problems.push('prefix part must be non-empty');
  else if (parts.length === 2) problems.push(...dnsSubdomainProblems(prefix ?? '').map((problem) => `prefix part ${problem}`));
  if (last === '') problems.push('name part must be non-empty');
  else if (bytes(last) > 63) problems.push(`name part ${tooLong(63)}`);
  if (!QUALIFIED_NAME_REGEX.test(last)) problems.push(`name part ${rule(NAME_RULE, QUALIFIED_NAME, ...examples)}`);
  return problems;
}

export function labelValueProblems(value: string): string[] {
  const problems = bytes(value) > 63 ? [tooLong(63)] : [];
  if (LABEL_VALUE_REGEX.test(value)) return problems;
  return [...problems, rule(VALUE_RULE, LABEL_VALUE, 'MyValue', 'my_value', '12345')];
}
