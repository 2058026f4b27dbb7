/** A file a generator writes, with its path below the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Stands in the first line of every generated file, in whatever is a comment there. */
export const MARK = 'Written by tools/gen from packages/api: change the definitions there and run `npm run gen`.';
