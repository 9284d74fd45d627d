import assert from 'node:assert/strict';
import { builtinDocumentation, documentationPackage, fieldDescription } from './documentation.ts';

describe('documentation of built-in types', () => {
  it('is found by type and field', () => {
    assert.match(builtinDocumentation.type('core.v1.Pod'), /^Pod is a collection of containers/);
    assert.match(
      builtinDocumentation.field('core.v1.PodSpec', 'restartPolicy'),
      /\n\nPossible enum values:\n - `"Always"`/,
    );
    assert.match(builtinDocumentation.type('meta.v1.Time'), /^Time is a wrapper/);
    assert.match(builtinDocumentation.type('intstr.IntOrString'), /int32 or a string/);
  });

  it('describes kind and apiVersion of every kind alike', () => {
    const kind = builtinDocumentation.field('apps.v1.Deployment', 'kind');
    assert.match(kind, /In CamelCase/);
    assert.equal(kind, builtinDocumentation.field('core.v1.PodList', 'kind'));
    assert.notEqual(kind, builtinDocumentation.field('core.v1.ObjectReference', 'kind'));
  });

  it('of an omitted version is that of v1', () => {
    const driver = builtinDocumentation.field('storage.k8s.io.v1.VolumeAttributesClass', 'driverName');
    assert.notEqual(driver, '');
    assert.equal(builtinDocumentation.field('storage.k8s.io.v1alpha1.VolumeAttributesClass', 'driverName'), driver);
  });

  it('omits the enum texts of OpenAPI from columns', () => {
    const text = fieldDescription('core.v1.PodSpec.restartPolicy');
    assert.ok(builtinDocumentation.field('core.v1.PodSpec', 'restartPolicy').startsWith(`${text}\n\n`));
    assert.doesNotMatch(text, /Possible enum values/);
  });

  it('is empty for unknown types, and when packages are not installed', () => {
    assert.equal(builtinDocumentation.type('example.com.v1.Nothing'), '');
    assert.equal(builtinDocumentation.field('core.v1.Pod', 'nothing'), '');
    assert.equal(fieldDescription('core.v1.Nothing.at'), '');
    assert.equal(documentationPackage('not-installed-anywhere'), undefined);
  });
});
