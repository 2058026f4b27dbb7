/** A file a generator writes, with its path below the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}
