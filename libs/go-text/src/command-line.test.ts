import assert from 'node:assert/strict';
import { readCommandLine, type CommandLine } from './command-line.ts';

describe('readCommandLine', () => {
  const read = (words: readonly string[], more: Partial<CommandLine> = {}) => {
    const told: string[] = [];
    readCommandLine(words, {
      bare: (name) => (name === 'switch' ? 'true' : undefined),
      flag: (name, value) => told.push(`${name}=${value ?? '?'}`),
      argument: (word) => told.push(word),
      ...more,
    });
    return told;
  };

  it('reads values after = and from the next argument, and switches without a value', () => {
    const words = ['--a=1', '--b', '2', '--switch', 'word', '--switch=false', '-', '--c=', '--d'];
    assert.deepEqual(read(words), ['a=1', 'b=2', 'switch=true', 'word', 'switch=false', '-', 'c=', 'd=?']);
  });

  it('accepts one dash for two, and shorthand letters', () => {
    assert.deepEqual(read(['-long', 'x', '-b=y']), ['long=x', 'b=y']);
    const shorthand = (letter: string) => `of-${letter}`;
    assert.deepEqual(read(['-v3', '-v=4', '-v', '5'], { shorthand }), ['of-v=3', 'of-v=4', 'of-v=5']);
  });

  it('does not use an argument as a value that cannot be one', () => {
    assert.deepEqual(read(['--a', '--b', 'x'], { isValue: (word) => !word.startsWith('-') }), ['a=?', 'b=x']);
  });
});
