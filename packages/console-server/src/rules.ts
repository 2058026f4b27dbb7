/** Rules of the command line that views use. They are given, so that each rule exists once. */
export interface ConsoleRules {
  /** The manifest with the contents of Secrets replaced by digests. */
  redact(manifest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}
