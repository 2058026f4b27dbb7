/**
 * The facts in which the embedded server differs from kube-apiserver. The key is `check/fact` as the Go program prints it, and the value is
 * the reason. A difference that disappears must be removed from this list, because the suite fails on an unneeded entry.
 */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'errors/empty deployment': 'the same problems, in another order within the sentence',
  'events/event without a time': 'fewer of the checks of an event that has no time, and the group of the request in the message',
  'pages/bad token': 'says what a token must be instead of what Go thought of its first byte',
  'patches/not json': 'the words of another JSON parser',
  'watches/bad version': '400 instead of 500: the mistake is the caller’s',
};
