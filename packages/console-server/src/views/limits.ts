// Limits on the size that one object can add to a view. Agents of clusters write many of the texts, and every user of the console loads the
// fleet.

/** Characters of a version, a reason or another word of a cell. */
export const MAX_WORD = 128;
/** Characters of an example message in a list. */
export const MAX_MESSAGE = 1_000;
/** Maximum number of labels of a cluster in the fleet view. The page of the cluster shows all labels. */
export const MAX_LABELS = 100;
/** Maximum number of characters of all manifests on a page. Further manifests are listed without their content. */
export const MAX_CONTENT = 2_000_000;
/** Maximum number of characters of a view. A larger view is refused, because it would block the user's browser. */
export const MAX_VIEW = 16_000_000;

export function clip(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** The first labels in name order; the same object if the number of labels is within the limit. */
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
