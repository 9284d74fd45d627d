import assert from 'node:assert/strict';
import { parseJson } from '@apichain/meta';
import { applyDefaults, pruneNulls } from './defaulting.ts';
import { coerceObjectMeta, validateEmbeddedResources } from './object-meta.ts';
import { compileSchema } from './validate.ts';
import { defaultCrd } from './crd/crd-defaults.ts';
import { prune } from './prune.ts';
import { structuralType } from './structural-type.ts';
import { validateCrd } from './crd/crd-validation.ts';
import { validateListTypes } from './list-type.ts';
import { type CustomResourceDefinition } from './crd/crd-types.ts';
import { metadataRules } from './metadata-rules.fixture.ts';
import { readShared, sharedPath } from './shared-folder.fixture.ts';

interface Step {
  id?: string;
  method?: string;
  path?: string;
  body?: unknown;
}
interface Recorded {
  id: string;
  res: { status: number; body?: { details?: { causes?: { reason?: string; field?: string; message?: string }[] } } };
}

async function scenarios(
  context: Mocha.Context,
  area: string,
): Promise<{ name: string; steps: Step[]; recorded: Recorded[] }[]> {
  const recorded = JSON.parse(readShared(context, 'golden', 'recorded', `${area}.json`)) as Record<string, Recorded[]>;
  const module = (await import(sharedPath(context, 'golden', 'cases', `${area}.mjs`))) as {
    default: { name: string; steps: Step[] }[];
  };
  return module.default.map((s) => ({ ...s, recorded: recorded[s.name] ?? [] }));
}

const causesOf = (r: Recorded) =>
  (r.res.body?.details?.causes ?? []).map((c) => `${c.reason ?? ''} ${c.field ?? ''}: ${c.message ?? ''}`).sort();

/** The request body. Placeholders of the recording are replaced by valid names. */
function bodyOf(step: Step): unknown {
  return parseJson(JSON.stringify(step.body).replaceAll('${rand}', 'abcdef'));
}
const withRand = (text: string) => text.replaceAll('${rand}', 'abcdef');

function prepared(step: Step): CustomResourceDefinition {
  const crd = bodyOf(step) as CustomResourceDefinition;
  defaultCrd(crd);
  const storage = crd.spec?.versions?.find((v) => v.storage);
  crd.status = storage === undefined ? {} : { storedVersions: [storage.name] };
  return crd;
}

const needsRuleEvaluation = (step: Step) => JSON.stringify(step.body ?? '').includes('x-kubernetes-validations');

describe('the validation of CRDs against recorded responses', function () {
  it('reports the same causes', async function () {
    const differences: string[] = [];
    for (const { name, steps, recorded } of await scenarios(this, 'crd')) {
      for (const [i, step] of steps.entries()) {
        const response = recorded.find((r) => r.id === (step.id ?? String(i)));
        if (step.method !== 'POST' || response === undefined || ![201, 422].includes(response.res.status)) continue;
        if (typeof step.body !== 'object' || needsRuleEvaluation(step)) continue;
        const actual = validateCrd(prepared(step), { metadata: metadataRules })
          .map((e) => `${e.reason} ${e.field}: ${e.message}`)
          .sort();
        const expected = causesOf(response)
          .map(withRand)
          .filter((c) => !c.includes(' metadata.'));
        if (JSON.stringify(actual) !== JSON.stringify(expected))
          differences.push(`${name} #${i}\n  expected ${expected.join('\n    ')}\n  actual   ${actual.join('\n    ')}`);
      }
    }
    assert.equal(differences.join('\n'), '');
  });
});

describe('validation of custom resources against recorded responses', function () {
  it('reports the same causes', async function () {
    const differences: string[] = [];
    for (const { name, steps, recorded } of await scenarios(this, 'cr')) {
      const crd = steps.find((s) => s.path?.endsWith('/customresourcedefinitions') && s.method === 'POST');
      if (crd === undefined || needsRuleEvaluation(crd)) continue;
      const schema = prepared(crd).spec.versions[0]?.schema?.openAPIV3Schema ?? {};
      const type = structuralType(schema);
      const validator = compileSchema(schema, { intOrStringTyped: true, isResourceRoot: true });
      for (const [i, step] of steps.entries()) {
        const response = recorded.find((r) => r.id === (step.id ?? String(i)));
        if (step === crd || step.method !== 'POST' || typeof step.body !== 'object' || response === undefined) continue;
        if (![201, 422].includes(response.res.status) || /status|scale|fieldValidation=Bogus/.test(step.path ?? ''))
          continue;
        const object = bodyOf(step);
        prune(object, type, true);
        pruneNulls(object, type);
        coerceObjectMeta(object, type, {
          rules: metadataRules,
          path: '',
          isResourceRoot: false,
          dropInvalidFields: false,
        });
        applyDefaults(object, type);
        const actual = [
          ...validator.validate(object, ''),
          ...validateEmbeddedResources(object, type, '', metadataRules),
          ...validateListTypes(object, type, ''),
        ]
          .map((e) => `${e.reason} ${e.field}: ${e.message}`)
          .sort();
        const expected = causesOf(response)
          .map(withRand)
          .filter((c) => !c.includes(' metadata.') && !c.includes(' .spec.'));
        if (JSON.stringify(actual) !== JSON.stringify(expected) && !expected.join().includes('<time>'))
          differences.push(`${name} #${i}\n  expected ${expected.join('\n    ')}\n  actual   ${actual.join('\n    ')}`);
      }
    }
    assert.equal(differences.join('\n'), '');
  });
});
