/** Descriptions of the patterns in our schemas, for error messages. */
const WORDS: Readonly<Record<string, string>> = {
  '^((100|[0-9]{1,2})%|[0-9]+)$': 'use a number, or 0% to 100%',
  '^((100|[1-9][0-9]?)%|[1-9][0-9]*)$': 'use a number from 1 on, or 1% to 100%',
  '^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$': 'use a duration such as 30s, 5m or 1h30m, or 0',
  '^(([0-9]+[hms])+|None)$': 'use a duration such as 30s, 5m or 1h30m, or None',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$': 'use lower-case letters, digits and -, with a letter or digit first and last',
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$': 'use lower-case letters, digits and -, with a letter or digit first and last, or ""',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$':
    'use lower-case letters, digits, - and ., with a letter or digit first and last',
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$':
    'use a label key such as region or example.com/region',
  '^(([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]))?$':
    'use a label key such as region or example.com/region',
  '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': 'use letters, digits, -, _ and ., with a letter or digit first and last',
  '^[a-zA-Z0-9][-A-Za-z0-9_.]{0,61}[a-zA-Z0-9]$': 'use 2 to 63 letters, digits, -, _ and ., with a letter or digit first and last',
  '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$': 'use one word such as ApplyFailed',
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$':
    'use a quantity such as 500m, 2 or 128Mi',
  '^([a-z0-9][a-z0-9-]*[a-z0-9]\\.)+[a-z]+\\/[a-z0-9-\\.]+$': 'use a domain, / and a name, such as example.com/my-signer',
  '^[a-zA-Z_][_a-zA-Z0-9]*$': 'use letters, digits and _, with no digit first',
  '^(deployments|daemonsets|statefulsets|replicasets|jobs|cronjobs|pods|\\*):.+:.+$':
    'use <resource>:<name>:<container>, such as deployments:web:server or *:*:*',
  '^([0-9]{1,7}(h|m|s))+$': 'use a duration such as 30s, 5m or 1h30m',
  '^ *[^ ]+( +[^ ]+){4} *$': 'use five fields: minute, hour, day of month, month, day of week, such as 0 22 * * mon-fri',
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?$':
    'use a day and a time such as 2026-12-20T00:00, or with its offset 2026-12-20T00:00Z',
  '^[A-Za-z][A-Za-z0-9_+/-]*$': 'use an IANA time zone such as Europe/Berlin or UTC',
  '^[0-9]+([.][0-9]+)?$': 'use a number such as 2 or 0.01, in quotes',
  '^0[.][0-9]+$': 'use a number between 0 and 1 such as 0.95, in quotes',
  '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/([a-z0-9]([-a-z0-9]*[a-z0-9])?|onFailure)$': 'use <policy>/<gate>, such as production/go-live',
  '^work-agent': 'use a name that starts with work-agent',
};

/** Describes the text that a field with this pattern accepts. Returns undefined for a pattern that none of our schemas contains. */
export function patternWords(pattern: string): string | undefined {
  return Object.hasOwn(WORDS, pattern) ? WORDS[pattern] : undefined;
}
