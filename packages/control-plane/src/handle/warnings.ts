import type { ApiResponse } from '@outrigger/core';

const MAX_WARNINGS_LENGTH = 4096;

/** Adds the collected warnings as `Warning` headers (`299 - "text"`), as many as fit. */
export function withWarnings(warnings: readonly string[], response: ApiResponse): ApiResponse {
  if (warnings.length === 0) return response;
  let header = '';
  for (const warning of new Set(warnings)) {
    const next = `299 - ${quoted(warning)}`;
    if (header.length + next.length > MAX_WARNINGS_LENGTH) break;
    header = header === '' ? next : `${header}, ${next}`;
  }
  return { ...response, headers: { ...response.headers, warning: header } };
}

/** Quotes a string for an HTTP header. Control characters are replaced, because they would end the header. */
function quoted(text: string): string {
  const printable = [...text].map((char) => (char < ' ' || char === '\u007f' ? ' ' : char)).join('');
  return `"${printable.replace(/["\\]/g, '\\$&')}"`;
}
