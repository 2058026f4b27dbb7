/** An in-memory terminal screen. It supports the few control sequences that the commands use. */
export class Screen {
  readonly #lines: string[] = [''];
  #row = 0;
  #column = 0;
  #hasCursor = true;

  /** The lines on the screen, without empty ones at the end. */
  get lines(): readonly string[] {
    return this.#lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()
      .split('\n');
  }

  get hasCursor(): boolean {
    return this.#hasCursor;
  }

  get column(): number {
    return this.#column;
  }

  write(text: string): void {
    // oxlint-disable-next-line no-control-regex -- control sequences are what is looked for
    for (const [part] of text.matchAll(/\u001b\[[?\d]*[A-Za-z]|[\s\S]/gu)) this.#put(part);
  }

  #put(part: string): void {
    if (part === '\n') this.#moveTo(this.#row + 1, 0);
    else if (part === '\r') this.#column = 0;
    else if (part.startsWith('\u001b[')) this.#control(part.slice(2, -1), part.at(-1) ?? '');
    else {
      const line = (this.#lines[this.#row] ?? '').padEnd(this.#column);
      this.#lines[this.#row] = `${line.slice(0, this.#column)}${part}${line.slice(this.#column + 1)}`;
      this.#column += 1;
    }
  }

  #control(argument: string, letter: string): void {
    if (letter === 'A') this.#moveTo(this.#row - Number(argument), this.#column);
    else if (letter === 'J') {
      this.#lines[this.#row] = (this.#lines[this.#row] ?? '').slice(0, this.#column);
      this.#lines.length = this.#row + 1;
    } else if (argument === '?25') this.#hasCursor = letter === 'h';
    else if (letter !== 'm') throw new Error(`this terminal knows no ${argument}${letter}`);
  }

  #moveTo(row: number, column: number): void {
    if (row < 0) throw new Error('the cursor left the screen');
    while (this.#lines.length <= row) this.#lines.push('');
    this.#row = row;
    this.#column = column;
  }
}
