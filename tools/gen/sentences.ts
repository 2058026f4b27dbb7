/**
 * Returns the sentences and table rows of a Markdown page, as plain text in the order of the page. Headings and table heads are omitted.
 */
export function sentencesOf(markdown: string): readonly string[] {
  const blocks = markdown.split(/\n\n+/).filter((block) => !block.startsWith('#') && block.trim() !== '');
  return blocks.flatMap((block) => (block.startsWith('|') ? rowsOf(block) : proseOf(block)));
}

function rowsOf(table: string): readonly string[] {
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => plain(row.replaceAll(/^\| *| *\|$/g, '').replaceAll(/ *\| */g, ' | ')));
}

/** Splits a block into sentences. Each item of a list is a paragraph. A sentence ends before an upper-case letter or a code word. */
function proseOf(block: string): readonly string[] {
  const paragraphs = block.split(/\n(?=- )/).map((paragraph) => plain(paragraph.replace(/^- /, '').replaceAll(/\s*\n\s*/g, ' ')));
  return paragraphs.flatMap((text) => text.split(/(?<=[.?!])\s+(?=[A-Z`])/)).filter((sentence) => sentence !== '');
}

function plain(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .trim();
}
