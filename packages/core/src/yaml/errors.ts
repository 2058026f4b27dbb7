/** An error in a YAML text. Lines, columns and documents count from 1. */
export interface YamlProblem {
  readonly message: string;
  readonly document: number;
  readonly line: number;
  readonly column: number;
}

/** All errors in a YAML text, each with its position: `addon.yaml:12:3 (document 2): duplicate key "spec"`. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  readonly file: string | undefined;
  readonly problems: readonly YamlProblem[];

  constructor(problems: readonly YamlProblem[], file?: string) {
    super(problems.map((problem) => describe(problem, file)).join('\n'));
    this.file = file;
    this.problems = problems;
  }
}

/** Thrown if aliases expand to more text than is allowed. Parsing then stops immediately. */
export class YamlExpansionError extends Error {
  override readonly name = 'YamlExpansionError';
  constructor(limit: number) {
    super(`aliases expand to more than ${limit} characters`);
  }
}

function describe({ message, document, line, column }: YamlProblem, file = 'yaml'): string {
  return `${file}:${line}:${column} (document ${document}): ${message}`;
}
