import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { applyDefaults, pruneNulls } from './defaulting.ts';
import { compileSchema, type SchemaValidator } from './validate.ts';
import { defaultCrd } from './crd/crd-defaults.ts';
import { prune } from './prune.ts';
import { structuralType } from './structural-type.ts';
import { validateCrd } from './crd/crd-validation.ts';
import { type CustomResourceDefinition } from './crd/crd-types.ts';
import { metadataRules } from './metadata-rules.fixture.ts';
import { sharedPath } from './shared-folder.fixture.ts';

type Plain = Record<string, unknown>;

const documents = (file: string): Plain[] =>
  parseAllDocuments(readFileSync(file, 'utf8'))
    .map((d) => d.toJS() as Plain | null)
    .filter((d) => d !== null);

const yamlFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((f) => /\.ya?ml$/.test(f))
    .map((f) => join(folder, f));

const isCrd = (d: Plain): d is CustomResourceDefinition => d.kind === 'CustomResourceDefinition';

function crdsBelow(folder: string): CustomResourceDefinition[] {
  return yamlFiles(folder)
    .flatMap(documents)
    .filter(isCrd)
    .map((crd) => {
      defaultCrd(crd);
      crd.status = { storedVersions: crd.spec.versions.filter((v) => v.storage).map((v) => v.name) };
      return crd;
    });
}

function validators(folder: string): Map<string, (object: Plain) => string[]> {
  const byKind = new Map<string, (object: Plain) => string[]>();
  for (const crd of crdsBelow(folder))
    for (const version of crd.spec.versions) {
      const schema = version.schema?.openAPIV3Schema ?? {};
      const type = structuralType(schema);
      const validator: SchemaValidator = compileSchema(schema, { intOrStringTyped: true, isResourceRoot: true });
      byKind.set(`${crd.spec.group}/${version.name} ${crd.spec.names.kind ?? ''}`, (object) => {
        prune(object, type, true);
        pruneNulls(object, type);
        applyDefaults(object, type);
        return validator.validate(object, '').map((e) => `${e.field}: ${e.message}`);
      });
    }
  return byKind;
}

describe('CRDs of other projects', function () {
  it('are accepted, and compile', function () {
    for (const crd of crdsBelow(sharedPath(this, 'testdata', 'crds'))) {
      assert.deepEqual(validateCrd(crd, { metadata: metadataRules }), [], crd.metadata.name);
      for (const v of crd.spec.versions)
        compileSchema(v.schema?.openAPIV3Schema ?? {}, { intOrStringTyped: true, isResourceRoot: true });
    }
  });

  it('accept the example manifests and refuse some that violate the schema', function () {
    const folder = sharedPath(this, 'testdata', 'crds', 'gateway-api');
    const byKind = validators(join(folder));
    let checked = 0;
    for (const file of yamlFiles(join(folder, 'valid')))
      for (const object of documents(file)) {
        const validate = byKind.get(`${String(object.apiVersion)} ${String(object.kind)}`);
        if (validate === undefined) continue;
        checked++;
        assert.deepEqual(validate(object), [], file);
      }
    assert.ok(checked > 20, `${checked} valid manifests`);
    const refused = yamlFiles(join(folder, 'invalid')).filter((file) =>
      documents(file).some((o) => (byKind.get(`${String(o.apiVersion)} ${String(o.kind)}`)?.(o) ?? []).length > 0),
    );
    assert.ok(refused.length > 0, 'some invalid manifests break the schema itself');
  });
});
