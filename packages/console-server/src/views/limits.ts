// Limits on what one object can add to a view. Agents of clusters write many of the texts, and every user of the console loads the fleet.

/** Characters of a version, a reason or another word of a cell. */
export const MAX_WORD = 128;
/** Characters of an example message in a list. */
export const MAX_MESSAGE = 1_000;
/** Labels of a cluster in the fleet; its own page shows all of them. */
export const MAX_LABELS = 100;
/** Characters of all manifests on a page together; manifests beyond that are listed without their content. */
export const MAX_CONTENT = 2_000_000;
/** Characters of a whole view. A larger view is refused, because it would stop the browser of the user. */
export const MAX_VIEW = 16_000_000;

export function clip(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** The first labels by name; the same object if there are not too many. */
export function clipLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.keys(labels);
  if (names.length <= MAX_LABELS) return labels;
  return Object.fromEntries(
    names
      .sort()
      .slice(0, MAX_LABELS)
      .map((name) => [name, labels[name] ?? '']),
  );
}
