import { readFileSync } from 'node:fs';
import { errorMessage } from '@apichain/meta';
import { readStages } from '@apichain/simulated-nodes';

/** The stages of YAML files. Throws Error with one line for a file that cannot be read, and for a document that is not YAML. */
export const readStageFiles = (files: readonly string[]): unknown[] => files.flatMap(readStageFile);

function readStageFile(file: string): unknown[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file}: ${errorMessage(error)}`);
  }
  return readStages(text, file);
}
