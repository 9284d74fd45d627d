/** The part of a terminal that a status line uses. */
export interface StatusTerminal {
  readonly columns?: number;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

const clear = '\r\u001b[K';
/** Of a terminal that does not tell it. */
const usualColumns = 80;

/** The last line of a terminal, which is written anew in its place. Other lines scroll above it. */
export class StatusLine {
  readonly #terminal: StatusTerminal;
  readonly #paint: (text: string) => string;
  #text = '';
  readonly #redraw = () => this.#draw();

  /** `paint` colors the text after it was cut to the width of the terminal. */
  constructor(terminal: StatusTerminal, paint: (text: string) => string) {
    this.#terminal = terminal;
    this.#paint = paint;
    terminal.on('resize', this.#redraw);
  }

  /** Shows a text in the place of the last one. */
  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#draw();
  }

  /** Lets `print` write whole lines above the status line. */
  above(print: () => void): void {
    if (this.#text === '') return print();
    this.#terminal.write(clear);
    print();
    this.#draw();
  }

  /** Removes the line until the next `show`. */
  hide(): void {
    if (this.#text !== '') this.#terminal.write(clear);
    this.#text = '';
  }

  close(): void {
    this.hide();
    this.#terminal.off('resize', this.#redraw);
  }

  /** A line that fills the last column would scroll the terminal. */
  #draw(): void {
    if (this.#text === '') return;
    const { columns = 0 } = this.#terminal;
    const width = (columns > 0 ? columns : usualColumns) - 1;
    this.#terminal.write(`${clear}${this.#paint(this.#text.slice(0, width))}`);
  }
}
