import { StringDecoder } from 'node:string_decoder';
import { type Readable, Writable } from 'node:stream';

/** What a user does at the standard input of a command: types a line, stops the command with Ctrl-C, or ends the input with Ctrl-D. */
export type Typed = { readonly line: string } | 'interrupt' | 'end';

/** Writes text to the standard output of a command. */
export type Print = (text: string) => void;

const control = { interrupt: '\u0003', end: '\u0004', backspace: '\b', delete: '\u007f', escape: '\u001b' } as const;

/** The rest of what an arrow or function key sends. */
const keySequence = /^[[O][0-9;]*[A-Za-z~]/;

/** The lines of an input that is no terminal, until it ends. Every line counts, also the last one without a line feed. */
export async function* linesOf(input: Readable): AsyncGenerator<Typed> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of input as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield { line };
  }
  if (rest !== '') yield { line: rest };
}

/**
 * The lines that are typed at a terminal. As a terminal in its usual mode does, it shows what is typed, takes characters back, and tells of Ctrl-C, and of
 * Ctrl-D on an empty line. Terminals of clients are in raw mode, so nobody else does this.
 */
export async function* typedLines(input: Readable, print: Print): AsyncGenerator<Typed> {
  const decoder = new StringDecoder('utf8');
  let line = '';
  for await (const chunk of input as AsyncIterable<Buffer>) {
    const text = decoder.write(chunk);
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at);
      if (character === '\r' || character === '\n') {
        print('\n');
        yield { line };
        line = '';
      } else if (character === control.interrupt) {
        print('^C\n');
        line = '';
        yield 'interrupt';
      } else if (character === control.end) {
        if (line === '') yield 'end';
      } else if (character === control.backspace || character === control.delete) {
        if (line !== '') print('\b \b');
        line = [...line].slice(0, -1).join('');
      } else if (character === control.escape) at += keySequence.exec(text.slice(at + 1, at + 16))?.[0].length ?? 0;
      else if (character >= ' ') {
        line += character;
        print(character);
      }
    }
  }
}

/** A stream to a terminal in raw mode, where a line feed does not return to the beginning of the line. */
export function terminalOutput(output: Writable): Writable {
  const shown = new Writable({
    write: (chunk: Buffer, _encoding, done) =>
      output.write(chunk.toString('latin1').replaceAll('\n', '\r\n'), 'latin1', () => done()),
    final: (done) => output.end(done),
  });
  output.on('close', () => shown.destroy());
  return shown;
}
