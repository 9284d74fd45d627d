import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

const require = createRequire(import.meta.url);
let library: typeof Yaml | undefined;

/** The parser, loaded with the first document: most processes never read one, and it is seventy modules. */
export function yamlLibrary(): typeof Yaml {
  library ??= require('yaml') as typeof Yaml;
  return library;
}
