import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { reference } from './structure.ts';

/** Writes the page that lists the pages of the reference. */
export function writeReferenceIndex(file: string): void {
  const lines = reference.map(({ text = '', link = '', about }) => `- [${text}](${link}): ${about}`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `# Reference\n\n${lines.join('\n')}\n`);
}
