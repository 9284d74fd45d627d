import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseYaml } from '@apichain/meta';
import { annotationNames } from './pods/annotations.ts';
import { compileStage } from './stages/compile.ts';

const page = readFileSync(new URL('../../../docs/guides/simulated-nodes.md', import.meta.url), 'utf8');

describe('the page about simulated nodes', () => {
  it('has a row for each annotation', () => {
    const rows = [...page.matchAll(/^\| `([a-z-]+)` /gm)].map(([, name]) => name ?? '');
    assert.deepEqual(rows.toSorted(), annotationNames.toSorted());
  });

  it('has stages that compile', () => {
    const documents = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => parseYaml(text));
    const stages = documents.filter((document) => (document as { kind: string }).kind === 'Stage');
    assert.deepEqual(
      stages.map((stage) => compileStage(stage).name),
      ['widget-ready', 'slow-starts'],
    );
  });
});
