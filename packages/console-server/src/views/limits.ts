// Limits how much one object can add to a view. Agents on clusters write many of the texts, and every user of the console loads the whole
// fleet.

/** Maximum number of characters in a version, a reason or another short text in a cell. */
export const MAX_WORD = 128;
/** Maximum number of characters in an example message in a list. */
export const MAX_MESSAGE = 1_000;
/** Maximum number of labels per cluster in the fleet view. The cluster page shows all labels. */
export const MAX_LABELS = 100;
/** Maximum number of characters in all manifests on a page. Further manifests are listed without their content. */
export const MAX_CONTENT = 2_000_000;
/** Maximum number of characters in a view. A larger view is refused, because it would block the user's browser. */
export const MAX_VIEW = 16_000_000;

/** Returns the first `MAX_LABELS` labels in name order, or the given object if it has no more than that. */
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
