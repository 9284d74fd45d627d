import assert from 'node:assert/strict';
import { AmbiguousResourceError, NoKindMatchError } from './match-error.ts';
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
  const mapper = new RestMapper([
    { group: '', version: 'v1' },
    { group: 'apps', version: 'v1' },
    { group: 'apps', version: 'v1beta1' },
  ]);
  mapper.add(mapping('apps', 'v1beta1', 'deployments', 'Deployment'));
  mapper.add(mapping('apps', 'v1', 'deployments', 'Deployment', { shortNames: ['deploy'], categories: ['all'] }));
  mapper.add(mapping('', 'v1', 'pods', 'Pod', { shortNames: ['po'], categories: ['all'] }));
  mapper.add(mapping('example.com', 'v1', 'pods', 'Pod'));
  return mapper;
}

describe('RestMapper', () => {
  it('maps resources to kinds and back', () => {
    const mapper = newMapper();
    assert.deepEqual(mapper.kindFor({ group: 'apps', resource: 'deployment' }), {
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
    });
    assert.equal(mapper.mappingFor({ group: 'apps', kind: 'Deployment' }).version, 'v1');
    assert.equal(mapper.mappingFor({ group: 'apps', kind: 'Deployment' }, 'v1beta1').version, 'v1beta1');
    assert.equal(mapper.singularOf('deployments'), 'deployment');
    assert.deepEqual(mapper.versionsOf({ group: 'apps', resource: 'deployments' }), ['v1', 'v1beta1']);
    assert.deepEqual(
      mapper.all().filter((m) => !mapper.isPreferred(m)),
      mapper.everyVersionOf({ group: 'apps', resource: 'deployments' }).slice(1),
    );
  });
  it('prefers groups in the order given and completes partial ones', () => {
    const mapper = newMapper();
    assert.equal(mapper.resourceFor({ resource: 'Pods' }).group, '');
    assert.equal(mapper.resourceFor({ group: 'example', resource: 'pods' }).group, 'example.com');
    assert.deepEqual(
      mapper.inCategory('all').map((m) => m.resource),
      ['pods', 'deployments'],
    );
    assert.equal(mapper.withShortName('po')[0]?.resource, 'pods');
  });
  it('drops removed resources', () => {
    const mapper = newMapper();
    mapper.remove({ group: '', version: 'v1', resource: 'pods' });
    assert.equal(mapper.resourceFor({ resource: 'pods' }).group, 'example.com');
    assert.equal(mapper.withShortName('po').length, 0);
  });
  it('has only the new resources after a replacement', () => {
    const mapper = newMapper();
    const [first] = mapper.all();
    assert.ok(first);
    mapper.replace([first]);
    assert.deepEqual(mapper.all(), [first]);
    assert.deepEqual(mapper.getByKind(first), first);
  });
  it('has the error messages of apimachinery', () => {
    const mapper = newMapper();
    assert.throws(() => mapper.kindFor({ resource: 'widgets' }), { message: 'no matches for /, Resource=widgets' });
    assert.throws(() => mapper.mappingFor({ group: 'g', kind: 'K' }), {
      message: 'no matches for kind "K" in group "g"',
    });
    assert.throws(() => mapper.mappingFor({ group: 'g', kind: 'K' }, 'v1'), {
      message: 'no matches for kind "K" in version "g/v1"',
    });
    assert.equal(
      new NoKindMatchError({ group: 'g', kind: 'K' }, ['v2', 'v1']).message,
      'no matches for kind "K" in versions ["g/v1" "g/v2"]',
    );
    mapper.add(mapping('apps', 'v1', 'deploymentz', 'Deploymentz', { singular: 'deployment' }));
    assert.throws(
      () => mapper.resourceFor({ group: 'apps', version: 'v1', resource: 'deployment' }),
      AmbiguousResourceError,
    );
  });
});
