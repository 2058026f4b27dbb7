/** A generated file, with its path in the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** A comment with this text is the first line of every generated file. */
export const MARK = 'Written by tools/gen from packages/api: change the definitions there and run `npm run gen`.';
