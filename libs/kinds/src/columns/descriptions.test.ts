import assert from 'node:assert/strict';
import { readGenerated } from '../generated-file.ts';
import { fieldDescription } from '../documentation.ts';
import { tableConvertor } from './convertor.ts';
import { describedColumns, documentedFields } from './descriptions.ts';

/** Fields of versions that are off by default; the packages omit them. */
const unknown = [
  /^internal\.apiserver\.k8s\.io\./,
  /^coordination\.k8s\.io\.v1beta1\.LeaseCandidate/,
  /^certificates\.k8s\.io\.v1beta1\.ClusterTrustBundle/,
];

const descriptions = (group: string, kind: string) =>
  new Map(tableConvertor(group, kind).columns.map(({ name, description }) => [name, description]));

describe('descriptions of columns', () => {
  it('name documented fields and existing columns', () => {
    const columns = new Set(
      readGenerated<{ group: string; kind: string; columns: { name: string }[] }[]>('columns.json').flatMap((entry) =>
        entry.columns.map(({ name }) => `${entry.kind}${entry.group === '' ? '' : `.${entry.group}`} ${name}`),
      ),
    );
    for (const table of [documentedFields, describedColumns])
      for (const [kind, described] of Object.entries(table))
        for (const name of Object.keys(described)) assert.ok(columns.has(`${kind} ${name}`), `${kind} ${name}`);
    const paths = Object.values(documentedFields).flatMap((fields) => Object.values(fields));
    const missing = paths.filter((path) => fieldDescription(path) === '');
    assert.deepEqual(
      missing.filter((path) => !unknown.some((pattern) => pattern.test(path))),
      [],
    );
  });

  it('are the documentation of a field without enum values, or a text of the printer', () => {
    const pod = descriptions('', 'Pod');
    assert.match(pod.get('Name') ?? '', /must be unique within a namespace/);
    assert.match(pod.get('Age') ?? '', /in UTC\.\n\nPopulated by the system/);
    assert.match(pod.get('Node') ?? '', /^NodeName/);
    assert.match(pod.get('Ready') ?? '', /of this pod for accepting traffic/);
    const type = descriptions('', 'Service').get('Type') ?? '';
    assert.match(type, /^type determines how the Service is exposed/);
    assert.doesNotMatch(type, /Possible enum values/);
    assert.match(descriptions('', 'LimitRange').get('Created At') ?? '', /in UTC/);
    assert.deepEqual(descriptions('events.k8s.io', 'Event'), descriptions('', 'Event'));
  });
});
