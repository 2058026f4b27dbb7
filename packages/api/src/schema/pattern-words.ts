/** The patterns of our schemas in words that say what to type. A message with the pattern itself helps few people. */
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
  '^work-agent': 'use a name that starts with work-agent',
};

/** What to type in a field with this pattern. Undefined for a pattern that is not one of our schemas. */
export function patternWords(pattern: string): string | undefined {
  return Object.hasOwn(WORDS, pattern) ? WORDS[pattern] : undefined;
}
