import assert from 'node:assert/strict';
import { RestMapper, type RestMapping } from './rest-mapper.ts';

const mapping = (
  group: string,
  version: string,
  resource: string,
  kind: string,
  more: Partial<RestMapping> = {},
): RestMapping => ({
  group,
  version,
  resource,
  kind,
  singular: kind.toLowerCase(),
  scope: 'Namespaced',
  ...more,
});

function newMapper(): RestMapper {
  const mapper = new RestMapper();
  mapper.add(mapping('', 'v1', 'pods', 'Pod'));
  mapper.add(mapping('apps', 'v1', 'deployments', 'Deployment'));
  mapper.add(mapping('apps', 'v1beta1', 'deployments', 'Deployment'));
  mapper.add(mapping('example.com', 'v1', 'pods', 'Pod'));
  return mapper;
}

describe('RestMapper', () => {
  it('maps kinds to resources, in the preferred version where none is specified', () => {
    const mapper = newMapper();
    const deployment = { group: 'apps', kind: 'Deployment' };
    assert.equal(mapper.mappingFor(deployment, '').version, 'v1');
    assert.equal(mapper.mappingFor(deployment, 'v1beta1').version, 'v1beta1');
    assert.equal(mapper.getByKind({ ...deployment, version: 'v1' })?.resource, 'deployments');
    assert.equal(mapper.getByKind({ ...deployment, version: 'v2' }), undefined);
  });
  it('knows the versions of a resource, in the order in which group-versions were added', () => {
    const mapper = newMapper();
    assert.deepEqual(mapper.versionsOf({ group: 'apps', resource: 'deployments' }), ['v1', 'v1beta1']);
    assert.deepEqual(mapper.versionsOf({ group: 'apps', resource: 'pods' }), []);
    assert.deepEqual(
      mapper.all().filter((m) => !mapper.isPreferred(m)),
      mapper.everyVersionOf({ group: 'apps', resource: 'deployments' }).slice(1),
    );
    assert.deepEqual(
      mapper.all().map(({ group, version }) => `${group}/${version}`),
      ['/v1', 'apps/v1', 'apps/v1beta1', 'example.com/v1'],
    );
  });
  it('replaces a resource of the same name, and keeps the kind of the one that was added first', () => {
    const mapper = newMapper();
    mapper.add(mapping('', 'v1', 'pods', 'Pod', { scope: 'Cluster' }));
    mapper.add(mapping('', 'v1', 'otherpods', 'Pod'));
    assert.deepEqual(
      mapper.everyVersionOf({ group: '', resource: 'pods' }).map(({ scope }) => scope),
      ['Cluster'],
    );
    const { resource, scope } = mapper.mappingFor({ group: '', kind: 'Pod' }, 'v1');
    assert.deepEqual([resource, scope], ['pods', 'Cluster']);
  });
  it('has only the new resources after a replacement', () => {
    const mapper = newMapper();
    const [first] = mapper.all();
    assert.ok(first);
    mapper.replace([first]);
    assert.deepEqual(mapper.all(), [first]);
    assert.deepEqual(mapper.getByKind(first), first);
  });
  it('has the error message of apimachinery', () => {
    assert.throws(() => newMapper().mappingFor({ group: 'g', kind: 'K' }, 'v1'), {
      name: 'NoKindMatchError',
      message: 'no matches for kind "K" in version "g/v1"',
    });
  });
});
