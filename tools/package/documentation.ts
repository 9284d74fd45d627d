/**
 * The documentation of the API, for bundles and for images.
 *
 *   node tools/package/documentation.ts DIR
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentationPackage, installedDocumentation } from '../../libs/kinds/src/documentation.ts';
import { extractDocumentation } from '../../libs/kinds/src/documentation/extract.ts';

const packages = ['kubernetes-models', '@kubernetes-models/apimachinery'];

/**
 * Writes the files that libs/kinds/src/documentation.ts reads, one per group-version, with their licence and origin. Throws Error when the
 * packages with the texts are not installed, so that no bundle is published without documentation.
 */
export function writeDocumentation(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const sources = packages.map((name) => {
    const folder = documentationPackage(name);
    if (folder === undefined)
      throw new Error(`${name} is not installed, which the documentation of the API comes from`);
    cpSync(join(folder, 'LICENSE'), join(directory, `LICENSE.${name.replace(/^@/, '').replace('/', '-')}`));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return `${name} ${version}`;
  });
  writeFileSync(join(directory, 'NOTICE'), notice(sources));
  for (const { groupVersion, folder } of installedDocumentation())
    writeFileSync(join(directory, `${groupVersion}.json`), JSON.stringify(extractDocumentation(folder)));
}

const notice = (
  sources: readonly string[],
): string => `The texts in this folder are the documentation of the Kubernetes API.

Copyright The Kubernetes Authors. Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0

They were taken out of the TypeScript declarations of the npm packages ${sources.join(' and ')},
whose own licence is beside this file, and put together by group-version; the words are unchanged.
`;

const [, command, target] = process.argv;
if (command === import.meta.filename && target !== undefined) writeDocumentation(target);
