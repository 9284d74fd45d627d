/**
 * Generates the tables of libs/kinds/src/generated from machine-readable facts about a Kubernetes release.
 *
 *   node tools/kinds/generate.ts <facts directory> <spec directory>
 *
 * The output contains names, types and numbers only, in the compact form that libs/kinds/src/types.ts describes. The same input gives the
 * same output, so that updating to the next release is a re-run and a diff.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compactGroupVersion, registeredTypes, type FactsFile } from './compact-types.ts';
import { compactColumns, compactDefaults, compactFieldSelectors, compactKinds, type Json } from './compact-tables.ts';

const [factsDir, specDir] = process.argv.slice(2);
if (factsDir === undefined || specDir === undefined) {
  process.stderr.write('usage: node tools/kinds/generate.ts <facts directory> <spec directory>\n');
  process.exit(1);
}

const target = new URL('../../libs/kinds/src/generated/', import.meta.url);
const readJson = <T>(dir: string, file: string): T => JSON.parse(readFileSync(join(dir, file), 'utf8')) as T;
const write = (file: string, text: string): void => writeFileSync(new URL(file, target), text);

/** Writes one entry per line, so that the diff between releases is readable. */
function writeTable(file: string, entries: readonly (readonly [string, unknown])[]): void {
  const lines = entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  write(file, `{\n${lines.join(',\n')}\n}\n`);
}

function writeList(file: string, items: readonly unknown[]): void {
  write(file, `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]\n`);
}

rmSync(target, { recursive: true, force: true });
mkdirSync(new URL('types/', target), { recursive: true });

const files = readdirSync(factsDir)
  .filter((file) => file.endsWith('.json') && !file.startsWith('_'))
  .sort();
const registered: [string, unknown][] = [];
for (const file of files) {
  const facts = readJson<FactsFile>(factsDir, file);
  const name = file.slice(0, -'.json'.length);
  writeTable(`types/${file}`, Object.entries(compactGroupVersion(facts)));
  const kinds = registeredTypes(facts);
  if (Object.keys(kinds).length > 0) registered.push([name, { group: facts.group, version: facts.version, kinds }]);
}
writeTable('registered.json', registered);
writeTable('kinds.json', Object.entries(compactKinds(readJson<Json>(factsDir, '_kinds.json'))));
writeList('columns.json', compactColumns(readJson<Json>(factsDir, '_printcolumns.json')));
writeTable(
  'fieldselectors.json',
  Object.entries(compactFieldSelectors(readJson<Json>(factsDir, '_fieldselectors.json'))),
);
writeTable('featuregates.json', Object.entries(readJson<{ gates: Json }>(factsDir, '_featuregates.json').gates));
writeTable('defaults.json', Object.entries(compactDefaults(readJson<Json>(specDir, 'defaults.json'))));
